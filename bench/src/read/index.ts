import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import { Api } from '../lib/api.ts';
import type { TelemetryStore } from '@candela/telemetry-store';
import type { Bench } from '../lib/bench.ts';
import { Latencies } from '../lib/latency.ts';
import { loadOnce, mergesDone, withData } from '../lib/loaded.ts';
import { openStoreOf } from '../lib/store.ts';
import { BENCH_SIGNALS } from '../data/batch.ts';
import { BENCH_HOSTS } from '../data/points.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { sleep } from '../lib/temp.ts';
import { measure, put, type Result } from './put.ts';
import type { Question } from './question.ts';
import { QUESTIONS } from './questions.ts';
import { SPANS_PER_SECOND, type WhileSpansComeIn, whileSpansComeIn } from './while-spans-come-in.ts';

/** The least the engine needs, asked directly: what is above it is ours. */
const RAW = [
  {
    name: 'trace by id',
    sql: 'SELECT SpanId, ParentSpanId, SpanName, Timestamp, Duration FROM otel_traces WHERE TraceId = {id:String}',
  },
  {
    name: 'chart: spans and errors over time',
    sql: `SELECT toStartOfInterval(Timestamp, INTERVAL 30 MINUTE) AS t, count(), countIf(StatusCode = 'Error') FROM otel_traces WHERE ProjectId = 'default' AND Timestamp > now() - INTERVAL {hours:UInt32} HOUR GROUP BY t ORDER BY t`,
  },
  {
    name: 'first page of spans by -duration',
    sql: "SELECT Duration, Timestamp FROM otel_traces WHERE ProjectId = 'default' ORDER BY Duration DESC, Timestamp DESC LIMIT 50",
  },
  {
    name: 'chart: p50, p95, p99 over time',
    sql: "SELECT intDiv(toUnixTimestamp(Timestamp), 1800) AS t, quantilesBFloat16(0.5, 0.95, 0.99)(Duration) FROM otel_traces WHERE ProjectId = 'default' GROUP BY t",
  },
  {
    name: 'facets: the panel with a condition on the duration',
    sql: "SELECT ServiceName, count() FROM otel_traces WHERE ProjectId = 'default' AND Duration > 900000000 GROUP BY ServiceName",
  },
] as const;

/** A kept folder may have columns from a run before: what is measured is asked as if for the first time. */
async function forgetColumns(store: TelemetryStore): Promise<void> {
  const columns = await store.select<{ table: string; name: string }>(
    "SELECT table, name FROM system.columns WHERE database = 'candela' AND table IN ('otel_traces', 'otel_logs') AND match(name, '^(Attribute|Resource)_')",
  );
  const filling = async () =>
    (await store.select<{ n: number }>('SELECT count() AS n FROM system.mutations WHERE NOT is_done'))[0]?.n;
  // A run that was ended may have left some half filled, which cannot be dropped.
  while ((await filling()) !== 0) await sleep(500);
  for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
    const drops = own.map(({ name }) => `DROP COLUMN ${name}`).join(', ');
    await store.command(`ALTER TABLE ${table} ${drops} SETTINGS mutations_sync = 1`);
  }
  await store.command('TRUNCATE TABLE attribute_use');
}

/** Makes a loaded store ready to be asked, and says what its text indexes take. */
async function prepare(folder: string, spans: number): Promise<string> {
  const store = await openStoreOf(folder, { textIndex: true });
  const isIndexed = async () => (await store.snapshot?.())?.indexesWords('otel_traces') === true;
  while (spans > 0 && !(await isIndexed())) await sleep(200);
  await forgetColumns(store);
  await mergesDone(store);
  const sizes = await store.select<{ name: string; bytes: number }>(
    `SELECT indexes.table AS name, sum(indexes.data_compressed_bytes) / any(parts.rows) AS bytes FROM system.data_skipping_indices AS indexes
     INNER JOIN (SELECT table, sum(system.parts.rows) AS rows FROM system.parts WHERE active GROUP BY table) AS parts USING (table)
     WHERE startsWith(indexes.name, 'idx_text') GROUP BY indexes.table`,
  );
  await store.close();
  return sizes.map(({ name, bytes }) => `${Number(bytes).toFixed(1)} B a row of ${name}`).join(', ');
}

