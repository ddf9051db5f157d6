import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bun, SMALLER } from './compile.ts';
import { bundledFiles, notices, partsOf } from './notices.ts';
import { ROOT } from './packages.ts';
import { CLI_FILE, NOTICES_FILE } from './targets.ts';

const MAIN = join('apps', 'cli', 'src', 'main.ts');
/** The stores are parts of the platform: commands that open them say that they need its package. */
const OF_THE_PLATFORM = [
  '@candela/backup',
  '@candela/metadata-store',
  '@candela/metadata-store/copy',
  '@candela/telemetry-store',
  '@candela/vault',
  // Imports them at its top, which a bundle would do at its start.
  '*/project/archive.ts',
];

/** The version that this repository has. */
const versionOf = (): string =>
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

/** The name of the package that `packCli` leaves. */
export const cliPackageFile = (): string => `candela-cli-${versionOf()}.tgz`;

/** The command line as one file for Node 22 or newer: nothing else has to be installed. */
export function bundleCli(outfile: string): void {
  build(outfile);
  chmodSync(outfile, 0o755);
}

/** @returns what the bundler wrote of its work */
function build(outfile: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'candela-cli-'));
  try {
    const metafile = join(folder, 'parts.json');
    bun(
      [
        'build',
        MAIN,
        '--target=node',
        '--format=esm',
        // Where a package has both, what is written for bundlers: some of the other kind look for their own files.
        '--main-fields=module',
        '--main-fields=main',
        ...SMALLER,
        ...OF_THE_PLATFORM.map((name) => `--external=${name}`),
        `--metafile=${metafile}`,
        `--outfile=${outfile}`,
      ],
      ROOT,
    );
    return readFileSync(metafile, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same file as a package without dependencies: `npx <file> <command>` runs it. */
export function packCli(outfile: string): void {
  const staging = mkdtempSync(join(tmpdir(), 'candela-cli-package-'));
  try {
    const parts = build(join(staging, CLI_FILE));
    chmodSync(join(staging, CLI_FILE), 0o755);
    writeFileSync(join(staging, NOTICES_FILE), notices('candela', partsOf(bundledFiles(parts, ROOT), [])));
    if (existsSync(join(ROOT, 'LICENSE'))) cpSync(join(ROOT, 'LICENSE'), join(staging, 'LICENSE'));
    const manifest = {
      name: 'candela-cli',
      version: versionOf(),
      description: 'The command line of Candela: coding agents, scans, imports.',
      license: 'Apache-2.0',
      type: 'module',
      engines: { node: '>=22' },
      bin: { candela: CLI_FILE },
    };
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', dirname(outfile)], {
        cwd: staging,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        shell: process.platform === 'win32',
      }),
    ) as [{ readonly filename: string }];
    const made = join(dirname(outfile), packed.filename);
    if (made !== outfile) renameSync(made, outfile);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
