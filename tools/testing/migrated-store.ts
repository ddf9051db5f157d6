import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../packages/kernel/src/index.ts';
import { openTelemetryStore } from '../../packages/telemetry-store/src/index.ts';
import { MIGRATED_STORE } from '../../packages/telemetry-store/src/testing/migrated.ts';

/**
 * Vitest's global set-up of the rings that start engines: makes the tables once. Nearly a hundred stores are opened in a run,
 * and each would make its own.
 */
export default async function setup(): Promise<() => void> {
  if (process.env[MIGRATED_STORE] !== undefined) return () => undefined;
  const dir = mkdtempSync(join(tmpdir(), 'candela-migrated-'));
  const store = await openTelemetryStore({ kind: 'embedded', dataDir: dir, logger: silentLogger });
  // One part instead of one a statement: fewer files to copy.
  await store.command('OPTIMIZE TABLE schema_migrations FINAL');
  await store.close();
  process.env[MIGRATED_STORE] = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}