/** So long after it was asked for once an attribute has its column. */
const FILLING_MS = 20_000;

/** The same question for the first time and, after a while, again and again. */
async function putTwice(question: Question, api: Api): Promise<Result[]> {
  const { name, goalMs } = question;
  const once = async (how: string, ask: () => Promise<string>): Promise<Result> => {
    const latencies = new Latencies();
    const startedAt = performance.now();
    question.check(await ask());
    latencies.add(performance.now() - startedAt);
    return { name: `${name}, for the first time, ${how}`, goalMs, latencies };
  };
  const early = question.askEarly?.bind(question);
  const first = [
    ...(early === undefined ? [] : [await once('estimated', () => early(api))]),
    await once('exact', () => question.ask(api, 0)),
  ];
  await sleep(FILLING_MS);
  return [...first, await put({ ...question, name: `${name}, asked once before` }, api)];
}

/** The questions that are answered from columns: those that ask for one first. */
async function putByColumns(questions: readonly Question[], api: Api): Promise<Result[]> {
  const results: Result[] = [];
  for (const question of questions) {
    if (question.column === 'asked') results.push(...(await putTwice(question, api)));
  }
  for (const question of questions) {
    if (question.column === 'kept') results.push(await put(question, api));
  }
  return results;
}

export const read: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        spans: { type: 'string', default: '10000000' },
        logs: { type: 'string', default: '10000000' },
        points: { type: 'string', default: '20000000' },
        hours: { type: 'string', default: '24' },
        newest: { type: 'string' },
        hosts: { type: 'string', default: String(BENCH_HOSTS) },
        settle: { type: 'string', default: '60' },
        only: { type: 'string', multiple: true },
        data: { type: 'string' },
      },
    });
    const hours = Number(values.hours);
    /** What is asked about: all that was loaded, or the newest hours of it. */
    const asked = values.newest === undefined ? hours + 1 : Number(values.newest);
    return withData(values.data, async (folder) => {
      const env = { PLATFORM_RATE_LIMIT: '1000000' };
      const {
        rates,
        traceIds,
        pointsUntilMs = Date.now(),
      } = await loadOnce({
        folder,
        hours,
        hosts: Number(values.hosts),
        settleMs: Number(values.settle) * 1_000,
        items: { spans: Number(values.spans), logs: Number(values.logs), points: Number(values.points) },
        env,
      });
      const questions = BENCH_SIGNALS.filter((signal) => Number(values[signal]) > 0)
        .flatMap((signal) => QUESTIONS[signal]({ traceIds, hours: asked, pointsUntilMs }))
        .filter(({ name }) => values.only === undefined || values.only.some((part) => name.includes(part)));
      const results: Result[] = [];
      const indexSize = await prepare(folder, Number(values.spans));
      const withoutColumns = { ...env, PLATFORM_ATTRIBUTE_COLUMNS: '0' };
      const platform = await startPlatform({ dataDir: folder, env: withoutColumns });
      const api = new Api(platform.http);
      for (const question of questions) {
        if (question.column === undefined) results.push(await put(question, api));
      }
      await platform.stop();
      if (questions.some(({ column }) => column !== undefined)) {
        const withColumns = await startPlatform({ dataDir: folder, env });
        results.push(...(await putByColumns(questions, new Api(withColumns.http))));
        await withColumns.stop();
      }

      const beside = await whileSpansComeIn({ dataDir: folder, env }, questions);
      const store = await openStoreOf(folder, { textIndex: true });
      const tables = await store.select<{ table: string; parts: number; rows: number; bytes: number }>(
        "SELECT table, count() AS parts, sum(system.parts.rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = 'candela' GROUP BY table HAVING rows > 1000 ORDER BY bytes DESC",
      );
      const raw = new Map<string, Latencies>();
      for (const { name, sql } of RAW) {
        if (!results.some((result) => result.name === name)) continue;
        raw.set(
          name,
          await measure(40, async (turn) => {
            await store.select(sql, { id: traceIds[turn % traceIds.length] ?? '', hours: asked });
          }),
        );
      }
      await store.close();

      return {
        bench: 'read',
        command: `npm run bench -- read --spans ${values.spans} --logs ${values.logs} --points ${values.points}${values.hosts === String(BENCH_HOSTS) ? '' : ` --hosts ${values.hosts}`}${hours === 24 ? '' : ` --hours ${hours}`}${values.newest === undefined ? '' : ` --newest ${values.newest}`}${(values.only ?? []).map((part) => ` --only '${part}'`).join('')}`,
        figures: [
          ...results.map((result) => figureOf(result, raw.get(result.name))),
          ...(beside === undefined ? [] : figuresBeside(beside)),
        ],
        notes: [
          `Loaded through the OTLP receivers over ${hours} hours: ${rates.join(', ')}; the platform was restarted and its merges were done before reading.`,
          `On disk: ${tables.map(({ table, parts, rows, bytes }) => `${table} ${thousands(rows)} rows, ${thousands(bytes / rows, 1)} B each, ${parts} parts`).join('; ')}.`,
          'Through the HTTP API, one question after another, each answer checked; the first four of each are not counted.',
          memoryDuring(results),
          `Of it the text index, which is on by default: ${indexSize === '' ? 'none' : indexSize}.`,
          ...(beside === undefined ? [] : [BESIDE]),
          '"Engine alone" is the least SQL for the question through the store client, without tenancy, shaping and HTTP.',
        ],
      };
    });
  },
};

