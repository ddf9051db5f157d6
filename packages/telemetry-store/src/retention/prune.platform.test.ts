import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { DEFAULT_LIMITS } from '@candela/otlp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTelemetryStore } from '../client/open.ts';
import type { TelemetryStore } from '../client/types.ts';
import { encodeRequest } from '../writer/encode/index.ts';
import { eraseUser } from './erase-user.ts';
import { pruneProject } from './prune.ts';
import { newStoreIn } from '../testing/migrated.ts';

const DAY_MS = 86_400_000;
const now = Date.now();
let dir: string;
let store: TelemetryStore;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'candela-prune-'));
  store = await openTelemetryStore({ kind: 'embedded', dataDir: newStoreIn(dir), logger: silentLogger });
});
afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A log record with an exception and a span of that project, arrived so many days ago. */
async function put(projectId: string, daysAgo: number, retentionDays: number): Promise<void> {
  const receivedAtMs = now - daysAgo * DAY_MS;
  const timeUnixNano = `${BigInt(receivedAtMs) * 1_000_000n}`;
  const attributes = [{ key: 'exception.type', value: { stringValue: 'Boom' } }];
  const bodies = {
    logs: { resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano, attributes }] }] }] },
    traces: {
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: 'ab'.repeat(16),
                  spanId: 'cd'.repeat(8),
                  name: 'span',
                  startTimeUnixNano: timeUnixNano,
                  endTimeUnixNano: timeUnixNano,
                },
              ],
            },
          ],
        },
      ],
    },
  };
  for (const signal of ['logs', 'traces'] as const) {
    const body = new TextEncoder().encode(JSON.stringify(bodies[signal]));
    const { blocks } = encodeRequest(signal, 'json', body, {
      projectId,
      environment: 'production',
      defaultEnvironment: 'production',
      receivedAtMs,
      retentionDays,
      limits: DEFAULT_LIMITS,
    });
    const token = `${projectId} ${daysAgo} ${retentionDays} ${signal}`;
    for (const block of blocks) await store.insertNative(block.table, [block.bytes], token);
  }
}

const ages = async (table: string, day: string) =>
  (
    await store.select<{ P: string; A: number }>(
      `SELECT ProjectId AS P, dateDiff('day', ${day}, toDate({today:String})) AS A FROM ${table} ORDER BY P, A`,
      { today: new Date(now).toISOString().slice(0, 10) },
    )
  ).map(({ P, A }) => `${P} ${A}`);

it("a project's older records of a signal go, with what is derived from them; nothing else does", async () => {
  for (const project of ['mine', "other's \\' OR 1"]) {
    for (const daysAgo of [1, 12]) await put(project, daysAgo, 30);
  }
  await put('mine', 6, 7);
  const other = [1, 12].map((age) => `other's \\' OR 1 ${age}`);
  expect(await pruneProject(store, { projectId: 'mine', signal: 'logs', days: 7, now })).toBe(4);
  for (const [table, day] of [
    ['otel_logs', 'toDate(ReceivedAt)'],
    ['log_counts', 'ReceivedDay'],
    ['exceptions', 'ReceivedDay'],
  ] as const) {
    expect(await ages(table, day), table).toEqual(['mine 1', 'mine 6', ...other]);
  }
  expect(await ages('otel_traces', 'toDate(ReceivedAt)')).toHaveLength(5);
  // Done is done, and a longer time brings nothing into question.
  expect(await pruneProject(store, { projectId: 'mine', signal: 'logs', days: 7, now })).toBe(0);
  expect(await pruneProject(store, { projectId: 'mine', signal: 'traces', days: 365, now })).toBe(0);
  // A name is never more than a name.
  const hostile = { projectId: "other's \\' OR 1", signal: 'logs', days: 3, now } as const;
  expect(await pruneProject(store, hostile)).toBe(4);
  expect(await ages('otel_logs', 'toDate(ReceivedAt)')).toEqual(['mine 1', 'mine 6', other[0]]);
}, 300_000);

