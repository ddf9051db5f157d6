import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { spansIn, withData } from '../lib/loaded.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';

const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const WIDGETS = 20;
const ROUNDS = 5;
const HOURS = 29 * 24;

interface Widget {
  readonly id: string;
  readonly title: string;
  readonly query: { readonly kind: string; readonly body?: Readonly<Record<string, unknown>> };
}
interface Around {
  readonly from: string;
  readonly to: string;
}
type Call = (method: string, path: string, body?: object) => Promise<Response>;

/** A seeded board over spans: until its first card and its last; and whether it equals the API. */
export const boards: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        spans: { type: 'string', default: '10000000' },
        data: { type: 'string' },
      },
    });
    const spans = Number(values.spans);
    return withData(values.data, async (dataDir) => {
      await spansIn(dataDir, spans, HOURS);
      const platform = await startPlatform({
        dataDir,
        env: { PLATFORM_BOOTSTRAP_API_KEY: KEY, PLATFORM_RATE_LIMIT: '1000000' },
      });
      const call: Call = async (method, path, body) => {
        const answer = await fetch(`${platform.http}${path}`, {
          method,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
        return answer;
      };
      const around = {
        from: new Date(Date.now() - 30 * 86_400_000).toISOString(),
        to: new Date().toISOString(),
      };
      const { figures, slowest } = await boardFigures(call, around);
      await platform.stop();
      return {
        bench: 'boards',
        command: `npm run bench -- boards --spans ${values.spans}`,
        figures,
        notes: [
          `The seeded board LLM over 30 days of ${thousands(spans)} spans; the slowest of ${ROUNDS} rounds, each with another end of the window.`,
          `What took longest in a round: ${slowest}.`,
        ],
      };
    });
  },
};

async function boardFigures(call: Call, around: Around): Promise<{ figures: Figure[]; slowest: string }> {
  const { data } = (await (await call('GET', '/api/boards/seed:llm')).json()) as {
    data: { widgets: Widget[] };
  };
  // Texts ask nothing.
  const widgets = data.widgets.filter(({ query }) => query.kind !== 'markdown').slice(0, WIDGETS);
  let [first, all] = [0, 0];
  const took = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    // Another end: an answer that is kept for equal questions is none of ours.
    const to = new Date(Date.parse(around.to) - round * 1_000).toISOString();
    const asked = { ...around, to, widgets: widgets.map(({ id }) => id) };
    const begin = performance.now();
    let firstAt: number | undefined;
    for await (const { event, data: told } of eventsOf(
      await call('POST', '/api/boards/seed:llm/data', asked),
    )) {
      if (event === 'failed') throw new Error(`The widget ${told.id} failed: ${told.err}`);
      if (event !== 'widget') continue;
      firstAt ??= performance.now() - begin;
      took.set(told.id, Math.max(took.get(told.id) ?? 0, told.elapsedMs));
    }
    first = Math.max(first, firstAt ?? Number.POSITIVE_INFINITY);
    all = Math.max(all, performance.now() - begin);
  }
  if (took.size !== widgets.length)
    throw new Error(`${widgets.length - took.size} widgets were not answered.`);
  const differ = await differing(call, widgets, around);
  const figures = [
    {
      what: `board of ${widgets.length} widgets: first card`,
      value: `${thousands(first)} ms`,
      against: 'goal 300 ms',
    },
    { what: 'board: all cards', value: `${thousands(all)} ms`, against: 'goal 1,000 ms' },
    {
      what: 'widgets whose figures differ from the aggregate API',
      value: differ.length === 0 ? '0' : `${differ.length}: ${differ.join(', ')}`,
      against: 'goal 0',
    },
  ];
  const slowest = [...took]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, 4)
    .map(([id, ms]) => `${data.widgets.find((one) => one.id === id)?.title ?? id} ${thousands(ms)} ms`);
  return { figures, slowest: slowest.join(', ') };
}

interface Told {
  readonly id: string;
  readonly err: string;
  readonly elapsedMs: number;
}

/** Server-sent events as they come in. */
async function* eventsOf(answer: Response): AsyncGenerator<{ event: string; data: Told }> {
  let text = '';
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const of = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = of('event');
      if (event !== undefined) yield { event, data: JSON.parse(of('data') ?? '{}') as Told };
    }
  }
}

/** Widgets whose rows are not those that the route itself answers. */
async function differing(call: Call, widgets: readonly Widget[], around: Around): Promise<string[]> {
  const found: string[] = [];
  for (const { query, title } of widgets) {
    if (query.kind !== 'aggregate') continue;
    const panel = { query, visual: { type: 'table' } };
    const asked = (await (await call('POST', '/api/panels/query', { ...around, panel })).json()) as {
      data: { columns: { kind: string }[]; rows: unknown[][] };
    };
    const route = (await (
      await call('POST', '/api/telemetry/aggregate', { ...query.body, ...around, comparePrevious: false })
    ).json()) as { data: { rows: { values: unknown[] }[] } };
    const numbers = asked.data.columns.flatMap(({ kind }, at) => (kind === 'number' ? [at] : []));
    const shown = asked.data.rows.map((row) => numbers.map((at) => row[at]));
    if (
      !alike(
        shown,
        route.data.rows.map(({ values }) => values),
      )
    )
      found.push(title);
  }
  return found;
}

/** Equal but for the order in which an engine of several threads adds up fractions. */
const alike = (a: readonly unknown[][], b: readonly unknown[][]): boolean =>
  a.length === b.length &&
  a.every((row, y) =>
    row.every((value, x) => {
      const other = b[y]?.[x];
      if (typeof value !== 'number' || typeof other !== 'number') return value === other;
      return Math.abs(value - other) <= 1e-12 * Math.max(Math.abs(value), Math.abs(other));
    }),
  );