/** How fast the machine read from memory, which decides how fast a store is read. */
function memoryDuring(results: readonly Result[]): string {
  const latencies = new Latencies();
  for (const { memoryNs } of results) if (memoryNs !== undefined) latencies.add(memoryNs);
  const ns = (share: number) => thousands(latencies.quantile(share));
  return `Before each question the machine was timed, too: a read at random from 128 MiB of its memory took ${ns(0.5)} ns in the median, ${ns(0.05)} to ${ns(0.95)}. Where a p95 is more than a quarter over its goal, its row says what it was then.`;
}

/** A figure within a quarter of its goal is met. */
const MET = 1.25;

function figureOf({ name, goalMs, latencies, memoryNs }: Result, ceiling: Latencies | undefined): Figure {
  if (typeof latencies === 'string') return { what: name, value: 'failed', against: latencies };
  const both = (of: Latencies) => `${thousands(of.quantile(0.5), 1)} / ${thousands(of.quantile(0.95), 1)} ms`;
  return {
    what: `${name}, p50 / p95`,
    value: both(latencies),
    against: [
      `goal ${goalMs} ms`,
      ...(ceiling === undefined ? [] : [`engine alone ${both(ceiling)}`]),
      ...(memoryNs === undefined || latencies.quantile(0.95) <= goalMs * MET
        ? []
        : [`memory ${thousands(memoryNs)} ns`]),
    ].join('; '),
  };
}

const BESIDE =
  'While spans come in on a fixed schedule, with their merges, a copy of the store is asked one question after another, with a quarter of a second between rounds; the first 15 s of a minute are not counted.';

/** Meanwhile the same questions have the same goals. */
function figuresBeside({ questions, ingest }: WhileSpansComeIn): Figure[] {
  const meanwhile = `while ${thousands(SPANS_PER_SECOND)} spans a second come in`;
  const acknowledged = thousands(ingest.acknowledgedSpans / ingest.seconds);
  return [
    ...questions.map(({ name, goalMs, latencies }) =>
      figureOf({ name: `${name}, ${meanwhile}`, goalMs, latencies }, undefined),
    ),
    {
      what: `acknowledging ${meanwhile} and these are asked, p50 / p99`,
      value: `${thousands(ingest.p50, 1)} / ${thousands(ingest.p99, 1)} ms`,
      against: `${acknowledged} a second; ${thousands(ingest.retries)} asked to wait`,
    },
  ];
}
