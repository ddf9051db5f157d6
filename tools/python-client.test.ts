/** The Python client: its own tests, on the Python that is there, and its installation without a network. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './run.ts';

const folder = join(ROOT, 'clients/python');
const source = join(folder, 'src');
const scratch = mkdtempSync(join(tmpdir(), 'candela-python-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function works(...args: string[]): boolean {
  try {
    execFileSync('python3', args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const python = works('-c', 'import sys; sys.exit(sys.version_info < (3, 9))');
if (!python) console.warn('SKIPPED: the tests of the Python client need python3 (3.9 or newer) on the PATH.');

const pip = python && works('-m', 'pip', '--version');
if (python && !pip) console.warn('SKIPPED: the installation of the Python client by pip: there is no pip.');

/** Runs Python with nothing of the caller's environment but its PATH. */
async function run(args: string[], cwd: string, path: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('python3', args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' },
    timeout: 240_000,
  });
  return stdout + stderr;
}

describe.skipIf(!python)('the Python client', { timeout: 300_000 }, () => {
  it('passes its own tests, without a warning', async () => {
    const said = await run(['-W', 'error', '-m', 'unittest', '-v'], join(folder, 'tests'), source);
    expect(said).toMatch(/\nOK\n$/);
    expect(Number(/Ran (\d+) tests/.exec(said)?.[1])).toBeGreaterThan(20);
  });

  it('is written in what Python 3.9 reads', async () => {
    const code =
      'import ast, sys\nfor f in sys.argv[1:]: ast.parse(open(f).read(), f, feature_version=(3, 9))';
    const package_ = join(source, 'candela_client');
    const files = readdirSync(package_).filter((name) => name.endsWith('.py'));
    await run(
      ['-c', code, join(folder, 'build_backend.py'), ...files.map((name) => join(package_, name))],
      folder,
      '',
    );
  });

  it('packs itself with nothing but Python, and what was packed works', async () => {
    const pack = `import sys; sys.path.insert(0, "."); import build_backend as b; print(b.build_wheel(${JSON.stringify(scratch)}))`;
    const wheel = (await run(['-c', pack], folder, '')).trim();
    const use =
      'import candela_client as c; print(c.__file__); print(c.Client("http://localhost", "k").get_prompt)';
    expect(await run(['-c', use], scratch, join(scratch, wheel))).toContain(wheel);
  });

  it.skipIf(!pip)('is installed by pip, offline', async () => {
    const target = join(scratch, 'installed');
    const install = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-index',
      '--disable-pip-version-check',
      '--no-cache-dir',
    ];
    await run([...install, '--target', target, folder], scratch, '');
    expect(readdirSync(target).toSorted()).toEqual(['candela_client', 'candela_client-0.1.0.dist-info']);
    expect(readdirSync(join(target, 'candela_client'))).toContain('py.typed');
    expect(await run(['-c', 'import candela_client as c; print(c.__file__)'], scratch, target)).toContain(
      target,
    );
  });
});
