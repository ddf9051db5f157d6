import {
  atLeast,
  CHART_GOAL_MS,
  FOUND_GOAL_MS,
  get,
  holds,
  LIST_GOAL_MS,
  type Loaded,
  post,
  type Question,
  REPEATS,
  TRACE_GOAL_MS,
  windowOf,
} from './question.ts';
import { wordCharts, wordOrders, wordQuestions } from './word-questions.ts';

const SORTS = ['-duration', 'duration', '-cost', '-tokens'] as const;
/** An attribute that gets a column before anybody asks for it. */
const OWN = 'attributes.url.path';
const PANEL = ['status', 'service', 'model', 'operation', 'agent', 'tool', 'provider', 'environment', 'name'];

/** The first words of a page of traces sorted by a figure, which the page asks for when it has the rows. */
function previewsOf(page: object): Question {
  let traces: readonly object[] | undefined;
  return {
    name: 'first words of a page of traces by -duration',
    goalMs: LIST_GOAL_MS,
    repeats: REPEATS,
    async ask(api) {
      if (traces === undefined) {
        const body = { ...page, sort: '-duration', previews: false };
        const { data } = JSON.parse(await api.post('/api/telemetry/traces/search', body)) as {
          data: { traceId: string; startTime: string; durationMs: number; openingNs: string | null }[];
        };
        traces = data.map(({ traceId, startTime, durationMs, openingNs }) => ({
          traceId,
          startTime,
          durationMs,
          openingNs,
        }));
      }
      return api.post('/api/telemetry/traces/previews', { traces });
    },
    check: atLeast(50),
  };
}

