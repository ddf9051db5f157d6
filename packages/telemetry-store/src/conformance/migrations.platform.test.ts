import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@candela/kernel';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../client/connect.ts';
import type { Alone } from '../client/types.ts';
import { backfilled } from '../migrations/backfill.ts';
import { loadMigrations, type Migration } from '../migrations/load.ts';
import { migrate, MigrationError } from '../migrations/migrate.ts';
import { renderMigration } from '../migrations/template.ts';
import { ROLLUPS } from '../rollups/index.ts';
import { TABLES } from '../schema/tables.ts';
import { scratchDir, startEngine } from './harness.ts';

const OPTIONS = { database: 'm', storage: 'embedded', logger: silentLogger } as const;

const migration = (version: number, name: string, template: string): Migration => ({
  version,
  name,
  template,
  checksum: `${name}-checksum`,
});

const FIRST = migration(
  1,
  'first',
  Array.from(
    { length: 12 },
    (_, n) =>
      `CREATE TABLE IF NOT EXISTS \${table:t${n}}\${on_cluster} (Id UInt64) ENGINE = \${merge_tree:t${n}} ORDER BY Id;`,
  ).join('\n'),
);
const SECOND = migration(
  2,
  'second',
  'ALTER TABLE ${table:t0}${on_cluster} ADD COLUMN IF NOT EXISTS Name String;',
);

let dir: string;
let engine: Awaited<ReturnType<typeof startEngine>>;
beforeEach(async () => {
  dir = scratchDir();
  engine = await startEngine(dir, { timing: { backOffMinMs: 50 } });
});
afterEach(async () => {
  await engine.stop();
  rmSync(dir, { recursive: true, force: true });
});

const count = async (client: ClickHouseClient, sql: string): Promise<number> => {
  const rows = await (await client.query({ query: sql, format: 'JSONEachRow' })).json<{ n: number }>();
  return rows[0]?.n ?? -1;
};
const tables = (client: ClickHouseClient): Promise<number> =>
  count(client, `SELECT count() AS n FROM system.tables WHERE database = 'm' AND name LIKE 't%'`);

