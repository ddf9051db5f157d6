import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '..', '..', '..');
const CACHE = join(ROOT, '.cache', 'release');

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

/** What the lockfile says of a package. @throws when it is not in it */
function locked(name: string): Locked {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Partial<Locked>>>;
  };
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined) {
    throw new Error(`package-lock.json does not have ${name}: nothing says what its contents must be`);
  }
  return { version, integrity };
}

/** Where a package is installed, if npm found it fit for this machine. */
export function installed(name: string): string | undefined {
  const folder = join(ROOT, 'node_modules', name);
  return existsSync(join(folder, 'package.json')) ? folder : undefined;
}

/**
 * The folder of a package: where it is installed, else fetched by npm by name and version, held against the digest in
 * the lockfile, and kept. None of its scripts is run. npm would not install what is for another platform.
 */
export function packageFolder(name: string): string {
  const here = installed(name);
  if (here !== undefined) return here;
  const { version, integrity } = locked(name);
  const kept = join(CACHE, `${name.replace('/', '-')}-${version}`);
  if (existsSync(kept)) return join(kept, 'package');
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, 'fetch-'));
  try {
    npm('pack', `${name}@${version}`, '--ignore-scripts', '--silent', '--pack-destination', scratch);
    const archive = readdirSync(scratch).find((file) => file.endsWith('.tgz'));
    if (archive === undefined) throw new Error(`npm pack left no archive of ${name}@${version}`);
    const digest = `sha512-${createHash('sha512')
      .update(readFileSync(join(scratch, archive)))
      .digest('base64')}`;
    if (digest !== integrity) {
      throw new Error(`${name}@${version} is not what the lockfile has: ${digest}, not ${integrity}`);
    }
    execFileSync('tar', ['-xzf', archive], { cwd: scratch, stdio: 'inherit' });
    rmSync(join(scratch, archive));
    renameSync(scratch, kept);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return join(kept, 'package');
}

function npm(...args: readonly string[]): void {
  const options = { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] as const };
  const program = process.env['npm_execpath'];
  // Inside a script of npm its program is known; Node runs it the same on every platform.
  if (program !== undefined && /\.c?js$/.test(program)) {
    execFileSync(process.execPath, [program, ...args], { ...options, stdio: [...options.stdio] });
  } else {
    execFileSync('npm', [...args], {
      ...options,
      stdio: [...options.stdio],
      shell: process.platform === 'win32',
    });
  }
}
