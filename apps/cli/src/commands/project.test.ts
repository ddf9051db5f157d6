import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { UsageError, type World } from '../command.ts';
import { projectExport, projectImport } from './project.ts';

const world: World = {
  env: { PLATFORM_CLICKHOUSE_URL: 'http://clickhouse:8123' },
  cwd: '/nowhere',
  program: [],
  say: () => undefined,
};

it.each([
  ['export', projectExport, ['shop', '--to', 'given']],
  ['import', projectImport, ['--from', 'given']],
] as const)('%s is refused where telemetry is in a ClickHouse of its own', async (_, command, args) => {
  const done = command.run(args, world);
  await expect(done).rejects.toThrow(UsageError);
  await expect(done).rejects.toThrow(/in a ClickHouse of your own/);
});

it('a directory without an installation is named, and nothing is left where the export would go', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'candela-project-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const run = (...args: string[]) => projectExport.run(['shop', ...args], { ...world, env: {}, cwd });
  await expect(run('--to', 'given')).rejects.toThrow(`There is no installation in ${join(cwd, 'data')}.`);
  expect(existsSync(join(cwd, 'given'))).toBe(false);
});

it('an address of another kind than a bucket is no folder', async () => {
  const done = projectImport.run(['--from', 'ftp://host/given'], { ...world, env: {} });
  await expect(done).rejects.toThrow('"ftp://host/given" is no place for backups.');
});
