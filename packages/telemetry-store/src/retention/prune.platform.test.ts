import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { DEFAULT_LIMITS } from '@candela/otlp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTelemetryStore } from '../client/open.ts';
import type { TelemetryStore } from '../client/types.ts';
import { encodeRequest } from '../writer/encode/index.ts';
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
