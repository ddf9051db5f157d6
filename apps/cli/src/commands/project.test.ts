import { expect, it } from 'vitest';
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