describe('migrations', () => {
  it('go forward, each statement once', async () => {
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST] });
    expect(await tables(engine.client)).toBe(12);
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST, SECOND] });
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST, SECOND] });
    expect(await count(engine.client, 'SELECT count() AS n FROM m.schema_migrations')).toBe(13);
    expect(
      await count(
        engine.client,
        `SELECT count() AS n FROM system.columns WHERE database = 'm' AND table = 't0'`,
      ),
    ).toBe(2);
  });

  it.each([20, 60, 120])('go on after the engine was killed %i ms into them', async (afterMs) => {
    const outcome = migrate(engine.client, { ...OPTIONS, migrations: [FIRST, SECOND] }).catch(
      (thrown: unknown) => thrown,
    );
    await new Promise((next) => setTimeout(next, afterMs));
    const { pid } = engine.supervisor;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await outcome;
    await waitReady();
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST, SECOND] });
    expect(await tables(engine.client)).toBe(12);
    expect(await count(engine.client, 'SELECT uniqExact(Version, Step) AS n FROM m.schema_migrations')).toBe(
      13,
    );
  });

  it('are made once by two processes that open a database together', async () => {
    let turns: Promise<unknown> = Promise.resolve();
    const names: string[] = [];
    const alone: Alone = (name, work) => {
      names.push(name);
      const turn = turns.then(work);
      turns = turn.catch(() => undefined);
      return turn;
    };
    const options = { ...OPTIONS, where: 'here', alone, migrations: [FIRST, SECOND] };
    await Promise.all([migrate(engine.client, options), migrate(engine.client, options)]);
    expect(await count(engine.client, 'SELECT count() AS n FROM m.schema_migrations')).toBe(13);
    expect(names).toEqual(['migrate here m', 'migrate here m']);
    // Who finds nothing to do waits for nobody, not for one that hangs either.
    turns = new Promise(() => {});
    await migrate(engine.client, options);
  });

  it('are told by a server, now and then, that a long statement goes on', async () => {
    const asked: URL[] = [];
    const server = createServer((req, res) => {
      asked.push(new URL(req.url ?? '/', 'http://server'));
      req.resume().once('end', () => res.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ url: `http://127.0.0.1:${port}`, database: 'm' }, 'default', 'patient');
    try {
      const filled = migration(1, 'filled', `${FIRST.template}\n\${backfill:span_counts}`);
      await migrate(client, { ...OPTIONS, storage: 'server', migrations: [filled] });
    } finally {
      await client.close();
      server.close();
    }
    const patient = asked.filter(
      ({ searchParams }) =>
        searchParams.get('send_progress_in_http_headers') === '1' &&
        Number(searchParams.get('http_headers_progress_interval_ms')) <= 60_000 &&
        searchParams.get('max_execution_time') === '0',
    );
    // Two for the history, one for each table, emptying the rollup, and looking for what it is filled from and whether that is weighed.
    expect(patient.length).toBe(2 + 12 + 3);
  });

  it('go on where the record stops', async () => {
    const broken = migration(
      1,
      'first',
      `${FIRST.template}\nCREATE TABLE \${table:bad} (Id Nope) ENGINE = Memory;`,
    );
    const server = { ...OPTIONS, storage: 'server' } as const;
    await expect(migrate(engine.client, { ...server, migrations: [broken] })).rejects.toThrow(/Nope/);
    expect(await tables(engine.client)).toBe(12);
    await engine.client.command({ query: 'DROP TABLE m.t3' });
    const repaired = migration(
      1,
      'first',
      `${FIRST.template}\nCREATE TABLE IF NOT EXISTS \${table:good} (Id UInt8) ENGINE = Memory;`,
    );
    await migrate(engine.client, { ...server, migrations: [repaired] });
    // Steps recorded as done are not repeated: t3 stays away.
    expect(await tables(engine.client)).toBe(11);
  });

  it('make a new database of the built-in engine once more where that was cut off, unless it holds something', async () => {
    const broken = migration(
      1,
      'first',
      `${FIRST.template}\nCREATE TABLE \${table:told} (Id UInt64) ENGINE = MergeTree ORDER BY Id;\nCREATE TABLE \${table:bad} (Id Nope) ENGINE = Memory;`,
    );
    const cutOff = () =>
      expect(migrate(engine.client, { ...OPTIONS, migrations: [broken] })).rejects.toThrow(/Nope/);
    const recorded = () => count(engine.client, 'SELECT count() AS n FROM m.schema_migrations');
    await cutOff();
    expect([await tables(engine.client), await recorded()]).toEqual([13, 0]);
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST, SECOND] });
    expect([await tables(engine.client), await recorded()]).toEqual([12, 13]);

    // Somebody lost the record; what they have they keep.
    await engine.client.command({ query: 'INSERT INTO m.t5 VALUES (7)' });
    await engine.client.command({ query: 'TRUNCATE TABLE m.schema_migrations' });
    for (const kept of ['INSERT INTO m.t5 VALUES (8)', 'ALTER TABLE m.t5 DETACH PARTITION tuple()']) {
      await engine.client.command({ query: kept });
      await engine.client.command({ query: 'TRUNCATE TABLE m.schema_migrations' });
      await migrate(engine.client, { ...OPTIONS, migrations: [FIRST, SECOND] });
      expect([await tables(engine.client), await recorded()]).toEqual([12, 13]);
    }
    await engine.client.command({ query: 'ALTER TABLE m.t5 ATTACH PARTITION tuple()' });
    expect(await count(engine.client, 'SELECT sum(Id) AS n FROM m.t5')).toBe(15);
  });

  it('refuse a database newer than the program', async () => {
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST, SECOND] });
    const older = migrate(engine.client, { ...OPTIONS, migrations: [FIRST] });
    await expect(older).rejects.toThrow(MigrationError);
    await expect(older).rejects.toThrow(/newer version.*migration 2 \(second\).*knows 1/);
  });

  it('refuse a migration whose text changed', async () => {
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST] });
    const changed = { ...FIRST, checksum: 'other' };
    await expect(migrate(engine.client, { ...OPTIONS, migrations: [changed] })).rejects.toThrow(
      /Migration 1 \(first\).*differs/,
    );
  });

  it.each([
    { database: 'm', cluster: undefined, storage: 'embedded' },
    { database: 'm', cluster: undefined, storage: 'server' },
    { database: 'telemetry', cluster: 'main', storage: 'server' },
  ] as const)('of the program parse in the engine: %o', async (target) => {
    for (const { template } of loadMigrations()) {
      for (const statement of renderMigration(template, target)) {
        if (backfilled(statement) !== undefined) continue;
        const result = await engine.client.query({
          query: 'SELECT formatQuery({sql:String}) AS formatted',
          query_params: { sql: statement },
          format: 'JSONEachRow',
        });
        const [row] = await result.json<{ formatted: string }>();
        expect(row?.formatted).toMatch(/^(?:CREATE|ALTER TABLE|DROP TABLE|INSERT INTO|TRUNCATE) /);
      }
    }
  });
});

