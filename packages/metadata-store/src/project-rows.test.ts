import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_DATABASE_CONFIG_ID, silentLogger } from '@candela/kernel';
import { afterAll, expect, it } from 'vitest';
import { openMetadataStore } from './index.ts';
import { readProject } from './project-rows.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'candela-project-rows-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

it('a project whose telemetry is elsewhere is not read: it would lack it', async () => {
  const place = { dataDir, databaseUrl: undefined, projectId: 'default' };
  const bind = async (environment: string | null, connectorId: string | null | undefined) => {
    const store = await openMetadataStore({ dataDir, databaseUrl: undefined, logger: silentLogger });
    await store.routing.set('default', [{ environment, signal: 'logs', connectorId }]);
    await store.close();
  };
  await bind(null, DEFAULT_DATABASE_CONFIG_ID);
  await bind('staging', null);
  expect((await readProject(place)).name).toBe('Default');
  await bind('staging', 'c1');
  await expect(readProject(place)).rejects.toThrow(
    'The logs of project default are in another database configuration',
  );
  await bind('staging', undefined);
  expect((await readProject(place)).name).toBe('Default');
});

it('a project in a store of a newer version is not read: what is new in it would be lost', async () => {
  const database = new DatabaseSync(join(dataDir, 'metadata.sqlite'));
  database.exec("INSERT INTO schema_migrations VALUES (9999, 'of tomorrow', 'x', 0)");
  database.close();
  const place = { dataDir, databaseUrl: undefined, projectId: 'default' };
  await expect(readProject(place)).rejects.toThrow('was made by a newer version of this program');
});
