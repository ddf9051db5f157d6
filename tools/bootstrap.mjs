// Runs before every npm script, on whatever Node the machine has (>= 20): plain JavaScript, no dependencies.
// Installs the packages when the lockfile changed (--all: those of the tests too), and with --web builds the web UI when
// its sources changed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  console.error(`Candela needs Node 20 or newer to start its set-up; this is ${process.version}.`);
  process.exit(1);
}

const modules = join(root, 'node_modules');
const stampOf = (name) => join(modules, `.candela-${name}`);
const readStamp = (name) => (existsSync(stampOf(name)) ? readFileSync(stampOf(name), 'utf8') : '');
const digest = (paths) => {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest('hex');
};

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !/[\\/](dist|node_modules)([\\/]|$)/.test(join(entry.parentPath ?? entry.path, entry.name)),
    )
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

/**
 * What runs the platform is installed by every script; what tests it (linters, vendor SDKs driven as real clients, a
 * browser driver) only by scripts that ask with --all.
 */
function install(everything) {
  const manifests = ['package.json', 'package-lock.json'].map((name) => join(root, name));
  const wanted = `${process.platform}-${process.arch} ${digest(manifests)}`;
  const [mode, ...stamped] = readStamp('install').split(' ');
  // A developer's full installation stays full, also when it was made by hand.
  const full = everything || mode === 'all' || existsSync(join(modules, 'vitest'));
  if (stamped.join(' ') === wanted && (mode === 'all' || !full)) return;
  console.log(
    mode
      ? 'Installing packages (the lockfile changed, or more is needed) ...'
      : 'Installing packages (first start) ...',
  );
  // `ci` empties node_modules first, under the feet of a platform that may be running from it: only when there is none.
  const args = [existsSync(modules) ? 'install' : 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!full) {
    const workspaces = ['apps', 'packages'].flatMap((kind) =>
      readdirSync(join(root, kind))
        .filter((name) => name !== 'testkit' && existsSync(join(root, kind, name, 'package.json')))
        .map((name) => `--workspace=${kind}/${name}`),
    );
    args.push('--omit=dev', '--include-workspace-root', ...workspaces);
  }
  // `npm_execpath` is the npm that runs this script; spawning it by Node works on every platform.
  const npm = process.env.npm_execpath;
  if (npm && /\.c?js$/.test(npm))
    execFileSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' });
  else execFileSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  // A third of what the package of Node takes is headers for native code, of which none is built here.
  for (const name of readdirSync(modules).filter(
    (one) => one.startsWith('node-') && /-(x64|arm64)$/.test(one),
  ))
    rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  writeFileSync(stampOf('install'), `${full ? 'all' : 'run'} ${wanted}`);
}

function buildWeb() {
  const web = join(root, 'apps', 'web');
  const sources = ['contract', 'kernel', 'rules', 'semconv']
    .map((name) => join(root, 'packages', name, 'src'))
    .concat([join(web, 'src')])
    .filter(existsSync)
    .flatMap(filesBelow)
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .concat(
      ['index.html', 'vite.config.ts', 'tsr.config.json', 'package.json']
        .map((name) => join(web, name))
        .filter(existsSync),
    );
  const wanted = digest(sources);
  const built = join(web, 'dist', 'index.html');
  if (existsSync(built) && statSync(built).size > 0 && readStamp('web') === wanted) return;
  console.log('Building the web UI ...');
  const node = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  execFileSync(node, [join(modules, 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: web,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  mkdirSync(modules, { recursive: true });
  writeFileSync(stampOf('web'), wanted);
}

try {
  install(process.argv.includes('--all'));
  if (process.argv.includes('--web')) buildWeb();
} catch (error) {
  // The program that failed has already said why on this terminal.
  console.error(`Set-up failed: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  process.exit(1);
}
