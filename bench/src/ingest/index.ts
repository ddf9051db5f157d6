import { parseArgs } from 'node:util';
import type { TelemetryStore } from '@candela/telemetry-store';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { cpuSeconds } from '../lib/proc.ts';
import { type MergedSize, mergedSize, openStoreOf } from '../lib/store.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';
import { type Ceiling, fsyncCeiling, mergedBytesPerSpan, nativeCeiling, prepareBlocks } from './ceilings.ts';
import { LoadClient } from './client.ts';
import { drained } from './drained.ts';
import type { PhaseResult } from './protocol.ts';

const GOAL_SPANS_PER_SECOND = 80_000;
const GOAL_P99_MS = 250;
const GOAL_BYTES_PER_SPAN = 120;
/** Enough for parts of the size that a running system merges to. */
const UNRELATED_BATCHES = 600;

interface Cpu {
  readonly server: number;
  readonly engine: number;
  readonly client: number;
}

interface Load {
  readonly seconds: number;
  readonly halfSeconds: number;
  readonly connections: number;
  readonly halfRate: number;
  /** Requests that the client prepares. */
  readonly batches: number;
  readonly nodeArgs: readonly string[];
}

interface Run {
  readonly full: PhaseResult;
  /** Seconds from the first request until everything acknowledged was in the store. */
  readonly storedAfterSeconds: number;
  readonly cpu: Cpu;
  readonly half: PhaseResult;
  readonly acknowledged: number;
}

interface Stored extends MergedSize {
  readonly spans: number;
  readonly distinctSpans: number;
}

async function drive(
  platform: PlatformProcess,
  client: LoadClient,
  options: Pick<Load, 'seconds' | 'halfSeconds' | 'connections' | 'halfRate'>,
): Promise<Run> {
  const endpoint = platform.otlpHttp;
  const { connections } = options;
  const warmUp = await client.run({ endpoint, connections, seconds: 3, seed: 11 });
  await drained(platform);

  const processes = () => ({
    server: cpuSeconds(platform.pid),
    engine: cpuSeconds(platform.enginePid ?? 0),
    client: cpuSeconds(client.pid),
  });
  const before = processes();
  const startedAt = performance.now();
  const full = await client.run({ endpoint, connections, seconds: options.seconds, seed: 22 });
  const after = processes();
  const emptied = await drained(platform);
  const storedAfterSeconds = emptied ? (performance.now() - startedAt) / 1_000 : Number.NaN;
  const share = (name: keyof Cpu) => (after[name] - before[name]) / full.seconds;

  const half = await client.run({
    endpoint,
    connections: 48,
    seconds: options.halfSeconds,
    spansPerSecond: options.halfRate,
    seed: 33,
  });
  await drained(platform);
  return {
    full,
    storedAfterSeconds,
    cpu: { server: share('server'), engine: share('engine'), client: share('client') },
    half,
    acknowledged: warmUp.acknowledgedSpans + full.acknowledgedSpans + half.acknowledgedSpans,
  };
}

async function inspect(store: TelemetryStore): Promise<Stored> {
  const [counts] = await store.select<{ spans: string; distinct: string }>(
    'SELECT count() AS spans, uniqExact(TraceId, SpanId) AS distinct FROM otel_traces',
    {},
    { timeoutMs: 120_000 },
  );
  return {
    spans: Number(counts?.spans ?? 0),
    distinctSpans: Number(counts?.distinct ?? 0),
    ...(await mergedSize(store)),
  };
}

/** What a platform took in, and how it lies in its store. */
interface Filled {
  readonly run: Run;
  readonly stored: Stored;
}

/** Fills a platform in an empty folder. @throws when it refused a request, or does not hold every span exactly once */
async function filled(
  folder: string,
  { batches, nodeArgs, textIndex, ...load }: Load & { readonly textIndex: boolean },
): Promise<Filled> {
  const env = { PLATFORM_TEXT_INDEX: `${textIndex}` };
  const platform = await startPlatform({ dataDir: folder, nodeArgs, env });
  const client = await LoadClient.start(batches);
  const run = await drive(platform, client, load).finally(() => client.stop());
  const exit = await platform.stop(60_000);
  if (exit.code !== 0)
    throw new Error(`The platform ended with code ${exit.code}:\n${platform.output().join('\n')}`);
  const failures = { ...run.full.failures, ...run.half.failures };
  if (Object.keys(failures).length > 0) throw new Error(`Refused requests: ${JSON.stringify(failures)}`);
  const store = await openStoreOf(folder, { textIndex });
  const stored = await inspect(store).finally(() => store.close());
  if (stored.spans !== run.acknowledged || stored.distinctSpans !== run.acknowledged) {
    throw new Error(
      `Acknowledged ${run.acknowledged} spans, stored ${stored.spans} with ${stored.distinctSpans} distinct ids.`,
    );
  }
  return { run, stored };
}

const storedRateOf = ({ full, storedAfterSeconds }: Run): number =>
  full.acknowledgedSpans / storedAfterSeconds;

interface Measured extends Filled {
  /** The same with an index of all words. */
  readonly indexed: Filled;
  /** B/span of texts of which no two calls share any. */
  readonly unrelatedBytesPerSpan: number;
  readonly native: Ceiling;
  readonly fsync: Ceiling;
  readonly halfRate: number;
}

