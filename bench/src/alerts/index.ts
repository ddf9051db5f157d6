import { parseArgs } from 'node:util';
import { startMessageReceiver, startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { cpuSeconds, family } from '../lib/proc.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';

const ADMIN = { email: 'bench@example.com', password: 'a long word for a bench' };
const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const GROUPS = 10;
const INTERVAL_SECONDS = 30;
const DELAY_SECONDS = 10;
/** Between two spans that fail, so that they come at different times of the interval. */
const BETWEEN_MS = 7_300;

type Call = (path: string, body: object) => Promise<unknown>;

/** Alerts by the minute over spans that keep coming: what they take of a core, and how soon a failure is told. */
export const alerts: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        alerts: { type: 'string', default: '1000' },
        minutes: { type: 'string', default: '5' },
        failures: { type: 'string', default: '20' },
      },
    });
    const count = Number(values.alerts);
    const minutes = Number(values.minutes);
    const failures = Number(values.failures);
    return withTempDir(async (dataDir) => {
      const receiver = await startMessageReceiver();
      const platform = await startPlatform({
        dataDir,
        env: {
          PLATFORM_BOOTSTRAP_API_KEY: KEY,
          PLATFORM_RATE_LIMIT: '1000000',
          PLATFORM_ALERT_PRIVATE_RECEIVERS: 'true',
          // Destinations are made by administrators.
          PLATFORM_ADMIN_EMAIL: ADMIN.email,
          PLATFORM_ADMIN_PASSWORD: ADMIN.password,
        },
      });
      const ended = new AbortController();
      try {
        let cookie = '';
        const call: Call = async (path, body) => {
          const answer = await fetch(`${platform.http}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', origin: platform.http, cookie },
            body: JSON.stringify(body),
          });
          for (const set of answer.headers.getSetCookie()) cookie ||= set.split(';', 1)[0] ?? '';
          if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
          return ((await answer.json()) as { data: unknown }).data;
        };
        const put = (model: string, failed: boolean) => send(platform.otlpHttp, model, failed);
        await call('/api/auth/sign-in', ADMIN);
        // Every group has a span every few seconds.
        const flow = keepComing(put, ended.signal);
        const used = (name?: string) =>
          family(platform.pid).reduce(
            (sum, one) => sum + (name === undefined || one.name === name ? cpuSeconds(one.pid) : 0),
            0,
          );
        /** Cores in use: of all processes, and of the server alone. */
        const during = async (): Promise<{ all: number; server: number }> => {
          const [at, all, server] = [performance.now(), used(), used('server')];
          await sleep(minutes * 60_000);
          const seconds = (performance.now() - at) / 1_000;
          return { all: (used() - all) / seconds, server: (used('server') - server) / seconds };
        };
        await sleep(20_000);
        const rest = await during();
        // A project has so many alerts at most, and one of them is for the messages.
        for (let n = 1; n < count; n += 1) await call('/api/alerts', ofModels(n));
        // The first evaluation of each is with the others at the next minute.
        await sleep(70_000);
        const busy = await during();
        const figures: Figure[] = [
          {
            what: `${thousands(count)} alerts of ${GROUPS} groups a minute`,
            value: `${thousands((busy.all - rest.all) * 100)} % of a core`,
            against: `goal 30 %; ${thousands(rest.all * 100)} % without them; ${thousands((busy.server - rest.server) * 100)} % of it is the server's, the rest the engine's`,
          },
        ];
        if (failures > 0) figures.push(await detection(call, put, receiver, failures));
        ended.abort();
        await flow;
        return {
          bench: 'alerts',
          command: `npm run bench -- alerts --alerts ${values.alerts} --minutes ${values.minutes}`,
          figures,
          notes: [
            `Each alert has a filter of its own and ${GROUPS} models as groups; a span of each model comes every two seconds.`,
            `Told: from the end of a span that fails until its message is at a webhook, the longest of ${failures} at different times; evaluated every ${INTERVAL_SECONDS} s, ${DELAY_SECONDS} s of delay, no gathering, beside the other alerts.`,
          ],
        };
      } finally {
        ended.abort();
        await platform.stop();
        await receiver.close();
      }
    });
  },
};

/** The n-th alert: a question that no other asks, a group a model. */
const ofModels = (n: number) => ({
  name: `Slow calls ${n}`,
  intervalSeconds: 60,
  source: {
    kind: 'threshold',
    windowSeconds: 300,
    query: {
      kind: 'aggregate',
      body: { measures: ['count'], groupBy: ['model'], q: `operation:chat duration<${5_000 + n}ms` },
    },
    condition: { op: '>', value: 1_000_000 },
  },
});

async function keepComing(
  put: (model: string, failed: boolean) => Promise<void>,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    for (let group = 0; group < GROUPS; group += 1) await put(`model-${group}`, false);
    await sleep(2_000);
  }
}

/** How long until somebody is told that a call failed, the longest of several. */
async function detection(
  call: Call,
  put: (model: string, failed: boolean) => Promise<void>,
  receiver: Awaited<ReturnType<typeof startMessageReceiver>>,
  failures: number,
): Promise<Figure> {
  const made = (await call('/api/alert-destinations', {
    name: 'Hook',
    channel: { kind: 'webhook', url: receiver.url },
  })) as { destination: { id: string } };
  await call('/api/alerts', {
    name: 'Failed calls',
    intervalSeconds: INTERVAL_SECONDS,
    delaySeconds: DELAY_SECONDS,
    groupWaitSeconds: 0,
    groupIntervalSeconds: 0,
    destinations: [made.destination.id],
    source: {
      kind: 'threshold',
      windowSeconds: 300,
      query: { kind: 'aggregate', body: { measures: ['errors'], groupBy: ['model'] } },
      condition: { op: '>', value: 0 },
    },
  });
  const sentAt = new Map<string, number>();
  const toldAt = new Map<string, number>();
  let seen = 0;
  const look = () => {
    for (; seen < receiver.messages.length; seen += 1) {
      const { data } = JSON.parse(receiver.messages[seen]?.body ?? '{}') as {
        data: { events: { labels: { model: string } }[] };
      };
      for (const { labels } of data.events) toldAt.set(labels.model, toldAt.get(labels.model) ?? Date.now());
    }
  };
  const looking = setInterval(look, 20);
  for (let n = 0; n < failures; n += 1) {
    const model = `failing-${n}`;
    sentAt.set(model, Date.now());
    await put(model, true);
    await sleep(BETWEEN_MS);
  }
  const allowed = (INTERVAL_SECONDS + DELAY_SECONDS + 5) * 1_000;
  for (let waited = 0; waited < allowed * 3 && toldAt.size < failures; waited += 500) await sleep(500);
  clearInterval(looking);
  const longest = Math.max(
    ...Array.from(sentAt, ([model, at]) => (toldAt.get(model) ?? Number.POSITIVE_INFINITY) - at),
  );
  return {
    what: 'from a failed call until somebody is told',
    value: `${thousands(longest / 1_000)} s`,
    against: `goal ${allowed / 1_000} s: interval, delay and 5 s`,
  };
}

let spans = 0;

/** A call of a model that ended now. */
async function send(endpoint: string, model: string, failed: boolean): Promise<void> {
  spans += 1;
  const id = spans.toString(16).padStart(16, '0');
  const end = BigInt(Date.now()) * 1_000_000n;
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const answer = await fetch(`${endpoint}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [text('service.name', 'bench')] },
          scopeSpans: [
            {
              spans: [
                {
                  traceId: `${'a'.repeat(16)}${id}`,
                  spanId: id,
                  name: 'chat',
                  kind: 3,
                  startTimeUnixNano: `${end - 1_000_000n}`,
                  endTimeUnixNano: `${end}`,
                  attributes: [
                    text('gen_ai.operation.name', 'chat'),
                    text('gen_ai.provider.name', 'openai'),
                    text('gen_ai.request.model', model),
                  ],
                  status: failed ? { code: 2 } : {},
                },
              ],
            },
          ],
        },
      ],
    }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`A span was answered ${answer.status}.`);
}