it('waits for a deletion that takes longer than a request may, and asks for none twice', async () => {
  const late = { projectId: 'late', signal: 'traces', days: 7, now } as const;
  await put('late', 12, 30);
  const patient: string[] = [];
  let asked = 0;
  const watched: Pick<TelemetryStore, 'select' | 'command'> = {
    command: (sql, params) => {
      patient.push(sql);
      return store.command(sql, params, { timeoutMs: 1_000 });
    },
    async select(sql, params, options) {
      // The engine is held up until it has been asked a few times.
      if (sql.includes('system.mutations') && patient.length === 1 && ++asked === 4) {
        await store.command('SYSTEM START MERGES otel_traces');
      }
      return store.select(sql, params, options);
    },
  };
  await store.command('SYSTEM STOP MERGES otel_traces');
  try {
    const rewritten = await pruneProject(watched, late);
    expect(rewritten).toBe(patient.length);
    expect(asked).toBeGreaterThan(3);
  } finally {
    await store.command('SYSTEM START MERGES otel_traces');
  }
  expect((await ages('otel_traces', 'toDate(ReceivedAt)')).filter((row) => row.startsWith('late'))).toEqual(
    [],
  );
  expect(await pruneProject(store, late)).toBe(0);
}, 300_000);

it('goes on after a run that was cut off, without beginning its deletion once more', async () => {
  const cut = { projectId: 'cut', signal: 'traces', days: 7, now } as const;
  await put('cut', 12, 30);
  await store.command('SYSTEM STOP MERGES otel_traces');
  const gone: Pick<TelemetryStore, 'select' | 'command'> = {
    select: (...asks) => store.select(...asks),
    async command(...asks) {
      await store.command(...asks);
      throw new Error('cut off');
    },
  };
  try {
    await expect(pruneProject(gone, cut)).rejects.toThrow('cut off');
  } finally {
    await store.command('SYSTEM START MERGES otel_traces');
  }
  const sent: string[] = [];
  const watched: Pick<TelemetryStore, 'select' | 'command'> = {
    select: (...asks) => store.select(...asks),
    command: (...asks) => {
      sent.push(asks[0]);
      return store.command(...asks);
    },
  };
  await pruneProject(watched, cut);
  expect(sent.filter((sql) => sql.includes('otel_traces'))).toEqual([]);
  expect((await ages('otel_traces', 'toDate(ReceivedAt)')).filter((row) => row.startsWith('cut'))).toEqual(
    [],
  );
}, 300_000);

