import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import { drained } from '../ingest/drained.ts';
import type { Bench } from '../lib/bench.ts';
import { cpuSeconds, family } from '../lib/proc.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';
import { fill } from '../load.ts';

const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const WIDGETS = 20;
const ROUNDS = 5;

interface Widget {
  readonly id: string;
  readonly query: { readonly kind: string; readonly body?: Readonly<Record<string, unknown>> };
}
interface Around {
  readonly from: string;
  readonly to: string;
}
type Call = (method: string, path: string, body?: object) => Promise<Response>;

/** A seeded board over spans: until its first widget and its last; whether it equals the API; and what alerts cost. */
export const boards: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        spans: { type: 'string', default: '10000000' },
        alerts: { type: 'string', default: '1000' },
        minutes: { type: 'string', default: '5' },
      },
    });
    const [spans, alerts, minutes] = [values.spans, values.alerts, values.minutes].map(Number);
    return withTempDir(async (dataDir) => {
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
      await fill({
        endpoint: platform.otlpHttp,
        items: spans ?? 0,
        spreadMs: 29 * 86_400_000,
        connections: 8,
        key: KEY,
      });
      await drained(platform);
      await sleep(10_000);
      const around = {
        from: new Date(Date.now() - 30 * 86_400_000).toISOString(),
        to: new Date().toISOString(),
      };
      const figures = [
        ...(await boardFigures(call, around)),
        ...(await alertFigures(call, platform.pid, alerts ?? 0, minutes ?? 0)),
      ];
      await platform.stop();
      return {
        bench: 'boards',
        command: `npm run bench -- boards --spans ${values.spans} --alerts ${values.alerts}`,
        figures,
        notes: [
          `The seeded board LLM over 30 days of ${thousands(spans ?? 0)} spans; the slowest of ${ROUNDS} rounds, each with another end of the window.`,
        ],
      };
    });
  },
};

async function boardFigures(call: Call, around: Around): Promise<Figure[]> {
  const { data } = (await (await call('GET', '/api/boards/seed:llm')).json()) as {
    data: { widgets: Widget[] };
  };
  const widgets = data.widgets.slice(0, WIDGETS);
  const ids = widgets.map(({ id }) => id);
  let [first, all] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Another end: an answer that is kept for equal questions is none of ours.
    const to = new Date(Date.parse(around.to) - round * 1_000).toISOString();
    const begin = performance.now();
    const answer = await call('POST', '/api/boards/seed:llm/data', { ...around, to, widgets: ids });
    const reader = answer.body?.getReader();
    let firstAt: number | undefined;
    for (let step = await reader?.read(); step?.done === false; step = await reader?.read())
      firstAt ??= performance.now() - begin;
    first = Math.max(first, firstAt ?? 0);
    all = Math.max(all, performance.now() - begin);
  }
  return [
    {
      what: `board of ${widgets.length} widgets: first widget`,
      value: `${thousands(first)} ms`,
      against: 'goal 300 ms',
    },
    { what: 'board: all widgets', value: `${thousands(all)} ms`, against: 'goal 1,000 ms' },
    {
      what: 'widgets whose figures differ from the aggregate API',
      value: String(await differing(call, widgets, around)),
      against: 'goal 0',
    },
  ];
}

/** Widgets whose rows are not those that the route itself answers. */
async function differing(call: Call, widgets: readonly Widget[], around: Around): Promise<number> {
  let count = 0;
  for (const { query } of widgets) {
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
    if (JSON.stringify(shown) !== JSON.stringify(route.data.rows.map((row) => row.values))) count += 1;
  }
  return count;
}

/** What evaluating alerts takes of a core: that of a rest is taken away. */
async function alertFigures(call: Call, pid: number, alerts: number, minutes: number): Promise<Figure[]> {
  if (alerts === 0) return [];
  const used = () => family(pid).reduce((sum, one) => sum + cpuSeconds(one.pid), 0);
  const during = async (): Promise<number> => {
    const [at, before] = [performance.now(), used()];
    await sleep(minutes * 60_000);
    return (used() - before) / ((performance.now() - at) / 1_000);
  };
  const rest = await during();
  for (let n = 0; n < alerts; n += 1) {
    await call('POST', '/api/alerts', {
      name: `Errors ${n}`,
      source: {
        kind: 'threshold',
        windowSeconds: 300,
        query: {
          kind: 'aggregate',
          body: { measures: ['errors'], groupBy: ['model'], q: `duration>${n}ms` },
        },
        condition: { op: '>', value: 1_000_000 },
      },
    });
  }
  const busy = await during();
  return [
    {
      what: `${thousands(alerts)} alerts a minute, by model`,
      value: `${thousands((busy - rest) * 100)} % of a core`,
      against: `goal 30 %; ${thousands(rest * 100)} % at rest`,
    },
  ];
}
