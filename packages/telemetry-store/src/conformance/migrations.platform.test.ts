import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@candela/kernel';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../client/connect.ts';
import type { Alone } from '../client/types.ts';
import { backfilled } from '../migrations/backfill.ts';
import { droppedEmpty } from '../migrations/drop-empty.ts';
import { loadMigrations, type Migration } from '../migrations/load.ts';
import { migrate, MigrationError } from '../migrations/migrate.ts';
import { renderMigration } from '../migrations/template.ts';
import { ATTRIBUTE_COLUMNS } from '../schema/attribute-columns.ts';
import { eventually, scratchDir, startEngine } from './harness.ts';

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
    // Two for the history, one for each table, emptying the rollup and looking for what it is filled from.
    expect(patient.length).toBe(2 + 12 + 2);
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

  it('make a table anew that has no rows, and no other', async () => {
    const wider = migration(
      2,
      'wider',
      '${drop_empty_table:t0}\n${drop_empty_table:t1}\n${drop_empty_table:t2}\n' +
        [0, 1, 2]
          .map(
            (n) =>
              `CREATE TABLE IF NOT EXISTS \${table:t${n}} (Id UInt64, Name String) ENGINE = \${merge_tree:t${n}} ORDER BY Id;`,
          )
          .join('\n'),
    );
    const wide = () =>
      engine.client
        .query({
          query: `SELECT table FROM system.columns WHERE database = 'm' AND name = 'Name' AND table LIKE 't%' ORDER BY table`,
          format: 'JSONEachRow',
        })
        .then((result) => result.json<{ table: string }>())
        .then((rows) => rows.map(({ table }) => table));
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST] });
    await engine.client.command({ query: 'INSERT INTO m.t1 VALUES (1)' });
    await engine.client.command({ query: 'INSERT INTO m.t2 VALUES (1)' });
    await engine.client.command({ query: 'ALTER TABLE m.t2 DETACH PARTITION tuple()' });
    // As it is after a stop between the two statements.
    await engine.client.command({ query: 'DROP TABLE m.t0 SYNC' });
    await migrate(engine.client, { ...OPTIONS, migrations: [FIRST, wider] });
    expect(await wide()).toEqual(['t0']);
    expect(await count(engine.client, 'SELECT count() AS n FROM m.t1')).toBe(1);
    await engine.client.command({ query: 'ALTER TABLE m.t2 ATTACH PARTITION tuple()' });
    expect(await count(engine.client, 'SELECT count() AS n FROM m.t2')).toBe(1);
    await engine.client.command({ query: 'TRUNCATE TABLE m.t1' });
    // On a server another replica may write into it.
    await migrate(engine.client, {
      ...OPTIONS,
      storage: 'server',
      migrations: [FIRST, wider, { ...wider, version: 3, name: 'on a server' }],
    });
    expect(await wide()).toEqual(['t0']);
    await migrate(engine.client, {
      ...OPTIONS,
      migrations: [
        FIRST,
        wider,
        { ...wider, version: 3, name: 'on a server' },
        { ...wider, version: 4, name: 'again' },
      ],
    });
    expect(await wide()).toEqual(['t0', 't1']);
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
        if (backfilled(statement) !== undefined || droppedEmpty(statement) !== undefined) continue;
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

describe('the columns of attributes', () => {
  const columns = [...ATTRIBUTE_COLUMNS];
  const insert = (token: string, from: number) =>
    engine.client.command({
      query: `INSERT INTO m.otel_traces (ProjectId, Timestamp, ReceivedAt, RetentionDays, TraceId, SpanId, SpanAttributes)
        SELECT 'default', now64(9) - number, now64(3), 30, toString(number), toString(number), map(
          'other', toString(number), ${columns.map(([key]) => `'${key}', concat('${key}', toString(number % 5))`).join(', ')})
        FROM numbers(${from}, 50000) SETTINGS max_insert_threads = 1, min_insert_block_size_rows = 100000`,
      clickhouse_settings: { insert_deduplication_token: token },
    });

  it.each([0, 40, 150, 400])(
    'reach spans stored before, killed %i ms into their migration',
    async (afterMs) => {
      const all = loadMigrations();
      await migrate(engine.client, { ...OPTIONS, migrations: all.slice(0, 9) });
      // Parts of both kinds, as a store has them: files of their own for each column, and one for all.
      await insert('compact', 0);
      await engine.client.command({
        query: 'ALTER TABLE m.otel_traces MODIFY SETTING min_bytes_for_wide_part = 1',
      });
      await insert('wide', 50_000);
      const outcome = migrate(engine.client, { ...OPTIONS, migrations: all }).catch(
        (thrown: unknown) => thrown,
      );
      await new Promise((next) => setTimeout(next, afterMs));
      const { pid } = engine.supervisor;
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await outcome;
      await waitReady();
      await migrate(engine.client, { ...OPTIONS, migrations: all });
      // Right at once, worked out or not.
      const wrong = columns.map(([key, column]) => `${column} != SpanAttributes['${key}']`).join(' OR ');
      const wrongRows = () => count(engine.client, `SELECT countIf(${wrong}) AS n FROM m.otel_traces`);
      expect(await wrongRows()).toBe(0);
      // What an insert was known by before is known still, and what comes next has the columns.
      await insert('wide', 50_000);
      await insert('next', 100_000);
      expect(await count(engine.client, 'SELECT count() AS n FROM m.otel_traces')).toBe(150_000);
      await eventually(
        'every part has the columns',
        async () =>
          (await count(
            engine.client,
            `SELECT countIf(has < ${columns.length}) AS n FROM (
             SELECT name, countIf(column IN (${columns.map(([, column]) => `'${column}'`).join(', ')})) AS has
             FROM system.parts_columns WHERE active AND database = 'm' AND table = 'otel_traces' GROUP BY name)`,
          )) === 0,
        60_000,
      );
      expect(await wrongRows()).toBe(0);
      expect(await count(engine.client, 'SELECT uniqExact(HttpRoute) AS n FROM m.otel_traces')).toBe(5);
      await figuresAreKnown();
    },
    120_000,
  );
});

/** The granules of every part, also of those from before, are passed by where their figures are too low. */
async function figuresAreKnown(): Promise<void> {
  for (const column of ['Duration', 'TotalTokens', 'CostStep']) {
    const query = `EXPLAIN indexes = 1 SELECT SpanId FROM m.otel_traces WHERE ${column} > 5`;
    const plan = async () => (await engine.client.query({ query, format: 'TabSeparated' })).text();
    await eventually(
      `no granule is left by ${column}`,
      async () => /Name: idx_[\s\S]*Granules: 0\//.test(await plan()),
      60_000,
    );
  }
}

async function waitReady(): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (engine.supervisor.state === 'ready' && engine.supervisor.restarts > 0) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error('The engine did not come back');
}
