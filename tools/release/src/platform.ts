import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './packages.ts';

/** Programs of the package. */
const APPS = ['server', 'cli', 'collector', 'demo'] as const;
/** What is for tests and development only. */
const LEFT_OUT = /(^|\/)(testing|fixtures|golden|recorded)(\/|$)|\.test\.ts$|\.bpf\.c$|\.h$|README\.md$/;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: string | Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The name of the archive that `packPlatform` leaves. */
export const platformFile = (): string => `candela-${manifestOf(ROOT).version}.tgz`;

/**
 * Packs platform, command line and agent as one npm package that needs no build: the sources without their types, the
 * built web UI, the dependencies by the versions of the lockfile. `npx <file>` or `npm install -g <file>` runs it.
 * @throws when the web UI was not built
 */
export function packPlatform(outfile: string): void {
  const web = join(ROOT, 'apps', 'web', 'dist');
  if (!existsSync(join(web, 'index.html')))
    throw new Error('The web UI is not built: `npm run release` builds it.');
  const staging = mkdtempSync(join(tmpdir(), 'candela-package-'));
  try {
    const { packages, dependencies } = closureOf(APPS.map((app) => `apps/${app}`));
    const entries = new Map(packages.flatMap(entriesOf));
    for (const folder of [...APPS.map((app) => `apps/${app}`), ...packages])
      copySources(folder, staging, entries);
    cpSync(web, join(staging, 'apps/web/dist'), { recursive: true });
    for (const file of ['LICENSE', 'README.md'])
      if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(staging, file));
    mkdirSync(join(staging, 'bin'));
    writeFileSync(join(staging, 'bin/candela.js'), STARTER, { mode: 0o755 });
    const { version, description, license } = manifestOf(ROOT) as Manifest & Record<string, string>;
    const manifest = {
      name: 'candela',
      version,
      description,
      license,
      type: 'module',
      engines: { node: '>=20' },
      bin: { candela: 'bin/candela.js' },
      dependencies,
      // Node for each platform: npm installs the one that fits.
      optionalDependencies: manifestOf(ROOT).optionalDependencies,
    };
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', dirname(outfile)], {
        cwd: staging,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: 64 * 1_048_576,
        shell: process.platform === 'win32',
      }),
    ) as [{ readonly filename: string }];
    const made = join(dirname(outfile), packed.filename);
    if (made !== outfile) renameSync(made, outfile);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Own packages that these apps use, as folders, and everything else that npm has to install, by exact version. */