function figuresOf({
  run,
  stored,
  indexed,
  unrelatedBytesPerSpan,
  native,
  fsync,
  halfRate,
}: Measured): Figure[] {
  const rate = run.full.acknowledgedSpans / run.full.seconds;
  const storedRate = storedRateOf(run);
  const cores = (value: number) => `${value.toFixed(2)} cores`;
  return [
    {
      what: 'acknowledged (on disk, synced), full speed',
      value: `${thousands(rate)} spans/s`,
      against: `goal ${thousands(GOAL_SPANS_PER_SECOND)}`,
    },
    {
      what: 'acknowledged and in the store',
      value: `${thousands(storedRate)} spans/s`,
      against: `goal ${thousands(GOAL_SPANS_PER_SECOND)}`,
    },
    {
      what: 'request bodies',
      value: `${thousands(run.full.bytes / run.full.seconds / 1e6)} MB/s`,
      against: `${thousands(run.full.bytes / Math.max(1, run.full.acknowledgedSpans))} B/span on the wire`,
    },
    {
      what: 'answer, full speed, p50 / p99',
      value: `${thousands(run.full.p50, 1)} / ${thousands(run.full.p99, 1)} ms`,
      against: `${run.full.retries} asked to wait`,
    },
    {
      what: `answer at ${thousands(halfRate)} spans/s, p50 / p99 / max`,
      value: `${thousands(run.half.p50, 1)} / ${thousands(run.half.p99, 1)} / ${thousands(run.half.max, 1)} ms`,
      against: `goal p99 ${GOAL_P99_MS} ms; ${run.half.retries} asked to wait`,
    },
    { what: 'CPU of the server', value: cores(run.cpu.server), against: 'of all cores of the machine' },
    { what: 'CPU of the engine host', value: cores(run.cpu.engine), against: '' },
    { what: 'CPU of the client', value: cores(run.cpu.client), against: '' },
    {
      what: 'stored / acknowledged spans',
      value: `${thousands(stored.spans)} / ${thousands(run.acknowledged)}`,
      against: `${thousands(stored.distinctSpans)} distinct ids`,
    },
    {
      what: 'on disk after merging',
      value: `${thousands(stored.bytesPerSpan, 1)} B/span`,
      against: `goal ${GOAL_BYTES_PER_SPAN}; ${thousands(unrelatedBytesPerSpan, 1)} when no two calls share a question`,
    },
    {
      what: 'acknowledged and in the store, with a text index',
      value: `${thousands(storedRateOf(indexed.run))} spans/s`,
      against: `acknowledged ${thousands(indexed.run.full.acknowledgedSpans / indexed.run.full.seconds)}; p99 at ${thousands(halfRate)} spans/s ${thousands(indexed.run.half.p99, 1)} ms`,
    },
    {
      what: 'on disk after merging, with a text index',
      value: `${thousands(indexed.stored.bytesPerSpan, 1)} B/span`,
      against: '',
    },
    {
      what: 'ceiling (a): prepared Native blocks into the engine',
      value: `${thousands(native.spansPerSecond)} spans/s`,
      against: `platform reaches ${thousands((storedRate / native.spansPerSecond) * 100)} %`,
    },
    {
      what: 'ceiling (b): the same blocks appended and synced',
      value: `${thousands(fsync.spansPerSecond)} spans/s`,
      against: `platform reaches ${thousands((rate / fsync.spansPerSecond) * 100)} %`,
    },
  ];
}

export const ingest: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: 'string', default: '40' },
        'half-seconds': { type: 'string', default: '30' },
        connections: { type: 'string', default: '8' },
        'half-rate': { type: 'string', default: '40000' },
        batches: { type: 'string', default: '96' },
        'ceiling-seconds': { type: 'string', default: '15' },
        'node-arg': { type: 'string', multiple: true, default: [] },
      },
    });
    const halfRate = Number(values['half-rate']);
    return withTempDir(async (folder) => {
      const load = {
        seconds: Number(values.seconds),
        halfSeconds: Number(values['half-seconds']),
        connections: Number(values.connections),
        halfRate,
        batches: Number(values.batches),
        nodeArgs: values['node-arg'],
      };
      const { run, stored } = await filled(folder, { ...load, textIndex: false });
      const indexed = await withTempDir((other) => filled(other, { ...load, textIndex: true }));

      const blocks = prepareBlocks(Number(values.batches));
      const seconds = Number(values['ceiling-seconds']);
      const native = await nativeCeiling(folder, blocks, { seconds, batchesPerInsert: 20 });
      const fsync = await fsyncCeiling(folder, blocks, {
        seconds: Math.min(seconds, 10),
        requestsPerSync: 4,
      });
      const unrelatedBytesPerSpan = await mergedBytesPerSpan(folder, UNRELATED_BATCHES, 'unrelated');
      return {
        bench: 'ingest',
        command: `npm run bench -- ingest --seconds ${values.seconds}`,
        figures: figuresOf({ run, stored, indexed, unrelatedBytesPerSpan, native, fsync, halfRate }),
        notes: [
          `HTTP protobuf, batches of 1,000 spans with 11 attributes and 4 resource attributes, ten spans a trace, 40 % of them with 1 kB of messages; every request has fresh ids and times. ${values.connections} connections from another process on the same cores.`,
          `The store holds every acknowledged span exactly once: counted after the run, and the run fails otherwise.`,
          `The text index is off but where the rows say so (PLATFORM_TEXT_INDEX); with it a second platform took in the same.`,
          `Latency at half rate counts from the moment a request was due on a fixed schedule, so a stalled platform cannot hide its stalls.`,
          `Ceilings were measured after the platform had stopped, with the same blocks: (a) 20,000 spans an insert, (b) one fdatasync for four requests.`,
          `Largest columns, B/span: ${stored.columns.map(({ name, bytesPerSpan }) => `${name} ${bytesPerSpan.toFixed(1)}`).join(', ')}.`,
        ],
      };
    });
  },
};