export function spanQuestions(loaded: Loaded): Question[] {
  const window = windowOf(loaded);
  const page = { ...window, limit: 50 };
  // As the page asks: rows at once, their first words after them.
  const rows = { ...page, previews: false };
  const byPath = { measures: ['count'], groupBy: ['attributes.url.path'], limit: 10 };
  const byPathOverTime = { ...byPath, bucketSeconds: 'auto' };
  const byAddress = { ...byPath, groupBy: ['attributes.client.address'] };
  const byAddressOverTime = { ...byAddress, bucketSeconds: 'auto' };
  const chart = (name: string, body: object): Question =>
    post(`chart: ${name}`, CHART_GOAL_MS, 'aggregate', { ...window, ...body }, holds('rows', 1));
  const facets = (name: string, body: object): Question =>
    post(`facets: ${name}`, CHART_GOAL_MS, 'facets', { ...window, ...body }, atLeast(1));
  const ownFacet = (name: string, body: object): Question =>
    post(`facets: ${name}`, CHART_GOAL_MS, 'facets', { ...window, fields: [OWN], ...body }, (answer) => {
      const { data } = JSON.parse(answer) as { data: { values: unknown[] }[] };
      if ((data[0]?.values.length ?? 0) < 2) throw new Error(`no values: ${answer.slice(0, 200)}`);
    });
  const longest = (name: string, q: string, early = false): Question =>
    post(
      `first page of traces by -duration, ${name}`,
      LIST_GOAL_MS,
      'traces/search',
      { ...rows, sort: '-duration', q, early },
      atLeast(early ? 1 : 50),
    );
  const ofPath = `${OWN}:/api/cases/17`;
  return [
    {
      name: 'trace by id',
      goalMs: TRACE_GOAL_MS,
      repeats: 200,
      ask: (api, turn) =>
        api.get(`/api/telemetry/traces/${loaded.traceIds[turn % loaded.traceIds.length] ?? ''}`),
      check(answer) {
        const { data } = JSON.parse(answer) as { data: { spans: unknown[] } };
        if (data.spans.length !== 10) throw new Error(`${data.spans.length} spans instead of 10`);
      },
    },
    post('first page of traces, newest first', LIST_GOAL_MS, 'traces/search', rows, atLeast(50)),
    {
      name: 'first page of traces of one service with errors',
      goalMs: LIST_GOAL_MS,
      repeats: REPEATS,
      ask: (api, turn) =>
        api.post('/api/telemetry/traces/search', { ...rows, q: `service:service-${turn % 12} status:error` }),
      check: atLeast(50),
    },
    ...[...SORTS, '-spanCount'].map((sort) =>
      post(`first page of traces by ${sort}`, LIST_GOAL_MS, 'traces/search', { ...rows, sort }, atLeast(50)),
    ),
    ...[
      'service:service-3',
      'model:gpt-5-2025-08-07',
      'status:error',
      'service:service-3 status:error',
      'duration>900ms',
      'input_tokens>950',
      'kind:client',
      'provider:anthropic status:error',
      'provider:openai model:gpt-5-2025-08-07',
      'name:POST',
      'name:"SELECT cases"',
      'name:*cases',
      '-provider:openai',
    ].map((q) => longest(q, q)),
    // As the UI asks for it: what a part of the spans has, then the page.
    longest(`${ofPath}, columns switched off, first rows`, ofPath, true),
    longest(`${ofPath}, columns switched off, the page`, ofPath),
    { ...longest(ofPath, ofPath), column: 'kept' },
    post('spans with one attribute', FOUND_GOAL_MS.spans, 'spans/search', { ...page, q: ofPath }, atLeast(1)),
    post(
      'traces with one attribute',
      FOUND_GOAL_MS.traces,
      'traces/search',
      { ...rows, q: ofPath },
      atLeast(1),
    ),
    previewsOf(page),
    post('first page of spans, newest first', LIST_GOAL_MS, 'spans/search', page, atLeast(50)),
    ...SORTS.map((sort) =>
      post(`first page of spans by ${sort}`, LIST_GOAL_MS, 'spans/search', { ...page, sort }, atLeast(50)),
    ),
    post(
      'first page of spans by -duration, service:service-3',
      LIST_GOAL_MS,
      'spans/search',
      { ...page, sort: '-duration', q: 'service:service-3' },
      atLeast(50),
    ),
    ...wordQuestions('spans', 'spans whose messages hold', page),
    ...wordQuestions('traces', 'traces whose messages hold', rows),
    ...wordOrders(window),
    ...wordCharts('spans', window, PANEL),
    chart('spans and errors over time', { measures: ['count', 'errors'], bucketSeconds: 'auto' }),
    chart('the same with the period before', {
      measures: ['count', 'errors'],
      bucketSeconds: 'auto',
      comparePrevious: true,
    }),
    chart('cost and tokens by model over time', {
      measures: ['cost', 'input_tokens', 'output_tokens'],
      groupBy: ['model'],
      bucketSeconds: 'auto',
      limit: 10,
    }),
    chart('error rate by service', { measures: ['error_rate', 'count'], groupBy: ['service'] }),
    chart('p50, p95, p99 over time', {
      measures: ['duration_p50', 'duration_p95', 'duration_p99'],
      bucketSeconds: 'auto',
    }),
    chart('p95 by service', { measures: ['duration_p95', 'count'], groupBy: ['service'] }),
    chart('spans slower than 900 ms over time', {
      measures: ['count'],
      bucketSeconds: 'auto',
      q: 'duration>900ms',
    }),
    chart('slowest operations of Home, with the period before', {
      measures: ['duration_p95', 'count'],
      groupBy: ['name', 'service'],
      comparePrevious: true,
      limit: 13,
    }),
    chart('spans by an attribute', { measures: ['count'], groupBy: ['attributes.http.route'], limit: 10 }),
    chart('spans by an attribute over time', {
      measures: ['count'],
      groupBy: ['attributes.http.route'],
      bucketSeconds: 'auto',
      limit: 10,
    }),
    ...(['estimated', 'exact'] as const).flatMap((how) => {
      const early = { early: how === 'estimated' };
      return [
        chart(`spans by an attribute, columns switched off, ${how}`, { ...byPath, ...early }),
        chart(`spans by an attribute over time, columns switched off, ${how}`, {
          ...byPathOverTime,
          ...early,
        }),
        ownFacet(`an attribute of one's own, columns switched off, ${how}`, early),
      ];
    }),
    { ...chart('spans by an attribute of 5,000 values', byPath), column: 'asked' },
    {
      ...chart('spans by an attribute of 5,000 values, over time', byPathOverTime),
      column: 'kept',
    },
    {
      ...chart('spans by an attribute of 65,536 values', byAddress),
      column: 'asked',
    },
    {
      ...chart('spans by an attribute of 65,536 values, over time', byAddressOverTime),
      column: 'kept',
    },
    facets('the panel of the traces page', { fields: PANEL }),
    facets('the panel with a service chosen', { fields: PANEL, q: 'service:service-3' }),
    facets('the panel with a condition on the duration', { fields: PANEL, q: 'duration>900ms' }),
    facets('completion of a span name', { fields: ['name'], search: 'chat' }),
    { ...ownFacet("an attribute of one's own", {}), column: 'kept' },
    {
      ...ownFacet("an attribute of one's own with a service chosen", { q: 'service:service-3' }),
      column: 'kept',
    },
    {
      ...ownFacet("an attribute of one's own of 65,536 values", { fields: ['attributes.client.address'] }),
      column: 'kept',
    },
    get('fields of spans', CHART_GOAL_MS, `fields?from=${window.from}&to=now`, holds('fields', 20)),
    get(
      'fields of spans of one service',
      CHART_GOAL_MS,
      `fields?from=${window.from}&to=now&q=service:service-3`,
      holds('fields', 20),
    ),
    get(
      'values of an attribute, to complete it',
      CHART_GOAL_MS,
      `fields/values?from=${window.from}&to=now&field=attributes.http.route`,
      holds('values', 1),
    ),
    get('sessions, latest first', LIST_GOAL_MS, `sessions?from=${window.from}&to=now&limit=50`, atLeast(50)),
    get(
      'sessions by -cost',
      LIST_GOAL_MS,
      `sessions?from=${window.from}&to=now&limit=50&sort=-cost`,
      atLeast(50),
    ),
    get(
      'sessions by -traces',
      LIST_GOAL_MS,
      `sessions?from=${window.from}&to=now&limit=50&sort=-traces`,
      atLeast(50),
    ),
    // The first five the rollup knows, the others only the spans do.
    ...[
      'model:gpt-5-2025-08-07',
      'status:error',
      'service:service-3',
      'operation:chat',
      'provider:openai',
      'input_tokens>950',
      'duration>900ms',
    ].map((q) =>
      get(
        `sessions, latest first, ${q}`,
        LIST_GOAL_MS,
        `sessions?from=${window.from}&to=now&limit=50&q=${encodeURIComponent(q)}`,
        atLeast(1),
      ),
    ),
    get('users, latest first', LIST_GOAL_MS, `users?from=${window.from}&to=now&limit=50`, atLeast(50)),
    get('users by -cost', LIST_GOAL_MS, `users?from=${window.from}&to=now&limit=50&sort=-cost`, atLeast(50)),
    get(
      'users by -sessions',
      LIST_GOAL_MS,
      `users?from=${window.from}&to=now&limit=50&sort=-sessions`,
      atLeast(50),
    ),
    ...['model:gpt-5-2025-08-07', 'status:error', 'duration>900ms'].map((q) =>
      get(
        `users, latest first, ${q}`,
        LIST_GOAL_MS,
        `users?from=${window.from}&to=now&limit=50&q=${encodeURIComponent(q)}`,
        atLeast(1),
      ),
    ),
    get('agents', LIST_GOAL_MS, `agents?from=${window.from}&to=now`, holds('agents', 0)),
    post(
      'what differs: errors against the rest',
      1_000,
      'compare',
      { ...window, selection: 'status:error' },
      () => {},
    ),
  ];
}
