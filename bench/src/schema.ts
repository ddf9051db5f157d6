import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { silentLogger } from '@candela/kernel';
import { openTelemetryStore, type TelemetryStore } from '@candela/telemetry-store';
import { FIRST_SECOND, generateFile, lastSecond, retype, SPANS_PER_FILE } from './schema/generate.ts';
import { createTable, JSON_COLUMNS, JSON_TYPE, type Layout, LAYOUTS } from './schema/layouts.ts';
import { PROBES, type Sample } from './schema/queries.ts';

interface Figures {
  readonly bytesPerSpan: number;
  readonly indexBytesPerSpan: number;
  readonly insertSeconds: number;
  /** CPU of the engine for 20,000 spans: during the inserts, and with the merges after them. */
  readonly insertCpuMs: number;
  readonly totalCpuMs: number;
  readonly parts: number;
  /** Median and 95th percentile of each query, milliseconds. */
  readonly queries: ReadonlyMap<string, readonly [number, number]>;
}

const LONG = { timeoutMs: 600_000 };

/**
 * Compares layouts of the span table: `--spans 5000000 --layouts exporter,trace,time,time-text,time-column,json --dir <scratch>`.
 * Writes a Markdown table to standard output.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      spans: { type: 'string', default: '5000000' },
      layouts: { type: 'string', default: LAYOUTS.map((layout) => layout.name).join(',') },
      dir: { type: 'string' },
    },
  });
  const files = Math.max(1, Math.round(Number(values.spans) / SPANS_PER_FILE));
  const names = values.layouts.split(',');
  const layouts = LAYOUTS.filter((layout) => names.includes(layout.name));
  const scratch = values.dir ?? mkdtempSync(join(tmpdir(), 'candela-schema-'));
  mkdirSync(join(scratch, 'spans'), { recursive: true });
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir: join(scratch, 'data'),
    logger: silentLogger,
  });
  try {
    const bytes = await generate(store, join(scratch, 'spans'), files);
    if (layouts.some(({ json }) => json)) await generateJson(store, join(scratch, 'spans'), files);
    const results = new Map<Layout, Figures>();
    for (const layout of layouts) {
      results.set(layout, await measure(store, layout, join(scratch, 'spans'), files));
      process.stderr.write(`${layout.name} done\n`);
    }
    process.stdout.write(report(results, files * SPANS_PER_FILE, bytes));
  } finally {
    await store.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function generate(store: TelemetryStore, dir: string, files: number): Promise<number> {
  let bytes = 0;
  for (let file = 0; file < files; file += 1) {
    const path = join(dir, `${file}.native`);
    await generateFile(store, path, file * SPANS_PER_FILE);
    bytes += statSync(path).size;
  }
  return bytes;
}

async function generateJson(store: TelemetryStore, dir: string, files: number): Promise<void> {
  for (let file = 0; file < files; file += 1) {
    const path = join(dir, `${file}.native`);
    await retype(store, path, join(dir, `${file}.json.native`), JSON_COLUMNS, JSON_TYPE);
  }
}

async function measure(store: TelemetryStore, layout: Layout, dir: string, files: number): Promise<Figures> {
  const table = `spans_${layout.name.replaceAll('-', '_')}`;
  await store.command(createTable(layout, table));
  const started = performance.now();
  const cpuBefore = cpuMs(store);
  for (let file = 0; file < files; file += 1) {
    await store.insertNative(
      table,
      [readFileSync(join(dir, `${file}${layout.json ? '.json' : ''}.native`))],
      `${table}-${file}`,
    );
  }
  const insertSeconds = (performance.now() - started) / 1_000;
  const insertCpu = cpuMs(store) - cpuBefore;
  await mergesSettled(store);
  const totalCpu = cpuMs(store) - cpuBefore;
  const [size] = await store.select<{ bytes: number; indexes: number; parts: number }>(
    `SELECT sum(bytes_on_disk) / sum(rows) AS bytes, sum(secondary_indices_compressed_bytes) / sum(rows) AS indexes, count() AS parts
FROM system.parts WHERE table = {table:String} AND active AND database = currentDatabase()`,
    { table },
  );
  const queries = new Map<string, readonly [number, number]>();
  const sample = await takeSample(store, layout, table, files * SPANS_PER_FILE);
  for (const [name, probe] of PROBES) {
    const times: number[] = [];
    for (let at = 0; at < probe.runs; at += 1) {
      const begin = performance.now();
      await store.select(
        `${probe.sql(layout, table)} SETTINGS use_query_condition_cache = 0`,
        probe.params(at, sample),
        LONG,
      );
      // The first run pays for the caches that a running platform has warm.
      if (at > 0) times.push(performance.now() - begin);
    }
    times.sort((a, b) => a - b);
    queries.set(name, [quantile(times, 0.5), quantile(times, 0.95)]);
  }
  await store.command(`DROP TABLE ${table} SYNC`);
  return {
    bytesPerSpan: size?.bytes ?? 0,
    indexBytesPerSpan: size?.indexes ?? 0,
    parts: size?.parts ?? 0,
    insertSeconds,
    insertCpuMs: insertCpu / files,
    totalCpuMs: totalCpu / files,
    queries,
  };
}

/** User and system time of the engine's process, milliseconds. */
function cpuMs(store: TelemetryStore): number {
  const fields = readFileSync(`/proc/${store.health().pid}/stat`, 'utf8').split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Waits until nothing has been merging for two seconds, ten minutes at most. */
async function mergesSettled(store: TelemetryStore): Promise<void> {
  let quiet = 0;
  for (let waited = 0; quiet < 4 && waited < 1_200; waited += 1) {
    await sleep(500);
    const [row] = await store.select<{ running: number }>('SELECT count() AS running FROM system.merges');
    quiet = row?.running === 0 ? quiet + 1 : 0;
  }
}

async function takeSample(
  store: TelemetryStore,
  layout: Layout,
  table: string,
  spans: number,
): Promise<Sample> {
  const rows = await store.select<{ trace: string; session: string; request: string; text: string }>(
    `SELECT TraceId AS trace, SessionId AS session, ${layout.attribute('request.id')} AS request,
  ContentAttributes['gen_ai.output.messages'] AS text
FROM ${table} WHERE cityHash64(SpanId) % {every:UInt64} = 0 LIMIT 400`,
    { every: Math.max(1, Math.floor(spans / 400)) },
    LONG,
  );
  const some = (values: readonly string[]): string[] => values.filter((value) => value !== '').slice(0, 60);
  return {
    traceIds: some(rows.map((row) => row.trace)),
    sessionIds: some(rows.map((row) => row.session)),
    requestIds: some(rows.map((row) => row.request)),
    // From the rarest words of the vocabulary, which are its last.
    words: some(rows.flatMap((row) => /"content":"(\w+) (\w+) (\w+)/.exec(row.text)?.slice(1, 4) ?? [])),
    from: FIRST_SECOND,
    to: lastSecond(spans),
  };
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

function report(results: ReadonlyMap<Layout, Figures>, spans: number, bytes: number): string {
  const layouts = [...results.keys()];
  const row = (label: string, value: (figures: Figures) => string): string =>
    `| ${label} | ${layouts.map((layout) => value(results.get(layout) ?? missing())).join(' | ')} |`;
  const model = cpus()[0]?.model ?? 'unknown processor';
  return `${[
    `${spans.toLocaleString('en')} spans, ${Math.round(bytes / spans)} bytes each as Native blocks of ${SPANS_PER_FILE}. ${cpus().length} x ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB. Query times in ms, median / p95, over all of the data.`,
    '',
    ...layouts.map((layout) => `* **${layout.name}**: ${layout.why}. \`ORDER BY ${layout.orderBy}\``),
    '',
    `| | ${layouts.map((layout) => layout.name).join(' | ')} |`,
    `|---|${layouts.map(() => '---:').join('|')}|`,
    row('bytes a span', (f) => f.bytesPerSpan.toFixed(1)),
    row('of these indexes', (f) => f.indexBytesPerSpan.toFixed(1)),
    row('insert, spans/s', (f) => Math.round(spans / f.insertSeconds).toLocaleString('en')),
    row('engine CPU ms per 20,000 spans while inserting', (f) => f.insertCpuMs.toFixed(0)),
    row('the same with all merges', (f) => f.totalCpuMs.toFixed(0)),
    row('parts after merging', (f) => f.parts.toFixed(0)),
    ...[...PROBES.keys()].map((name) =>
      row(name, (f) => (f.queries.get(name) ?? [0, 0]).map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' / ')),
    ),
  ].join('\n')}\n`;
}

function missing(): never {
  throw new Error('A layout was not measured');
}
