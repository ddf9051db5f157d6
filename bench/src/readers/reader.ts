import { Agent, request } from 'node:http';
import { Latencies } from '../lib/latency.ts';
import { sleep } from '../lib/temp.ts';

/** What became of what all readers asked. */
export class Tally {
  readonly answered = new Latencies();
  /** Milliseconds until those that were refused knew it. */
  readonly refused = new Latencies();
  readonly failures = new Map<string, number>();
}

interface Ask {
  readonly path: string;
  readonly body: object;
}

const SPANS_BY_TIME = { bucketSeconds: 60, measures: ['count', 'errors'] };
const FACETS = ['service', 'name', 'model', 'status', 'environment'];

/** What each page asks for at once, of the last hour. */
const PAGES: readonly ((window: { readonly from: number; readonly to: number }) => readonly Ask[])[] = [
  (window) => [
    { path: 'traces/search', body: { ...window, limit: 50, previews: false } },
    { path: 'aggregate', body: { ...window, ...SPANS_BY_TIME } },
    { path: 'facets', body: { ...window, fields: FACETS, limit: 12 } },
  ],
  (window) => [
    { path: 'spans/search', body: { ...window, limit: 50, q: 'service:service-3' } },
    { path: 'aggregate', body: { ...window, ...SPANS_BY_TIME, q: 'service:service-3' } },
    { path: 'facets', body: { ...window, fields: FACETS, limit: 12, q: 'service:service-3' } },
  ],
  (window) => [
    {
      path: 'aggregate',
      body: { ...window, measures: ['duration_p95'], groupBy: ['service'], bucketSeconds: 60 },
    },
    { path: 'aggregate', body: { ...window, measures: ['cost', 'input_tokens'], groupBy: ['model'] } },
    {
      path: 'aggregate',
      body: { ...window, measures: ['count'], groupBy: ['attributes.http.route'], limit: 10 },
    },
    { path: 'aggregate', body: { ...window, ...SPANS_BY_TIME } },
  ],
];

/** A person with an address of their own, who looks at one page after another and rests a while on each. */
export async function look(
  of: { readonly base: string; readonly number: number; readonly pauseMs: number; readonly until: number },
  tally: Tally,
): Promise<void> {
  const { base, number, pauseMs, until } = of;
  const localAddress = `127.0.${1 + (number >> 7)}.${1 + (number & 127)}`;
  const agent = new Agent({ keepAlive: true, localAddress });
  // Not all at once.
  await sleep((number * 7_919) % pauseMs);
  for (let turn = number; performance.now() < until; turn += 1) {
    // As pages write it: the range ends with the second.
    const to = Math.ceil(Date.now() / 1_000) * 1_000;
    const page = PAGES[turn % PAGES.length]?.({ from: to - 3_600_000, to }) ?? [];
    await Promise.all(page.map((ask) => once(base, ask, agent, tally)));
    await sleep(pauseMs);
  }
  agent.destroy();
}

async function once(base: string, { path, body }: Ask, agent: Agent, tally: Tally): Promise<void> {
  const startedAt = performance.now();
  const status = await new Promise<number | string>((resolve) => {
    const asked = request(
      `${base}/api/telemetry/${path}`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (answer) => {
        answer.resume();
        answer.on('close', () => resolve(answer.complete ? (answer.statusCode ?? 0) : 'cut'));
      },
    );
    asked.on('error', (error) => resolve(error.message));
    asked.end(JSON.stringify(body));
  });
  const ms = performance.now() - startedAt;
  if (status === 200) tally.answered.add(ms);
  else if (status === 503 || status === 429) tally.refused.add(ms);
  else tally.failures.set(String(status), (tally.failures.get(String(status)) ?? 0) + 1);
}