function closureOf(apps: readonly string[]): {
  packages: string[];
  dependencies: Record<string, string>;
} {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const packages = new Set<string>();
  const found = new Map<string, string>();
  const queue = [...apps];
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const name of Object.keys(manifestOf(join(ROOT, folder)).dependencies ?? {})) {
      if (name.startsWith('@candela/')) {
        const own = `packages/${name.slice('@candela/'.length)}`;
        if (!packages.has(own)) queue.push(own);
        packages.add(own);
        continue;
      }
      const version =
        lock.packages[`${folder}/node_modules/${name}`]?.version ??
        lock.packages[`node_modules/${name}`]?.version;
      if (version === undefined)
        throw new Error(`package-lock.json does not have ${name}, which ${folder} needs`);
      found.set(name, version);
    }
  }
  return {
    packages: [...packages].sort(),
    dependencies: Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Where each name of an own package that may be imported leads, as a path from the root. */
function entriesOf(folder: string): [name: string, path: string][] {
  const { name, exports = './src/index.ts' } = manifestOf(join(ROOT, folder));
  const entries = typeof exports === 'string' ? { '.': exports } : exports;
  return Object.entries(entries).map(([path, target]) => {
    const file = typeof target === 'string' ? target : target.default;
    return [`${name}${path.slice(1)}`, join(folder, file).replace(/\.ts$/, '.js')];
  });
}

function copySources(folder: string, staging: string, entries: ReadonlyMap<string, string>): void {
  const { name, version } = manifestOf(join(ROOT, folder));
  mkdirSync(join(staging, folder), { recursive: true });
  writeFileSync(
    join(staging, folder, 'package.json'),
    `${JSON.stringify({ name, version, private: true, type: 'module' })}\n`,
  );
  const source = join(ROOT, folder, 'src');
  for (const entry of readdirSync(source, { withFileTypes: true, recursive: true })) {
    const from = join(entry.parentPath, entry.name);
    const path = relative(join(ROOT, folder), from).replaceAll('\\', '/');
    if (!entry.isFile() || LEFT_OUT.test(path)) continue;
    const to = join(staging, folder, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    if (path.endsWith('.ts'))
      writeFileSync(to, asJavaScript(readFileSync(from, 'utf8'), join(folder, path), entries));
    else cpSync(from, to);
  }
}

/**
 * A source as Node runs it in a package: Node takes no types off what lies below `node_modules`, so they are taken off
 * here, and what names a file of ours names it as it is called now. Lines stay where they are, for stacks.
 * @param path of the source from the root
 * @param entries names of own packages and the files that they lead to, from the root
 */
function asJavaScript(source: string, path: string, entries: ReadonlyMap<string, string>): string {
  return stripTypeScriptTypes(source)
    .replace(/(['"`])(\.{1,2}\/[^'"`\n]*|\/[\w/-]+)\.ts\1/g, '$1$2.js$1')
    .replace(/(from\s*|import\(\s*|import\s+)'(@candela\/[\w/-]+)'/g, (_, before: string, name: string) => {
      const entry = entries.get(name);
      if (entry === undefined) throw new Error(`${path} imports ${name}, which no package has`);
      const to = relative(dirname(path), entry).replaceAll('\\', '/');
      return `${before}'${to.startsWith('.') ? to : `./${to}`}'`;
    });
}

/** Starts the platform or a command with the Node that the package brings. Runs on Node 20. */
const STARTER = `#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [first, ...rest] = process.argv.slice(2);
if (first === '--version' || first === '-v') {
  console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
  process.exit(0);
}
const asksHelp = (word) => word === '--help' || word === '-h';
if (asksHelp(first) || (first === 'start' && rest.some(asksHelp))) {
  console.log(\`candela [start] [--json]   starts the platform: its data in ./data, its settings in PLATFORM_... variables
candela demo               sends synthetic traffic to one that runs
candela --version
\`);
  if (first === 'start') process.exit(0);
}
const isStart = first === undefined || first === 'start' || first === '--json';
const [os, arch] = [process.platform === 'win32' ? 'win' : process.platform, process.arch];
const own = (() => {
  try {
    const name = (os === 'darwin' && arch === 'arm64' ? 'node-bin-' : 'node-') + os + '-' + arch;
    const folder = dirname(createRequire(import.meta.url).resolve(name + '/package.json'));
    return join(folder, 'bin', os === 'win' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
})();
const node = own !== undefined && existsSync(own) ? own : process.execPath;
if (node === process.execPath && Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    'Candela brings its own Node, but npm did not install it (are optional packages left out, or is there none for this platform?). Install with them, or use Node 24 or newer.',
  );
  process.exit(1);
}
const args = isStart
  ? [
      '--max-semi-space-size=4',
      '--heap-growing-percent=100',
      '--v8-pool-size=1',
      join(root, 'apps/server/src/main.js'),
      ...(first === undefined || first === 'start' ? rest : [first, ...rest]),
    ]
  : first === 'demo'
    ? [join(root, 'apps/demo/src/main.js'), ...rest]
    : [join(root, 'apps/cli/src/main.js'), first, ...rest];
// What Node compiled stays beside the package, where that may be written: the next start is quicker.
process.env.NODE_COMPILE_CACHE ??= join(root, '.cache');
// The same process goes on as the platform where Node can do that: no launcher stays in memory, signals arrive.
if (process.execve !== undefined && process.platform !== 'win32') {
  process.removeAllListeners('warning');
  process.execve(node, [node, ...args], process.env);
}
const child = spawn(node, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
`;
