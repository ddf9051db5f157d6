import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledFiles, notices, partsOf } from './notices.ts';
import { installed, packageFolder, ROOT } from './packages.ts';
import { HOST_TARGET, type Target } from './targets.ts';

const MAIN = join(ROOT, 'apps', 'collector', 'src', 'main.ts');

/** The Bun that does the work, which is the one for this machine. @throws when it is not installed */
function hostBun(): string {
  const folder = HOST_TARGET === undefined ? undefined : installed(HOST_TARGET.runtime);
  if (HOST_TARGET === undefined || folder === undefined) {
    throw new Error(
      `Bun for this machine (${process.platform}-${process.arch}) is not installed: npm run release installs it where npm has one`,
    );
  }
  return join(folder, HOST_TARGET.executable);
}

/** Names of functions stay, so that the stack of an error can be read. */
export const SMALLER = ['--minify-whitespace', '--minify-syntax'];

/**
 * One binary: Bun's runtime for the target, the program as bytecode, the native part of koffi. What lies in the folder
 * it is started in (`.env`, `bunfig.toml`) must not change it, so none of that is read.
 */
export function compileBinary(target: Target, outfile: string): void {
  const runtime = join(packageFolder(target.runtime), target.executable);
  chmodSync(runtime, 0o755);
  const native = join(packageFolder(target.koffi), target.native);
  // koffi finds its native part at run time, among files that a binary does not have; here it is named.
  withKoffi(`import native from ${JSON.stringify(native)};\nexport default native;\n`, (config) => {
    bun([
      'build',
      MAIN,
      '--compile',
      `--target=${target.bun}`,
      `--compile-executable-path=${runtime}`,
      '--bytecode',
      '--format=esm',
      ...SMALLER,
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      `--tsconfig-override=${config}`,
      `--outfile=${outfile}`,
    ]);
  });
}

/**
 * The program as one file for Node. koffi is not one file: it is used where it is installed beside it, and what needs it
 * is unavailable where it is not.
 */
export function bundlePortable(outfile: string): void {
  const found = `import { createRequire } from 'node:module';\nexport default createRequire(import.meta.url)('koffi');\n`;
  withKoffi(found, (config) => {
    bun([
      'build',
      MAIN,
      '--target=node',
      '--format=esm',
      ...SMALLER,
      `--tsconfig-override=${config}`,
      `--outfile=${outfile}`,
    ]);
  });
}

/** Names, versions and licences of everything that the binaries hold. */
export function describeParts(): string {
  const runtime = HOST_TARGET === undefined ? undefined : installed(HOST_TARGET.runtime);
  const folder = mkdtempSync(join(tmpdir(), 'candela-release-'));
  try {
    const metafile = join(folder, 'parts.json');
    const bundle = ['--target=node', '--external=koffi', `--outfile=${join(folder, 'parts.mjs')}`];
    bun(['build', MAIN, ...bundle, `--metafile=${metafile}`], ROOT);
    const { version } = JSON.parse(readFileSync(join(runtime ?? '', 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    return notices(
      'opentelemetry-gpu-collector',
      partsOf(bundledFiles(readFileSync(metafile, 'utf8'), ROOT), ['koffi']),
      [
        `Bun ${version} (MIT), which links JavaScriptCore and WebKit (LGPL 2), BoringSSL, mimalloc, zstd, libarchive and others\nunder licences of their own: https://bun.com/docs/project/licensing`,
      ],
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the bundler, in a folder whose settings it does not read. */
export function bun(args: readonly string[], cwd = tmpdir()): void {
  execFileSync(hostBun(), [...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Works with a configuration of the bundler by which `koffi` is the module given. */
function withKoffi(module: string, work: (config: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'candela-release-'));
  try {
    const [koffi, config] = [join(folder, 'koffi.js'), join(folder, 'tsconfig.json')];
    writeFileSync(koffi, module);
    writeFileSync(config, JSON.stringify({ compilerOptions: { paths: { koffi: [koffi] } } }));
    work(config);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
