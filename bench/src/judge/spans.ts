import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { startEmbeddedEngine } from '@candela/telemetry-store';
import { openClickHouseProxy, startPostgres } from '@candela/testkit';
import type { Figure } from '../lib/table.ts';
import { thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';
import { Site, until } from './site.ts';
import { startJudge } from './vendor.ts';

const EVALUATOR = 'relevance';
const AT_ONCE = 500;
const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');

/** Sends model calls, each of a trace of its own, and waits until the last one is stored. */
async function send(site: Site, key: string, spans: number): Promise<{ traceId: string; spanId: string }[]> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (name: string, value: string) => ({ key: name, value: { stringValue: value } });
  const said = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const all = Array.from({ length: spans }, (_, n) => ({ traceId: hex(n + 1, 32), spanId: hex(n + 1, 16) }));
  for (let from = 0; from < spans; from += AT_ONCE) {
    const own = all.slice(from, from + AT_ONCE).map((ids, at) => ({
      ...ids,
      name: 'chat',
      kind: 3,
      startTimeUnixNano: `${now - 2_000_000_000n}`,
      endTimeUnixNano: `${now - 1_000_000_000n}`,
      attributes: [
        text('gen_ai.operation.name', 'chat'),
        text('gen_ai.input.messages', said('user', `What of subject-${from + at}.?`)),
        text('gen_ai.output.messages', said('assistant', 'It is well.')),
      ],
    }));
    const resource = { attributes: [text('service.name', 'bench')] };
    const answer = await fetch(`${site.process.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: own }] }] }),
    });
    if (!answer.ok) throw new Error(`spans were answered with ${answer.status}`);
  }
  await until('spans are stored', 120_000, async () => {
    const { status } = await site.fetch('GET', `/api/telemetry/traces/${all.at(-1)?.traceId ?? ''}`);
    return status === 200;
  });
  return all;
}

interface Queue {
  readonly queued: number;
  readonly leased: number;
  readonly done: number;
  readonly failed: number;
}

async function queueOf(site: Site): Promise<Queue> {
  const all = await site.ask<readonly { id: string; queue: Queue }[]>('GET', '/api/evaluation/evaluators');
  return all.find(({ id }) => id === EVALUATOR)?.queue ?? { queued: 0, leased: 0, done: 0, failed: 0 };
}

/** How many scores there are, and of how many spans. */
async function scored(site: Site): Promise<{ rows: number; spans: number }> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/evaluation/scores?name=${EVALUATOR}&limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = (await (await site.fetch('GET', path)).json()) as {
      data: { spanId: string }[];
      nextCursor: string | null;
    };
    ids.push(...page.data.map(({ spanId }) => spanId));
    if (page.nextCursor === null) return { rows: ids.length, spans: new Set(ids).size };
    cursor = page.nextCursor;
  }
}

async function begin(site: Site, vendorUrl: string, spans: number): Promise<void> {
  const modelId = await site.model(vendorUrl);
  await site.ask('PUT', '/api/evaluation/config', { modelId, dailyCapUsd: null });
  const all = await send(site, await site.key(), spans);
  for (let from = 0; from < spans; from += AT_ONCE)
    await site.ask('POST', '/api/evaluation/runs', {
      evaluators: [EVALUATOR],
      spans: all.slice(from, from + AT_ONCE),
    });
}

/** All are decided, and their scores are stored. */
async function ended(site: Site, spans: number): Promise<Queue> {
  await until('all spans are judged', 3_600_000, async () => {
    const { queued, leased } = await queueOf(site);
    return queued + leased === 0;
  });
  await until('all scores are stored', 120_000, async () => (await scored(site)).spans >= spans);
  return queueOf(site);
}

/** Spans whose judge fails a fifth of its calls, over kill -9. */
export async function crashes(spans: number, kills: number): Promise<Figure[]> {
  const { vendor, judged, refused } = await startJudge(5);
  try {
    return await withTempDir(async (dataDir) => {
      const site = await Site.open(dataDir);
      await begin(site, vendor.url, spans);
      const began = performance.now();
      await site.killed(kills, () => 300 + Math.random() * 1_700);
      const queue = await ended(site, spans);
      const seconds = (performance.now() - began) / 1_000;
      const { rows, spans: of } = await scored(site);
      await site.process.stop();
      const again = [...judged.values()].reduce((sum, times) => sum + times - 1, 0);
      return [
        {
          what: `${thousands(spans)} spans, a fifth of the calls refused, ${kills} kill -9: spans in one final state`,
          value: `${thousands(queue.done + queue.failed)} of ${thousands(spans)} (${queue.failed} failed) in ${thousands(seconds)} s`,
          against: 'all, each once',
        },
        {
          what: 'scores that are there, and of how many spans',
          value: `${thousands(rows)} of ${thousands(of)}`,
          against: 'one a span',
        },
        {
          what: 'calls refused; judged anew because the process died before it had written the answer',
          value: `${thousands(refused())}; ${thousands(again)}`,
          against: `at most 4 a kill: ${kills * 4}`,
        },
      ];
    });
  } finally {
    await vendor.close();
  }
}

/** Two replicas that share PostgreSQL and a ClickHouse; the judge counts how often it is asked about each span. */
export async function replicas(spans: number): Promise<Figure[]> {
  const postgres = await startPostgres();
  if (postgres === undefined)
    return [{ what: 'two replicas', value: 'not tried: no PostgreSQL here', against: '' }];
  const { vendor, judged } = await startJudge(0);
  try {
    return await withTempDir(async (dir) => {
      const engine = await startEmbeddedEngine({ dataDir: join(dir, 'engine'), logger: silentLogger });
      const { socketPath } = engine;
      const clickhouse = await openClickHouseProxy({ socketPath, username: 'candela', password: 'pw' });
      const env = {
        PLATFORM_DATABASE_URL: await postgres.createDatabase(),
        PLATFORM_CLICKHOUSE_URL: `http://candela:pw@${new URL(clickhouse.url).host}/candela`,
        PLATFORM_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
      };
      for (const name of ['one', 'two']) mkdirSync(join(dir, name));
      const one = await Site.open(join(dir, 'one'), env);
      const two = await Site.open(join(dir, 'two'), env, one.cookie);
      await begin(one, vendor.url, spans);
      const queue = await ended(two, spans);
      const { rows } = await scored(two);
      await Promise.all([one.process.stop(), two.process.stop()]);
      await clickhouse.close();
      await engine.close();
      const twice = [...judged.values()].filter((times) => times > 1).length;
      return [
        {
          what: `two replicas, ${thousands(spans)} spans: judged, scores, spans that the judge was asked about twice`,
          value: `${thousands(queue.done)}, ${thousands(rows)}, ${twice}`,
          against: '0 twice',
        },
      ];
    });
  } finally {
    await vendor.close();
    await postgres.stop();
  }
}
