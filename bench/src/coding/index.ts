import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { drained } from '../ingest/drained.ts';
import { Api } from '../lib/api.ts';
import type { Bench } from '../lib/bench.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';
import { measure } from '../read/put.ts';
import { requestOf, sessionId, SPANS_PER_SESSION } from './sessions.ts';

const DAYS = 30;
const SESSIONS_A_REQUEST = 500;
const CONNECTIONS = 4;
const REPEATS = 30;
const SEARCH = '/api/coding-agents/sessions/search';

interface Filled {
  readonly sessions: number;
  readonly fromMs: number;
  readonly stepMs: number;
}

/** Very many sessions of coding agents over a month: the first page of their list, and one of them. */
export const coding: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        sessions: { type: 'string', default: '1000000' },
        /** A folder that stays, to be asked again without filling. */
        data: { type: 'string' },
      },
    });
    const sessions = Number(values.sessions);
    const body = (folder: string) => measured(folder, sessions);
    const kept = values.data;
    if (kept !== undefined) mkdirSync(kept, { recursive: true });
    const { figures, rate } = await (kept === undefined ? withTempDir(body) : body(resolve(kept)));
    return {
      bench: 'coding',
      command: `npm run bench -- coding --sessions ${values.sessions}`,
      figures,
      notes: [
        `${thousands(sessions)} sessions of ${SPANS_PER_SESSION} spans over ${DAYS} days of 2,000 users in 200 repositories${rate}.`,
        `p95 of ${REPEATS} questions over HTTP, each with another end of the window; a session of another day each time.`,
      ],
    };
  },
};

async function measured(folder: string, sessions: number): Promise<{ figures: Figure[]; rate: string }> {
  const note = join(folder, `coding-${sessions}.filled`);
  const stepMs = (DAYS * 86_400_000) / sessions;
  const platform = await startPlatform({ dataDir: folder, env: { PLATFORM_RATE_LIMIT: '1000000' } });
  try {
    let rate = '';
    const isFilled = existsSync(note);
    const fromMs = isFilled ? Number(readFileSync(note, 'utf8')) : Date.now() - DAYS * 86_400_000;
    const filled = { sessions, fromMs, stepMs };
    if (!isFilled) {
      const began = performance.now();
      await fill(platform, filled);
      rate = `, put in at ${thousands((sessions * SPANS_PER_SESSION * 1_000) / (performance.now() - began))} spans a second`;
      await sleep(10_000);
      writeFileSync(note, String(filled.fromMs));
    }
    return { figures: await asked(new Api(platform.http), filled), rate };
  } finally {
    await platform.stop();
  }
}

async function fill(platform: PlatformProcess, { sessions, fromMs, stepMs }: Filled): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let begin = next; begin < sessions; begin = next) {
      next = begin + SESSIONS_A_REQUEST;
      const numbers = Array.from(
        { length: Math.min(SESSIONS_A_REQUEST, sessions - begin) },
        (_, n) => begin + n,
      );
      const body = requestOf(numbers, (number) => fromMs + number * stepMs);
      for (;;) {
        const answer = await fetch(`${platform.otlpHttp}/v1/traces`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-protobuf' },
          body,
        });
        await answer.arrayBuffer();
        if (answer.ok) break;
        if (answer.status !== 429 && answer.status !== 503) throw new Error(`OTLP answered ${answer.status}`);
        await sleep(500);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  if (!(await drained(platform))) throw new Error('the backlog did not empty');
}

async function asked(api: Api, { sessions, fromMs }: Filled): Promise<Figure[]> {
  const window = (turn: number) => ({
    from: new Date(fromMs - 3_600_000).toISOString(),
    to: new Date(Date.now() - turn * 1_000).toISOString(),
  });
  const list = async (body: object, least = 1) => {
    const { data } = JSON.parse(await api.post(SEARCH, body)) as { data: { sessionId: string }[] };
    if (data.length < least) throw new Error(`a page has ${data.length} sessions: ${JSON.stringify(body)}`);
  };
  const user = (turn: number) => `user-${turn % 2_000}@example.com`;
  const questions: readonly (readonly [
    what: string,
    goalMs: number | undefined,
    ask: (turn: number) => Promise<void>,
  ])[] = [
    [
      'first page of sessions, newest first',
      300,
      (turn) => list({ ...window(turn), sort: '-start' }, Math.min(50, sessions)),
    ],
    [
      'first page, oldest first',
      300,
      (turn) => list({ ...window(turn), sort: 'start' }, Math.min(50, sessions)),
    ],
    ['first page, longest first', undefined, (turn) => list({ ...window(turn), sort: '-duration' })],
    ['first page of one user', 300, (turn) => list({ ...window(turn), sort: '-start', user: user(turn) }, 0)],
    [
      'one session with its events',
      200,
      async (turn) => {
        const id = sessionId(Math.floor(((turn * 0.618_034) % 1) * sessions));
        const path = `/api/coding-agents/sessions/${id}?from=${window(0).from}`;
        const { events } = JSON.parse(await api.get(path)) as { events: unknown[] };
        if (events.length !== SPANS_PER_SESSION) throw new Error(`${id} has ${events.length} events`);
      },
    ],
    [
      'summary of a day',
      undefined,
      async () => void (await api.post('/api/coding-agents/summary', { from: '-24h', compare: false })),
    ],
    [
      'users of a day',
      undefined,
      async () => void (await api.post('/api/coding-agents/users/search', { from: '-24h' })),
    ],
  ];
  const figures: Figure[] = [];
  for (const [what, goalMs, ask] of questions) {
    const against = goalMs === undefined ? '' : `goal ${goalMs} ms`;
    const value = await measure(REPEATS, ask).then(
      (latencies) => `${thousands(latencies.quantile(0.95))} ms (p50 ${thousands(latencies.quantile(0.5))})`,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message.slice(0, 160) : 'failed'),
    );
    figures.push({ what, value, against });
  }
  return figures;
}
