import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@candela/kernel';
import { openTelemetryStore } from '@candela/telemetry-store';
import { newStoreIn } from '@candela/telemetry-store/testing';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let dataDir: string;
let platform: PlatformProcess;
/** Milliseconds of processor time of one such read to its end. */
let whole = 0;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'candela-leaves-'));
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir: newStoreIn(join(dataDir, 'telemetry')),
    logger: silentLogger,
  });
  // Long messages that compress to nothing: quickly stored, slow to search for a part of a word.
  await store.command(`INSERT INTO otel_traces (ProjectId, Environment, TraceId, SpanId, SpanName, ServiceName, SessionId, UserId, ContentAttributes, Timestamp, ReceivedAt, RetentionDays)
SELECT 'default', 'production', leftPad(hex(number), 32, '0'), leftPad(hex(number), 16, '0'), 'chat', 'shop', 's', 'u',
  map('gen_ai.prompt', repeat('é', 6000)), now64(9) - toIntervalMinute(30), now64(3), 30 FROM numbers(80000)
  SETTINGS max_block_size = 8192, min_insert_block_size_rows = 8192, max_insert_threads = 1`);
  // Histograms of many buckets.
  await store.command(`INSERT INTO otel_metrics_exponential_histogram (ProjectId, Environment, MetricName, MetricUnit, ServiceName, TimeUnix, StartTimeUnix, Count, Sum, Scale, PositiveBucketCounts, AggregationTemporality, ReceivedAt, RetentionDays)
SELECT 'default', 'production', 'work', 's', 'shop', now64(9) - toIntervalMillisecond(number * 12) AS T, T - toIntervalMillisecond(12),
  2000, 1, 3, range(2000), 1, now64(3), 30 FROM numbers(120000)
  SETTINGS max_block_size = 8192, min_insert_block_size_rows = 8192, max_insert_threads = 1`);
  await store.command(`INSERT INTO metric_series (ProjectId, Environment, ReceivedDay, RetentionDays, MetricName, Kind, MetricUnit, Temporality, Monotonic, ServiceName, SeriesId, ResourceAttributes, FirstNs, LastNs, Points)
SELECT 'default', 'production', today(), 30, Name, Kind, 's', 1, 1, 'shop', 1, map('host.name', 'one'),
  toUnixTimestamp64Nano(now64(9)) - 3000000000000, toUnixTimestamp64Nano(now64(9)), 250000
FROM values('Name String, Kind String', ('work', 'exponential_histogram'), ('system.memory.usage', 'gauge'))`);
  await store.command(`INSERT INTO metric_series (ProjectId, Environment, ReceivedDay, RetentionDays, MetricName, Kind, ServiceName, SeriesId, Attributes, ResourceAttributes, FirstNs, LastNs)
SELECT 'default', 'production', today(), 30, 'hw.gpu.memory.limit', 'gauge', 'shop', 2, map('hw.id', 'g1'), map('host.name', 'one'),
  toUnixTimestamp64Nano(now64(9)) - 3000000000000, toUnixTimestamp64Nano(now64(9))`);
  // Counters of a host that never stand still, and its model calls with many durations.
  await store.command(`INSERT INTO host_points (ProjectId, Environment, ReceivedDay, RetentionDays, MetricName, TimeUnix, Host, Device, Part, Series, Kind, Value)
SELECT 'default', 'production', today(), 30, Name, now64(9) - toIntervalMillisecond(number % 3000000) AS T, 'one', 'g1', 'read', number % 200000, 1, number
FROM numbers(1500000) ARRAY JOIN ['hw.errors', 'system.disk.io'] AS Name`);
  await store.command(`INSERT INTO host_calls (ProjectId, Environment, ReceivedDay, RetentionDays, Bucket, Host, ServiceName, GenAiProvider, Model, Calls, Durations)
SELECT 'default', 'production', today(), 30, now() - number % 3000, 'one', 'shop', 'openai', toString(intDiv(number, 3000)), 300,
  (arrayMap(i -> toUInt16(i), range(300)), arrayResize(emptyArrayUInt64(), 300, 1))
FROM numbers(80000) SETTINGS max_block_size = 8192`);
  // Else the platform does it after half a minute, and what the engine works then is not told from what it is asked.
  for (const table of ['otel_traces', 'otel_metrics_exponential_histogram', 'host_points', 'host_calls']) {
    await store.command(`OPTIMIZE TABLE ${table} FINAL`);
  }
  await store.close();
  platform = await startPlatform({ dataDir, env: { PLATFORM_QUERY_MAX_MEMORY: '3GiB' } });
}, 180_000);
afterAll(async () => {
  await platform.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Milliseconds of processor time that the engine has used. */
function engineMs(): number {
  const fields = readFileSync(`/proc/${platform.enginePid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const T = '/api/telemetry';
/** Nothing fulfils these, and nobody can tell without reading every message. */
const filter = { field: 'prompt', op: 'contains', value: 'nowhere in it' };
const q = 'prompt:/nowhere in it/';
const window = { from: '-1h' };
const post = (path: string, body: object) => ({ path: `${T}${path}`, body: { ...window, ...body } });
const get = (path: string, more: Readonly<Record<string, string>> = {}) => ({
  path: `${T}${path}?${new URLSearchParams({ ...window, q, ...more })}`,
  body: undefined,
});

/** Every route that can be given long work by what it is asked. */
const HEAVY = [
  post('/spans/search', { filter }),
  post('/traces/search', { filter }),
  post('/traces/search', { filter, sort: '-duration' }),
  post('/aggregate', { filter, measures: ['count'], bucketSeconds: 'auto' }),
  post('/facets', { filter }),
  post('/spans/durations', { filter, bucketSeconds: 60 }),
  post('/compare', { signal: 'spans', filter, selection: 'status:error' }),
  post('/export', { signal: 'spans', format: 'csv', filter }),
  get('/sessions'),
  get('/users'),
  get('/fields'),
  get('/fields/values', { field: 'service' }),
  {
    path: `${T}/tail?${new URLSearchParams({ q, since: new Date(Date.now() - 500_000).toISOString() })}`,
    body: undefined,
  },
];

const of = (path: string, more: Readonly<Record<string, string>> = {}) => ({
  path: `${T}${path}?${new URLSearchParams({ ...window, ...more })}`,
  body: undefined,
});

/** The same of metrics and hosts, whose points lie elsewhere. */
const HEAVY_POINTS = [
  post('/metrics/query', { metric: 'work' }),
  post('/metrics/heatmap', { metric: 'work' }),
  of('/hosts'),
  of('/hosts/one'),
  of('/hosts/one/series', { charts: 'disk_io' }),
  of('/hosts/one/model-calls'),
  of('/hosts/one/gpus/g1'),
  of('/hosts/one/gpus/g1/series', { charts: 'gpu_errors' }),
];

async function ask({ path, body }: (typeof HEAVY)[number], signal: AbortSignal): Promise<void> {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${platform.http}${path}`, { ...request, signal });
  expect(response.status).toBe(200);
  await response.text();
}

describe('a client that leaves', () => {
  it('would have had the engine at work for long', { timeout: 60_000 }, async () => {
    const before = engineMs();
    const [search] = HEAVY;
    if (search !== undefined) await ask(search, AbortSignal.timeout(30_000));
    whole = engineMs() - before;
    // Long beside the moment at which the clients leave, whatever the machine.
    expect(whole).toBeGreaterThan(500);
  });

  it.each(
    HEAVY.map(
      (heavy) => [`${heavy.path.slice(T.length)} ${JSON.stringify(heavy.body ?? '')}`, heavy] as const,
    ),
  )('takes its query with it: %s', { timeout: 60_000 }, (_, heavy) => leaves(heavy, whole));

  it.each(
    HEAVY_POINTS.map(
      (heavy) => [`${heavy.path.slice(T.length)} ${JSON.stringify(heavy.body ?? '')}`, heavy] as const,
    ),
  )('takes its query of points with it: %s', { timeout: 90_000 }, async (_, heavy) => {
    const before = engineMs();
    await ask(heavy, AbortSignal.timeout(60_000));
    const all = engineMs() - before;
    expect(all).toBeGreaterThan(500);
    await leaves(heavy, all);
  });
});

/** The same of another minute: whoever asks the very same within a second is given the answer of before. */
const anew = ({ path, body }: (typeof HEAVY)[number]) => ({
  path: path.replace('from=-1h', 'from=-61m'),
  body: body === undefined ? undefined : { ...body, from: '-61m' },
});

/** A client that asks and goes: the engine stops long before the work that it takes to the end, `all`, is done. */
async function leaves(heavy: (typeof HEAVY)[number], all: number): Promise<void> {
  const start = engineMs();
  const leave = new AbortController();
  const outcome = ask(anew(heavy), leave.signal).catch((thrown: unknown) => thrown);
  while (engineMs() - start < 200) await sleep(10);
  leave.abort();
  expect(await outcome).toBeInstanceOf(Error);
  // What it works on at that moment it may finish; then it rests. Merges may go on beside it.
  for (let before = engineMs(), now = before; ; before = now) {
    await sleep(500);
    now = engineMs();
    expect(now - start).toBeLessThan(all * 0.95);
    if (now - before < 200) break;
  }
  expect((await fetch(`${platform.http}/api/ready`)).status).toBe(200);
}
