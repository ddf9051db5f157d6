import { parseArgs } from 'node:util';
import { DEFAULT_DATABASE_CONFIG_ID, type RequestContext, SCOPES } from '@candela/kernel';
import { createSqlQueries } from '@candela/telemetry-store';
import { GOLDEN } from '@candela/telemetry-store/golden';
import { startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { Latencies } from '../lib/latency.ts';
import { spansIn, withData } from '../lib/loaded.ts';
import { openStoreOf } from '../lib/store.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { conversationFigures } from './conversations.ts';

const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
const DAYS = 30;
/** Questions whose answers are figures by group: what a board of SQL widgets asks. */
const ROLL_UPS = GOLDEN.filter(({ aggregate }) => aggregate !== undefined);

export type Call = (method: string, path: string, body?: object, signal?: AbortSignal) => Promise<Response>;

/** What asking costs on our side: assistant, statements, and the same tools over MCP, with a vendor that takes no time. */
export const ask: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        spans: { type: 'string', default: '10000000' },
        questions: { type: 'string', default: '50' },
        messages: { type: 'string', default: '500' },
        data: { type: 'string' },
      },
    });
    const [spans, questions, messages] = [values.spans, values.questions, values.messages].map(Number);
    return withData(values.data, async (dataDir) => {
      await spansIn(dataDir, spans ?? 0, (DAYS - 1) * 24);
      const platform = await startPlatform({
        dataDir,
        env: {
          PLATFORM_BOOTSTRAP_API_KEY: KEY,
          PLATFORM_ADMIN_EMAIL: OWNER.email,
          PLATFORM_ADMIN_PASSWORD: OWNER.password,
          PLATFORM_RATE_LIMIT: '1000000',
        },
      });
      // Settings of the assistant are for people.
      const signedIn = await fetch(`${platform.http}/api/auth/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: platform.http },
        body: JSON.stringify(OWNER),
      });
      if (!signedIn.ok) throw new Error(await signedIn.text());
      const cookie = signedIn.headers
        .getSetCookie()
        .map((each) => each.split(';', 1)[0])
        .join('; ');
      const call: Call = async (method, path, body, signal) => {
        const answer = await fetch(`${platform.http}${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            cookie,
            origin: platform.http,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(signal === undefined ? {} : { signal }),
        });
        if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
        return answer;
      };
      const figures = [
        ...(await conversationFigures(call, questions ?? 0, messages ?? 0)),
        ...(await mcpFigures(call, questions ?? 0)),
      ];
      figures.push(await rollUpFigure(call, spans ?? 0));
      await platform.stop();
      figures.push(await gateFigure(dataDir));
      return {
        bench: 'ask',
        command: `npm run bench -- ask --spans ${values.spans}`,
        figures,
        notes: [
          `The vendor is a fake on the same machine that answers at once; ${values.questions} questions, one after another, each in a conversation of its own.`,
          `Roll-up questions: the ${ROLL_UPS.length} golden questions that group, over all ${DAYS} days.`,
        ],
      };
    });
  },
};

const quantiles = (all: Latencies, digits = 1): string =>
  `${thousands(all.quantile(0.5), digits)} / ${thousands(all.quantile(0.95), digits)} ms`;

/** What a client of MCP is sent first, and how fast. */
async function mcpFigures(call: Call, rounds: number): Promise<Figure[]> {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const took = new Latencies();
  let characters = 0;
  for (let n = 0; n < rounds; n += 1) {
    const begin = performance.now();
    const text = await (await call('POST', '/mcp', list)).text();
    took.add(performance.now() - begin);
    const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '');
    const { result } = JSON.parse(json) as { result: { tools: unknown[] } };
    characters = JSON.stringify(result.tools).length;
  }
  return [
    { what: 'MCP tools/list, p50 / p95', value: quantiles(took), against: 'goal 20 ms' },
    {
      what: 'MCP tools/list, tokens at 3.5 characters',
      value: thousands(characters / 3.5),
      against: 'goal 3,000',
    },
  ];
}

async function rollUpFigure(call: Call, spans: number): Promise<Figure> {
  const took = new Latencies();
  for (const { sql } of ROLL_UPS) {
    const begin = performance.now();
    await (await call('POST', '/api/chat/message/execute', { query: sql, from: `-${DAYS}d` })).text();
    took.add(performance.now() - begin);
  }
  return {
    what: `answers to roll-up questions on ${thousands(spans)} spans, p50 / p95`,
    value: quantiles(took, 0),
    against: 'goal p95 300 ms',
  };
}

/** The gate by itself: every golden question, twice. */
async function gateFigure(dataDir: string): Promise<Figure> {
  const store = await openStoreOf(dataDir);
  const sql = createSqlQueries(store, { timeoutMs: 10_000, maxRowsToRead: 1e10, maxMemoryBytes: 1e9 });
  const context: RequestContext = {
    principal: { kind: 'anonymous' },
    organisationId: 'default',
    projectId: 'default',
    environment: undefined,
    databaseConfigId: DEFAULT_DATABASE_CONFIG_ID,
    scopes: new Set(SCOPES),
    requestId: 'bench',
  };
  const took = new Latencies();
  try {
    await sql.check(context, GOLDEN[0]?.sql ?? 'SELECT 1');
    for (const { sql: query } of [...GOLDEN, ...GOLDEN]) {
      const begin = performance.now();
      await sql.check(context, query);
      took.add(performance.now() - begin);
    }
  } finally {
    await store.close();
  }
  return { what: 'gate of a statement, p50 / p95', value: quantiles(took), against: 'goal p95 10 ms' };
}
