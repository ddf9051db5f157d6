import { type RouteDeclaration, ROUTES } from '@candela/contract';
import { entityKey, SCOPES } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

/** A user with four sessions, one with six, in every text of their telemetry. */
const FEW = 'zeldamark';
const MANY = 'annmark';
const TOLD = /zeldamark/i;

let place: Installation;
let owner: Browser;
let viewer: Browser;
let logId = '';
let fingerprint = '';

const values = (pairs: Readonly<Record<string, string | number>>) =>
  Object.entries(pairs).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
const now = Date.now();
const nanos = (msAgo: number) => `${now - msAgo}000000`;
const hex = (text: string, digits: number) =>
  Buffer.from(text).toString('hex').padEnd(digits, '0').slice(0, digits);

/** What the hooks, and the agent itself, send of one session. */
function sent(user: string, n: number) {
  const session = `${user}-${n}`;
  const resource = {
    attributes: values({
      'service.name': 'claude-code',
      'code.cwd': `/home/${user}/work`,
      'vcs.ref.head.name': `${user}/branch`,
      'host.name': `${user}-laptop`,
      'coding_agent.content_capture_mode': 'full',
    }),
  };
  const common = { 'coding_agent.session.id': session, 'gen_ai.request.user': user };
  const traceId = hex(`${n}${user}${n}`, 32);
  const span = (
    at: number,
    name: string,
    attributes: Record<string, string | number>,
    more: object = {},
  ) => ({
    traceId,
    spanId: hex(`${at}${n}${user}`, 16),
    ...(at === 0 ? {} : { parentSpanId: hex(`0${n}${user}`, 16) }),
    name,
    kind: 1,
    startTimeUnixNano: nanos(600_000 - n * 1_000 - at),
    endTimeUnixNano: nanos(500_000),
    attributes: values({ ...common, ...attributes }),
    ...more,
  });
  const spans = [
    span(0, 'coding_agent.session', { 'coding_agent.session.outcome': 'completed' }),
    span(1, 'coding_agent.turn', {
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: `I am ${user}` }] },
      ]),
    }),
    span(
      2,
      'coding_agent.tool.call',
      { 'gen_ai.tool.name': `mcp__${user}__run`, 'gen_ai.tool.call.result': `/home/${user}` },
      {
        status: { code: 2, message: `${user} failed` },
        events: [
          {
            timeUnixNano: nanos(500_000),
            name: 'exception',
            attributes: values({ 'exception.type': `${user}Error`, 'exception.message': `of ${user}` }),
          },
        ],
      },
    ),
    span(3, 'coding_agent.llm.turn', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 10,
    }),
  ];
  const scope = { name: 'candela.coding_agent' };
  return {
    traces: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] },
    logs: {
      resourceLogs: [
        {
          resource,
          scopeLogs: [
            {
              scope,
              logRecords: [
                {
                  timeUnixNano: nanos(500_000),
                  severityNumber: 17,
                  eventName: 'claude_code.user_prompt',
                  body: { stringValue: `${user} said` },
                  attributes: values({
                    'session.id': session,
                    'user.email': user,
                    'exception.type': `${user}Log`,
                  }),
                },
              ],
            },
          ],
        },
      ],
    },
    metrics: {
      resourceMetrics: [
        {
          resource,
          scopeMetrics: [
            {
              scope,
              metrics: [
                {
                  name: 'coding_agent.session.count',
                  unit: '{session}',
                  sum: {
                    aggregationTemporality: 1,
                    isMonotonic: true,
                    dataPoints: [
                      {
                        startTimeUnixNano: nanos(500_001),
                        timeUnixNano: nanos(500_000 - n),
                        asDouble: 1,
                        attributes: values({ user, agent: 'claude-code' }),
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    },
  };
}

beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
  viewer = (await place.join(owner, 'viewer')).browser;
  const key = await owner.call('POST', '/api/api-key', { name: 'a key', scopes: SCOPES });
  for (const [user, sessions] of [
    [FEW, 4],
    [MANY, 6],
  ] as const) {
    for (let n = 1; n <= sessions; n += 1) {
      for (const [signal, body] of Object.entries(sent(user, n))) {
        const answer = await fetch(`${place.platform.otlpHttp}/v1/${signal}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${String(key.data.apiKey)}` },
          body: JSON.stringify(body),
        });
        if (answer.status !== 200) throw new Error(await answer.text());
      }
    }
  }
  await expect
    .poll(async () => (await owner.call('POST', '/api/telemetry/logs/search', { limit: 50 })).data?.length, {
      timeout: 30_000,
    })
    .toBe(10);
  const logs = await owner.call('POST', '/api/telemetry/logs/search', { q: `"${FEW}"` });
  logId = String(logs.data[0].id);
  const exceptions = await owner.call('POST', '/api/telemetry/exceptions/search', {});
  const found = (exceptions.data as { type: string; fingerprint: string }[]).find(({ type }) =>
    TOLD.test(type),
  );
  fingerprint = String(found?.fingerprint);
});
afterAll(async () => {
  await place.close();
});

interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const since = { from: '-1h' };
const trace = hex(`1${FEW}1`, 32);
const root = hex(`01${FEW}`, 16);
const grouped = (groupBy: string, signal = 'spans'): Call => ({
  body: { ...since, signal, groupBy: [groupBy], measures: ['count'] },
});

/** Calls of a route that would tell, were there no floor; of other routes none. */
const CALLS: Readonly<Record<string, () => readonly Call[]>> = {
  searchTraces: () => [
    { body: since },
    { body: { ...since, sort: '-duration' } },
    { body: { ...since, sort: '-spanCount' } },
    { body: { ...since, q: `user:${FEW}` } },
    { body: { ...since, q: `"${FEW}"` } },
    { body: { ...since, q: 'service:claude-code' } },
  ],
  tracePreviews: () => [
    {
      body: {
        traces: [
          {
            traceId: trace,
            startTime: new Date(now - 600_000).toISOString(),
            durationMs: 200_000,
            openingNs: null,
          },
        ],
      },
    },
  ],
  searchSpans: () => [
    { body: since },
    { body: { ...since, sort: '-duration' } },
    { body: { ...since, q: `session:${FEW}-1` } },
    { body: { ...since, q: `trace_id:${trace}` } },
  ],
  spanDurations: () => [{ body: { ...since, bucketSeconds: 60 } }],
  getTrace: () => [{ path: { traceId: trace } }],
  getSpan: () => [{ path: { traceId: trace, spanId: root } }],
  getHierarchy: () => [{ path: { spanId: root } }],
  searchTrace: () => [{ path: { traceId: trace }, query: { q: FEW } }],
  searchCodingSessions: () => [{ body: since }, { body: { ...since, user: FEW } }],
  searchCodingUsers: () => [{ body: since }],
  summariseCodingAgents: () => [{ body: { ...since, compare: true } }],
  getCodingSession: () => [{ path: { sessionId: `${MANY}-1` }, query: since }],
  searchLogs: () => [{ body: since }, { body: { ...since, q: `"${FEW}"` } }],
  getLog: () => [{ path: { id: logId } }],
  getLogContext: () => [{ path: { id: logId } }],
  searchExceptions: () => [{ body: since }, { body: { ...since, q: `"${FEW}"` } }],
  getException: () => [{ path: { fingerprint }, query: since }],
  listMetrics: () => [{ query: since }],
  listMetricLabels: () => [{ query: { ...since, metric: 'coding_agent.session.count' } }],
  queryMetric: () => [
    {
      body: {
        ...since,
        metric: 'coding_agent.session.count',
        aggregation: 'sum',
        groupBy: ['attributes.user'],
      },
    },
    { body: { ...since, metric: 'coding_agent.session.count', groupBy: ['resource.code.cwd'] } },
  ],
  queryMetricHeatmap: () => [{ body: { ...since, metric: 'coding_agent.session.count' } }],
  aggregate: () => [
    grouped('user'),
    grouped('session'),
    grouped('tool'),
    grouped('resource.code.cwd'),
    grouped('attributes.user.email', 'logs'),
    grouped('user', 'logs'),
  ],
  facets: () => [
    { body: since },
    { body: { ...since, signal: 'logs' } },
    { body: { ...since, signal: 'exceptions' } },
    { body: { ...since, fields: ['user', 'session', 'resource.host.name'] } },
    { body: { ...since, search: FEW } },
  ],
  tail: () => [
    { query: { signal: 'spans', since: new Date(now - 300_000).toISOString() } },
    { query: { signal: 'logs', since: new Date(now - 300_000).toISOString() } },
  ],
  listFields: () => [{ query: since }, { query: { ...since, signal: 'logs' } }],
  listFieldValues: () => [
    { query: { ...since, field: 'user' } },
    { query: { ...since, field: 'session' } },
    { query: { ...since, field: 'tool' } },
    { query: { ...since, signal: 'logs', field: 'attributes.user.email' } },
  ],
  compare: () => [
    { body: { ...since, signal: 'spans', selection: 'status:error' } },
    { body: { ...since, signal: 'logs', selection: `"${MANY}"` } },
  ],
  exportRows: () => [
    { body: { ...since, signal: 'traces', format: 'csv' } },
    { body: { ...since, signal: 'spans', format: 'otlp' } },
    { body: { ...since, signal: 'logs', format: 'json' } },
  ],
  listSessions: () => [{ query: since }],
  sessionPreviews: () => [{ body: { sessions: [entityKey(`${FEW}-1`)] } }],
  getSession: () => [{ path: { session: entityKey(`${FEW}-1`) } }],
  getSessionTurns: () => [{ path: { session: entityKey(`${FEW}-1`) } }],
  listUsers: () => [{ query: since }],
  getUser: () => [{ path: { user: entityKey(FEW) }, query: since }],
  listAgents: () => [{ query: since }],
  getAgent: () => [{ path: { agent: entityKey('claude-code') }, query: since }],
  agentGraph: () => [{ path: { agent: entityKey('claude-code') }, query: since }],
  listHosts: () => [{ query: since }],
  boardData: () => [{ path: { id: 'seed:coding-agents' }, body: since }],
  queryPanel: () => [
    {
      body: {
        ...since,
        panel: {
          query: { kind: 'aggregate', body: { groupBy: ['user'], measures: ['count'] } },
          visual: { type: 'table' },
        },
      },
    },
  ],
  executeSql: () => [
    { body: { query: 'SELECT * FROM otel_traces', from: '-1h' } },
    { body: { query: 'SELECT * FROM otel_metrics_sum', from: '-1h' } },
  ],
};

/** Routes of a project's reads that tell nothing of telemetry of users. */
const NOTHING = new Set([
  'getAgentVersion',
  'getHost',
  'getHostCurves',
  'getHostCalls',
  'getGpu',
  'getGpuCurves',
  'getIngestHealth',
  'listViews',
  'getView',
  'listBoards',
  'getBoard',
  'exportBoard',
]);
const READS = Object.values<RouteDeclaration>(ROUTES).filter(
  ({ id, path, permission }) =>
    permission !== 'public' &&
    permission.role === 'viewer' &&
    (permission.key === 'telemetry' || id === 'executeSql') &&
    !path.startsWith('/api/scanners') &&
    !NOTHING.has(id),
);

/** The beginning of a stream, or all of an answer. */
async function ask(who: Browser, route: RouteDeclaration, call: Call): Promise<string> {
  const path = Object.entries(call.path ?? {}).reduce<string>(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    route.path,
  );
  const query = new URLSearchParams(call.query).toString();
  const address = `${path}${query === '' ? '' : `?${query}`}`;
  if (route.stream !== 'events') return (await who.call(route.method, address, call.body)).text;
  const response = await fetch(`${place.platform.http}${address}`, {
    method: route.method,
    headers: {
      cookie: [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'sec-fetch-site': 'same-origin',
      origin: place.platform.http,
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    signal: AbortSignal.timeout(4_000),
  });
  let text = '';
  try {
    for await (const part of response.body ?? []) text += Buffer.from(part).toString();
  } catch {
    // It goes on for ever.
  }
  return text;
}

describe('a user of coding agents with fewer than five sessions', () => {
  it('is looked for in every route that reads telemetry', () => {
    expect(READS.map(({ id }) => id).toSorted()).toEqual(Object.keys(CALLS).toSorted());
  });

  it.each(READS.map((route) => [route.id, route] as const))(
    'is not told to a viewer by %s',
    async (id, route) => {
      for (const call of CALLS[id]?.() ?? []) {
        const text = await ask(viewer, route, call);
        // A search repeats what it was asked for; what was found is what counts.
        expect(text.replaceAll(JSON.stringify(call.body ?? {}), ''), JSON.stringify(call)).not.toMatch(TOLD);
      }
    },
  );

  it.each(['searchSpans', 'searchLogs', 'aggregate', 'exportRows', 'listUsers', 'queryMetric', 'executeSql'])(
    'is told to an admin by %s, and one with more to a viewer',
    async (id) => {
      const route = READS.find((one) => one.id === id);
      if (route === undefined) throw new Error(id);
      const texts = async (who: Browser) =>
        (await Promise.all((CALLS[id]?.() ?? []).map((call) => ask(who, route, call)))).join('\n');
      expect(await texts(owner)).toMatch(TOLD);
      expect(await texts(viewer)).toContain(MANY);
    },
  );
});