describe('a store of the thirty migrations before the baseline', () => {
  const { version: baseline = 0 } = loadMigrations()[0] ?? {};

  /** The tables as that program made them, with its history. */
  async function makeOld(newest: number): Promise<void> {
    const sql = readFileSync(new URL('./fixtures/schema-30.sql', import.meta.url), 'utf8');
    await migrate(engine.client, { ...OPTIONS, migrations: [] });
    for (const query of renderMigration(sql, { database: 'm', cluster: undefined, storage: 'embedded' }))
      await engine.client.command({ query });
    await engine.client.command({
      query: `INSERT INTO m.schema_migrations (Version, Step, Name, Checksum) SELECT number + 1, 1, 'old', 'old' FROM numbers(${newest})`,
    });
  }
  const made = async (): Promise<Record<string, string>> => {
    const result = await engine.client.query({
      query: `SELECT name, create_table_query AS sql FROM system.tables WHERE database = 'm'`,
      format: 'JSONEachRow',
    });
    const rows = await result.json<{ name: string; sql: string }>();
    return Object.fromEntries(rows.map(({ name, sql }) => [name, sql]));
  };

  it('opens, keeps every row and has the tables that a new one has', { timeout: 240_000 }, async () => {
    await makeOld(30);
    const there = await engine.client.query({
      query: `SELECT concat(table, '.', name) AS column FROM system.columns WHERE database = 'm'`,
      format: 'JSONEachRow',
    });
    const known = new Set((await there.json<{ column: string }>()).map(({ column }) => column));
    const old = new Map<string, number>();
    for (const { name, columns: all } of [...TABLES, ...ROLLUPS]) {
      // What came with later migrations is not in it.
      const columns = all.filter((column) => known.has(`${name}.${column.name}`));
      if (columns.length === 0) continue;
      const list = columns.map((column) => `\`${column.name}\``).join(', ');
      // Rows that arrived just now: retention takes others.
      const values = columns.map(({ name: of, type }) =>
        of === 'ReceivedAt'
          ? 'now64(3)'
          : of === 'ReceivedDay'
            ? 'today()'
            : of.includes('.')
              ? `CAST([], '${type}')`
              : `defaultValueOfTypeName('${type.replaceAll("'", "\\'")}')`,
      );
      await engine.client.command({
        query: `INSERT INTO m.${name} (${list}) SELECT ${values.join(', ')} FROM numbers(100)`,
        clickhouse_settings: { optimize_on_insert: 0 },
      });
      old.set(name, await count(engine.client, `SELECT count() AS n FROM m.${name}`));
    }
    await migrate(engine.client, OPTIONS);
    for (const name of old.keys())
      expect(await count(engine.client, `SELECT count() AS n FROM m.${name}`), name).toBe(old.get(name));
    expect(Math.min(...old.values())).toBeGreaterThan(0);
    const before = await made();
    await engine.client.command({ query: 'DROP DATABASE m SYNC' });
    await migrate(engine.client, OPTIONS);
    expect(await made()).toEqual(before);
  });

  it('is refused where it had not come to the last of them', async () => {
    await migrate(engine.client, { ...OPTIONS, migrations: [] });
    await engine.client.command({
      query: `INSERT INTO m.schema_migrations (Version, Step, Name, Checksum) VALUES (29, 1, 'old', 'old')`,
    });
    await expect(migrate(engine.client, OPTIONS)).rejects.toThrow(
      new RegExp(`too old: it has migration 29 and needs ${baseline - 1}`),
    );
  });
});

async function waitReady(): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (engine.supervisor.state === 'ready' && engine.supervisor.restarts > 0) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error('The engine did not come back');
}