it("a user's rows go, and of their traces and sessions what names nobody; others' stay", async () => {
  const timeUnixNano = `${BigInt(now) * 1_000_000n}`;
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const user = "ada\\' OR 1=1 --";
  const rows: readonly (readonly [project: string, trace: string, user: string, session: string])[] = [
    ['erased', 'a1', user, 's1'],
    ['erased', 'a1', '', ''],
    ['erased', 'a1', 'bob', ''],
    ['erased', 'a2', '', 's1'],
    ['erased', 'a3', 'bob', 's2'],
    ['erased', 'a4', '', ''],
    ['kept', 'a1', user, 's1'],
  ];
  for (const [index, [projectId, trace, userId, session]] of rows.entries()) {
    const attributes = [
      ...(userId === '' ? [] : [text('user.id', userId)]),
      ...(session === '' ? [] : [text('session.id', session)]),
      text('exception.type', 'Boom'),
    ];
    const traceId = trace.repeat(16);
    const spanId = `ef${index}0`.repeat(4);
    const times = { startTimeUnixNano: timeUnixNano, endTimeUnixNano: timeUnixNano };
    const bodies = {
      traces: {
        resourceSpans: [{ scopeSpans: [{ spans: [{ traceId, spanId, name: 'x', ...times, attributes }] }] }],
      },
      logs: {
        resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano, traceId, spanId, attributes }] }] }],
      },
    };
    for (const signal of ['traces', 'logs'] as const) {
      const body = new TextEncoder().encode(JSON.stringify(bodies[signal]));
      const context = { projectId, environment: 'production', defaultEnvironment: 'production' };
      const { blocks } = encodeRequest(signal, 'json', body, {
        ...context,
        receivedAtMs: now,
        retentionDays: 30,
        limits: DEFAULT_LIMITS,
      });
      for (const block of blocks)
        await store.insertNative(block.table, [block.bytes], `erase ${signal} ${index}`);
    }
  }
  const left = (table: string) =>
    store.select<{ P: string; T: string; U: string }>(
      `SELECT ProjectId AS P, substring(TraceId, 1, 2) AS T, UserId AS U FROM ${table}
       WHERE ProjectId IN ('erased', 'kept') ORDER BY P, T, U`,
    );
  const input = { projectId: 'erased', environment: undefined, userId: user, dryRun: true };
  const counted = await eraseUser(store, input);
  expect(counted).toMatchObject({ traces: 1, sessions: 1, sharedTraces: 1 });
  expect(counted.tables.every(({ before, after }) => before === after)).toBe(true);
  expect(await left('otel_traces')).toHaveLength(7);

  const erased = await eraseUser(store, { ...input, dryRun: false });
  expect(erased.tables.map(({ table }) => table)).toEqual(
    expect.arrayContaining(['otel_traces', 'otel_logs', 'exceptions', 'session_figures']),
  );
  expect(erased.tables.filter(({ after }) => after > 0)).toEqual([]);
  for (const table of ['otel_traces', 'otel_logs', 'exceptions']) {
    expect(await left(table), table).toEqual([
      { P: 'erased', T: 'a1', U: 'bob' },
      { P: 'erased', T: 'a3', U: 'bob' },
      { P: 'erased', T: 'a4', U: '' },
      { P: 'kept', T: 'a1', U: user },
    ]);
  }
  // The sums of a trace that two people share are those of the other's spans.
  const sums = await store.select<{ P: string; T: string; N: number }>(
    `SELECT ProjectId AS P, substring(TraceId, 1, 2) AS T, toUInt32(sum(Spans)) AS N FROM trace_figures
     WHERE ProjectId IN ('erased', 'kept') GROUP BY P, T ORDER BY P, T`,
  );
  expect(sums).toEqual([
    { P: 'erased', T: 'a1', N: 1 },
    { P: 'erased', T: 'a3', N: 1 },
    { P: 'erased', T: 'a4', N: 1 },
    { P: 'kept', T: 'a1', N: 1 },
  ]);
  expect((await eraseUser(store, input)).tables).toEqual([]);
}, 300_000);

it('on a cluster the tables below the distributed ones are deleted from, everywhere, in words that the engine takes', async () => {
  const sent: string[] = [];
  const watched: Pick<TelemetryStore, 'select' | 'command'> = {
    async select(sql, params, options) {
      sent.push(sql);
      // The engine here is no cluster: of its tables it is asked all the same.
      return sql.includes('clusterAllReplicas') ? [] : store.select(sql, params, options);
    },
    command: async (sql) => void sent.push(sql),
  };
  const cluster = 'main-1';
  await put('onCluster', 12, 30);
  await pruneProject(watched, { projectId: 'onCluster', signal: 'traces', days: 7, now, cluster });
  await eraseUser(watched, {
    projectId: 'erased',
    environment: undefined,
    userId: 'bob',
    dryRun: false,
    cluster,
  });
  const changed = sent.filter((sql) => sql.startsWith('ALTER'));
  expect(changed.length).toBeGreaterThan(5);
  for (const sql of changed) expect(sql).toMatch(/^ALTER TABLE \w+_local ON CLUSTER `main-1` DELETE /);
  for (const sql of sent) {
    const [row] = await store.select<{ formatted: string }>('SELECT formatQuery({sql:String}) AS formatted', {
      sql,
    });
    expect(row?.formatted).toMatch(/^(?:SELECT|ALTER|INSERT)/);
  }
}, 300_000);
