import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CHAT_ROUTES,
  CONTEXT_ROUTES,
  type HttpMethod,
  IDENTITY_ROUTES,
  OAUTH_ROUTES,
  PROMPT_ROUTES,
  ROUTES,
  RULE_ROUTES,
  type RouteId as AnyRouteId,
  VAULT_ROUTES,
} from '@candela/contract';
import { entityKey, type RequestContext, SCOPES, silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import type { Signal } from '@candela/kernel';
import { DEFAULT_LIMITS } from '@candela/otlp';
import {
  createAgentQueries,
  createExceptionQueries,
  createLogQueries,
  encodeRequest,
} from '@candela/telemetry-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import type { Browser } from './features/identity/testing/browser.ts';
import { joined, ownerOf } from './features/identity/testing/installation.ts';
import { createMetrics } from './metrics.ts';
import { type Platform, startPlatform } from './platform.ts';
import { newStoreIn } from '@candela/telemetry-store/testing';

/**
 * Routes about people are asked in `features/identity/roles.platform.test.ts`, those of secrets, rules and the assistant in their
 * features (SQL in the telemetry store's `sql-gate`): they need somebody who is signed in, or several projects.
 */
const OF_PEOPLE = {
  ...RULE_ROUTES,
  ...CONTEXT_ROUTES,
  ...CHAT_ROUTES,
  ...VAULT_ROUTES,
  ...IDENTITY_ROUTES,
  ...OAUTH_ROUTES,
  ...PROMPT_ROUTES,
};
type RouteId = Exclude<AnyRouteId, keyof typeof OF_PEOPLE>;
const ROUTE_IDS = Object.keys(ROUTES).filter((id) => !Object.hasOwn(OF_PEOPLE, id)) as RouteId[];

/** Whose data it is. `mark` is in every text and `figure` in every number of its records. */
interface Tenant {
  readonly project: string;
  readonly environment: string;
  readonly mark: string;
  readonly figure: number;
  /** Digits of its own ids. */
  readonly digit: string;
}

const OWN: Tenant = {
  project: 'default',
  environment: 'production',
  mark: 'ownmark',
  figure: 11,
  digit: '1',
};
const STAGING: Tenant = {
  project: 'default',
  environment: 'staging',
  mark: 'stagemark',
  figure: 535_300,
  digit: '2',
};
const FOREIGN: Tenant = {
  project: 'other',
  environment: 'production',
  mark: 'alienmark',
  figure: 424_200,
  digit: '3',
};
const TENANTS = [OWN, STAGING, FOREIGN];

/**
 * What shows that a record of the tenant had a part in an answer: its text, or its number, also in sums with own ones. Digits
 * inside of an id are none.
 */
function signOf({ mark, figure }: Tenant): RegExp {
  if (figure < 100) return new RegExp(mark);
  const sums = Array.from({ length: 12 }, (_, index) => Math.floor(((index + 1) * figure) / 100));
  return new RegExp(`${mark}|(?<![\\w.])(?:${sums.join('|')})[0-9]{2}(?!\\w)`);
}

const now = Date.now();
const nanos = (secondsAgo: number): string => `${BigInt(now - secondsAgo * 1_000) * 1_000_000n}`;
/** Ids that every tenant uses, so that whatever joins or looks up by id alone meets all of them. */
const SHARED = { trace: 'a'.repeat(32), span: 'a'.repeat(16), call: 'b'.repeat(16) };
const ids = ({ digit }: Tenant) => ({
  trace: digit.repeat(32),
  span: digit.repeat(16),
  call: `${digit.repeat(15)}c`,
});

const values = (pairs: Readonly<Record<string, string | number>>) =>
  Object.entries(pairs).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
const resource = ({ mark }: Tenant, host: string) => ({
  attributes: values({
    'service.name': `service-${mark}`,
    'host.name': host,
    'host.id': `id-${mark}`,
    'telemetry.distro.name': 'agent-x',
  }),
});

function spansOf(tenant: Tenant, own: typeof SHARED, name: string) {
  const { mark, figure } = tenant;
  const gen = { 'session.id': name, 'user.id': name, 'gen_ai.agent.name': name, 'gen_ai.system': 'openai' };
  const span = (
    spanId: string,
    parentSpanId: string,
    operation: string,
    more: Record<string, string | number>,
  ) => ({
    traceId: own.trace,
    spanId,
    parentSpanId,
    name: `${operation} ${mark}`,
    kind: 3,
    startTimeUnixNano: nanos(120),
    endTimeUnixNano: `${BigInt(nanos(120)) + BigInt(figure) * 1_000_000n}`,
    attributes: values({ ...gen, 'gen_ai.operation.name': operation, secret: mark, ...more }),
    events: [
      {
        timeUnixNano: nanos(119),
        name: 'exception',
        attributes: values({ 'exception.type': `Type${name}`, 'exception.message': `failed for ${mark}` }),
      },
    ],
    status: { code: 2, message: `status ${mark}` },
  });
  const call = {
    'gen_ai.request.model': `model-${mark}`,
    'gen_ai.usage.input_tokens': figure,
    'gen_ai.usage.output_tokens': figure,
    'gen_ai.input.messages': JSON.stringify([
      { role: 'system', parts: [{ type: 'text', content: `system ${mark}` }] },
      { role: 'user', parts: [{ type: 'text', content: `asked by ${mark}` }] },
    ]),
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [{ type: 'text', content: `said to ${mark}` }] },
    ]),
  };
  return [
    span(own.span, '', 'invoke_agent', {}),
    span(own.call, own.span, 'chat', call),
    span(`${own.call.slice(0, 15)}d`, own.span, 'execute_tool', { 'gen_ai.tool.name': `tool-${mark}` }),
  ];
}

const logOf = ({ mark, figure }: Tenant, own: typeof SHARED) => ({
  timeUnixNano: nanos(110),
  severityNumber: 17,
  severityText: 'ERROR',
  body: { stringValue: `the same words and ${mark}` },
  traceId: own.trace,
  spanId: own.call,
  attributes: values({ secret: mark, figure, 'exception.type': 'Shared', 'exception.message': `of ${mark}` }),
});

function metricsOf({ mark, figure }: Tenant) {
  const point = (attributes: Readonly<Record<string, string | number>>, secondsAgo: number) => ({
    timeUnixNano: nanos(secondsAgo),
    startTimeUnixNano: nanos(900),
    asDouble: figure,
    attributes: values(attributes),
  });
  const points = (attributes: Readonly<Record<string, string | number>>) => [
    point(attributes, 100),
    point(attributes, 40),
  ];
  const gauge = (name: string, attributes: Readonly<Record<string, string | number>>) => ({
    name,
    unit: '1',
    description: `of ${mark}`,
    gauge: { dataPoints: points(attributes) },
  });
  const gpu = { 'hw.id': 'GPU-0', 'hw.name': `gpu ${mark}`, 'hw.vendor': mark, 'gpu.index': 0 };
  return [
    gauge('shared.gauge', { label: mark }),
    gauge(`own.${mark}`, { label: mark }),
    {
      name: 'shared.histogram',
      unit: 's',
      histogram: {
        aggregationTemporality: 1,
        dataPoints: [
          {
            ...point({ label: mark }, 40),
            asDouble: undefined,
            count: String(figure),
            sum: figure,
            bucketCounts: ['0', String(figure)],
            explicitBounds: [1],
            exemplars: [
              { timeUnixNano: nanos(40), asDouble: figure, traceId: SHARED.trace, spanId: SHARED.span },
            ],
          },
        ],
      },
    },
    gauge('system.memory.usage', { 'system.memory.state': 'used' }),
    gauge('system.cpu.utilization', { 'cpu.logical_number': 0 }),
    gauge('system.filesystem.usage', {
      'system.filesystem.mountpoint': `/${mark}`,
      'system.filesystem.state': 'used',
    }),
    gauge('hw.gpu.memory.limit', gpu),
    gauge('hw.gpu.utilization', gpu),
    gauge('process.gpu.memory.usage', { ...gpu, 'process.pid': 7, 'process.command_line': `run ${mark}` }),
  ];
}

let dir: string;
let platform: Platform;
/** Ids that only the platform knows, by tenant. */
const made = new Map<Tenant, { log: string; fingerprint: string; version: string; view: string }>();
const madeOf = (tenant: Tenant) => made.get(tenant) ?? { log: '', fingerprint: '', version: '', view: '' };

const contextOf = ({ project, environment }: Tenant): RequestContext => ({
  principal: { kind: 'anonymous' },
  organisationId: 'default',
  projectId: project,
  environment,
  databaseConfigId: 'embedded',
  scopes: new Set(SCOPES),
  requestId: 'test',
});

async function put(signal: Signal, tenant: Tenant, body: object, token: string): Promise<void> {
  const { blocks, rejected, message } = encodeRequest(
    signal,
    'json',
    new TextEncoder().encode(JSON.stringify(body)),
    {
      projectId: tenant.project,
      environment: tenant.environment,
      defaultEnvironment: 'production',
      receivedAtMs: Date.now(),
      retentionDays: 30,
      limits: DEFAULT_LIMITS,
    },
  );
  if (rejected > 0) throw new Error(message);
  for (const block of blocks) await platform.store.insertNative(block.table, [block.bytes], token);
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-tenancy-'));
  newStoreIn(join(dir, 'telemetry'));
  const metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger });
  const views = new Map<Tenant, string>();
  for (const tenant of [OWN, FOREIGN]) {
    const { id } = await metadata.views.create(tenant.project, {
      page: 'traces',
      name: `view of ${tenant.mark}`,
      description: tenant.mark,
      search: `?q=${tenant.mark}`,
    });
    views.set(tenant, id);
  }
  for (const { project, digit } of TENANTS) {
    const item = { id: digit.repeat(22), contentType: 'image/png', bytes: 1, sha256: `${digit.repeat(43)}=` };
    await metadata.media.announce(project, item, { traceId: '', spanId: '' }, 1_000);
    await metadata.media.finish(project, item.id);
  }
  await metadata.close();
  const config = readConfig({
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_DATA_DIR: dir,
    PLATFORM_LOCAL_COLLECTOR: 'false',
    PLATFORM_RATE_LIMIT: '100000',
  });
  platform = await startPlatform(config, { logger: silentLogger, metrics: createMetrics() });
  platform.identity.learnEnvironments('default', ['production', 'staging']);
  for (const tenant of TENANTS) {
    const { mark } = tenant;
    const scoped = (records: string, list: object) => [
      {
        resource: resource(tenant, 'shared-host'),
        [`scope${records}`]: [{ scope: { name: `scope-${mark}` }, ...list }],
      },
    ];
    const spans = [...spansOf(tenant, SHARED, 'shared'), ...spansOf(tenant, ids(tenant), `only-${mark}`)];
    await put('traces', tenant, { resourceSpans: scoped('Spans', { spans }) }, `t ${mark}`);
    const logRecords = [logOf(tenant, SHARED), logOf(tenant, ids(tenant))];
    await put('logs', tenant, { resourceLogs: scoped('Logs', { logRecords }) }, `l ${mark}`);
    const metrics = metricsOf(tenant);
    const resourceMetrics = ['shared-host', `host-${mark}`].map((host) => ({
      resource: resource(tenant, host),
      scopeMetrics: [{ scope: { name: `scope-${mark}` }, metrics }],
    }));
    await put('metrics', tenant, { resourceMetrics }, `m ${mark}`);
    made.set(tenant, { ...(await find(tenant)), view: views.get(tenant) ?? '' });
  }
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

/** What the tenant itself would find. */
async function find(tenant: Tenant): Promise<{ log: string; fingerprint: string; version: string }> {
  const limits = { timeoutMs: 30_000, maxRowsToRead: 1e9, maxMemoryBytes: 1e9 };
  const context = contextOf(tenant);
  const window = { from: BigInt(nanos(3_600)), to: BigInt(nanos(-60)) };
  const list = { window, filter: undefined, limit: 50, cursor: undefined };
  const logs = await createLogQueries(platform.store, limits).search(context, { ...list, sort: '-time' });
  const exceptions = await createExceptionQueries(platform.store, limits).search(context, {
    ...list,
    sort: '-lastSeen',
  });
  const agent = await createAgentQueries(platform.store, limits).agent(context, {
    agent: `only-${tenant.mark}`,
    window,
  });
  const group = exceptions.data.find(({ type }) => type === `Typeonly-${tenant.mark}`);
  const [version] = agent.byVersion;
  const [log] = logs.data;
  if (group === undefined || version === undefined || log === undefined)
    throw new Error('Nothing was stored');
  return { log: log.id, fingerprint: group.fingerprint, version: version.version };
}

interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** What the answer must be when it is asked about data of that tenant. Default 200. */
  readonly status?: number;
  /** True where the answer of the own project shows none of its data: nothing proves that the call was a good one. */
  readonly silent?: true;
}

const since = { from: '-1h' };
const key = (id: string) => entityKey(id);

/** Calls about ids of one tenant: its own ones, and those that all of them use. */
function asks(tenant: Tenant): { readonly [Id in RouteId]: readonly Call[] } {
  const { mark } = tenant;
  const own = ids(tenant);
  const { log, fingerprint, version, view } = madeOf(tenant);
  const media = tenant.digit.repeat(22);
  // An id of another project is unknown; in a list it finds nothing.
  const mine = tenant.project === 'default';
  const gone = mine ? {} : { status: 404 };
  const none = mine ? {} : { silent: true as const };
  const entity = (name: string, of: string): Call[] => [
    { path: { [name]: key('shared') }, query: since },
    { path: { [name]: key(`only-${of}`) }, query: since, ...gone },
  ];
  const host = (path: Readonly<Record<string, string>> = {}, more: Partial<Call> = {}): Call[] => [
    { path: { host: 'shared-host', ...path }, query: since, ...more },
    { path: { host: `host-${mark}`, ...path }, query: since, ...more, ...gone },
  ];
  const everything = { ...since, limit: 50 };
  const q = `attributes.secret:${mark}`;
  return {
    getPlatformHealth: [{ silent: true }],
    getReady: [{ silent: true }],
    getPriceExport: [{ silent: true }],
    getPriceTable: [{ silent: true }],
    getIngestHealth: [{ silent: true }],
    searchTraces: [
      { body: everything },
      { body: { ...everything, sort: '-duration' } },
      { body: { ...everything, q }, ...none },
      {
        body: {
          ...everything,
          filter: {
            or: [
              { field: 'status', op: '=', value: 'error' },
              { field: 'status', op: '=', value: 'ok' },
            ],
          },
        },
      },
    ],
    searchSpans: [
      { body: everything },
      { body: { ...everything, sort: '-tokens' } },
      { body: { ...everything, filter: { field: 'trace_id', op: 'in', value: [own.trace, SHARED.trace] } } },
    ],
    spanDurations: [{ body: { ...since, bucketSeconds: 60 }, silent: true }],
    getTrace: [{ path: { traceId: SHARED.trace } }, { path: { traceId: own.trace }, ...gone }],
    searchTrace: [
      { path: { traceId: SHARED.trace }, query: { q: mark }, ...none },
      { path: { traceId: own.trace }, query: { q: 'failed' }, ...gone },
    ],
    findSaid: [
      { body: { ...since, q: mark, of: 'traces', ids: [SHARED.trace, own.trace] }, silent: true },
      {
        body: { ...since, q: 'user_said:secret', of: 'spans', ids: [`${own.trace}-${own.call}`] },
        silent: true,
      },
    ],
    getSpan: [
      { path: { traceId: SHARED.trace, spanId: SHARED.call } },
      { path: { traceId: SHARED.trace, spanId: own.call }, status: 404 },
      { path: { traceId: own.trace, spanId: own.call }, ...gone },
    ],
    getHierarchy: [{ path: { spanId: SHARED.span } }, { path: { spanId: own.call }, ...gone }],
    searchLogs: [{ body: everything }, { body: { ...everything, q: `"${mark}"` }, ...none }],
    getLog: [{ path: { id: log }, ...gone }],
    getLogContext: [{ path: { id: log }, ...gone }],
    searchCodingSessions: [{ body: everything, silent: true }],
    searchCodingUsers: [{ body: everything, silent: true }],
    summariseCodingAgents: [{ body: { ...since, compare: true }, silent: true }],
    getCodingSession: [{ path: { sessionId: mark }, query: since, status: 404, silent: true }],
    getCodingPolicy: [{ silent: true }],
    listCodingDisputes: [{ status: 401, silent: true }],
    createCodingDispute: [
      {
        body: { sessionId: mark, agent: 'codex', requested: 'work', rationale: 'x' },
        status: 401,
        silent: true,
      },
    ],
    resolveCodingDispute: [
      { path: { id: 'none' }, body: { verdict: 'accepted' }, status: 401, silent: true },
    ],
    withdrawCodingDispute: [{ path: { id: 'none' }, status: 401, silent: true }],
    searchExceptions: [{ body: everything }, { body: { ...everything, q: mark }, ...none }],
    getException: [{ path: { fingerprint }, query: since, ...gone }],
    triageException: [{ path: { fingerprint }, body: { status: 'resolved' }, silent: true }],
    listMetrics: [{ query: since }, { query: { ...since, q: mark }, ...none }],
    listMetricLabels: [
      { query: { ...since, metric: 'shared.gauge' } },
      { query: { ...since, metric: `own.${mark}` }, ...none },
    ],
    queryMetric: [
      { body: { ...since, metric: 'shared.gauge', groupBy: ['attributes.label'], exemplars: true } },
      {
        body: {
          ...since,
          metric: 'shared.gauge',
          aggregation: 'sum',
          filter: { field: 'attributes.label', op: '!=', value: 'x' },
        },
        silent: true,
      },
      { body: { ...since, metric: 'shared.histogram', groupBy: ['resource.host.id'], exemplars: true } },
      { body: { ...since, metric: `own.${mark}` }, ...none },
    ],
    queryMetricHeatmap: [{ body: { ...since, metric: 'shared.histogram' }, silent: true }],
    aggregate: [
      {
        body: {
          ...since,
          groupBy: ['name', 'attributes.secret'],
          measures: ['count', 'input_tokens'],
          comparePrevious: true,
        },
      },
      { body: { ...since, groupBy: ['service'], measures: ['count', 'input_tokens'], bucketSeconds: 300 } },
      { body: { ...since, signal: 'logs', groupBy: ['service'], measures: ['count'] } },
    ],
    facets: [
      { body: since },
      { body: { ...since, signal: 'logs' } },
      { body: { ...since, signal: 'exceptions' } },
      { body: { ...since, search: mark }, ...none },
      { body: { ...since, fields: ['attributes.secret'] } },
      { body: { ...since, signal: 'logs', fields: ['attributes.secret'] } },
    ],
    tail: [
      { query: { signal: 'spans', since: new Date(now - 300_000).toISOString() } },
      { query: { signal: 'logs', since: new Date(now - 300_000).toISOString() } },
    ],
    listFields: [{ query: since, silent: true }],
    listFieldValues: [
      { query: { ...since, field: 'attributes.secret' } },
      { query: { ...since, field: 'service', prefix: mark }, silent: true },
      { query: { ...since, field: 'session', prefix: mark }, ...none },
      { query: { ...since, signal: 'logs', field: 'service' } },
    ],
    compare: [
      { body: { ...since, signal: 'spans', selection: 'operation:chat' }, silent: true },
      { body: { ...since, signal: 'spans', selection: `attributes.secret:${mark}` }, silent: true },
      { body: { ...since, signal: 'logs', selection: `attributes.secret:${mark}` }, silent: true },
    ],
    exportRows: [
      { body: { ...since, signal: 'traces', format: 'csv' } },
      { body: { ...since, signal: 'spans', format: 'json' } },
      {
        body: { ...since, signal: 'spans', format: 'otlp', q: `trace_id:(${own.trace} or ${SHARED.trace})` },
      },
      { body: { ...since, signal: 'logs', format: 'otlp' } },
    ],
    listBoards: [{ silent: true }],
    createBoard: [{ body: { title: `made ${crypto.randomUUID()}` }, status: 403, silent: true }],
    getBoard: [{ path: { id: 'seed:llm' }, silent: true }],
    replaceBoard: [{ path: { id: crypto.randomUUID() }, body: { title: 'x' }, status: 403, silent: true }],
    deleteBoard: [{ path: { id: crypto.randomUUID() }, status: 403, silent: true }],
    duplicateBoard: [{ path: { id: crypto.randomUUID() }, body: {}, status: 403, silent: true }],
    pinBoard: [{ path: { id: 'seed:llm' }, body: { pinned: true }, status: 401, silent: true }],
    exportBoard: [{ path: { id: 'seed:llm' }, silent: true }],
    importBoard: [{ body: { document: { panels: [] } }, status: 403, silent: true }],
    createBoardFolder: [{ body: { name: 'made' }, status: 403, silent: true }],
    updateBoardFolder: [
      { path: { id: crypto.randomUUID() }, body: { name: 'x' }, status: 403, silent: true },
    ],
    deleteBoardFolder: [{ path: { id: crypto.randomUUID() }, status: 403, silent: true }],
    boardData: [{ path: { id: 'seed:llm' }, body: since, silent: true }],
    queryPanel: [
      {
        body: {
          ...since,
          panel: {
            query: { kind: 'aggregate', body: { groupBy: ['attributes.secret'], measures: ['count'] } },
            visual: { type: 'table' },
          },
        },
      },
      {
        body: {
          ...since,
          panel: {
            query: { kind: 'aggregate', body: { q, measures: ['count'] } },
            visual: { type: 'stat' },
          },
        },
        silent: true,
      },
    ],
    listAlerts: [{ silent: true }],
    createAlert: [{ body: { name: 'mine' }, status: 400, silent: true }],
    getAlert: [{ path: { id: crypto.randomUUID() }, status: 404, silent: true }],
    updateAlert: [{ path: { id: crypto.randomUUID() }, body: {}, status: 400, silent: true }],
    deleteAlert: [{ path: { id: crypto.randomUUID() }, status: 404, silent: true }],
    acknowledgeAlert: [{ path: { id: crypto.randomUUID() }, body: {}, status: 404, silent: true }],
    previewAlert: [
      {
        body: {
          ...since,
          alert: {
            name: 'preview',
            delaySeconds: 0,
            source: {
              kind: 'threshold',
              windowSeconds: 3_600,
              query: { kind: 'aggregate', body: { groupBy: ['attributes.secret'], measures: ['count'] } },
              condition: { op: '>=', value: 1 },
            },
          },
        },
      },
    ],
    listAlertEvents: [{ silent: true }],
    listSilences: [{ silent: true }],
    createSilence: [{ body: { matchers: [] }, status: 400, silent: true }],
    endSilence: [{ path: { id: crypto.randomUUID() }, status: 404, silent: true }],
    listDestinations: [{ silent: true }],
    createDestination: [{ body: {}, status: 401, silent: true }],
    updateDestination: [{ path: { id: crypto.randomUUID() }, body: {}, status: 401, silent: true }],
    deleteDestination: [{ path: { id: crypto.randomUUID() }, status: 401, silent: true }],
    testDestination: [{ path: { id: crypto.randomUUID() }, body: {}, status: 401, silent: true }],
    listDeliveries: [{ silent: true }],
    checkBudget: [{ status: 401, silent: true }],
    listViews: [{}, { query: { page: 'traces' } }],
    createView: [
      { body: { page: 'logs', name: `made ${crypto.randomUUID()}`, search: '' }, status: 201, silent: true },
    ],
    getView: [{ path: { id: view }, ...gone }],
    updateView: [{ path: { id: view }, body: { search: '?q=ownmark' }, ...gone }],
    // The own one is deleted by nobody here.
    deleteView: mine
      ? [{ path: { id: crypto.randomUUID() }, status: 404 }]
      : [{ path: { id: view }, status: 404 }],
    // For people with a session; nobody in particular is told to sign in.
    listAuditEvents: [{ status: 401, silent: true }],
    listConnectors: [{ status: 401, silent: true }],
    getConnector: [{ path: { id: 'embedded' }, status: 401, silent: true }],
    createConnector: [{ body: { kind: 'embedded', name: 'mine' }, status: 401, silent: true }],
    updateConnector: [{ path: { id: 'embedded' }, body: { version: 1 }, status: 401, silent: true }],
    deleteConnector: [{ path: { id: 'embedded' }, status: 401, silent: true }],
    checkConnector: [{ path: { id: 'embedded' }, status: 401, silent: true }],
    migrateConnector: [{ path: { id: 'embedded' }, status: 401, silent: true }],
    getRouting: [{ status: 401, silent: true }],
    updateRouting: [
      {
        body: { changes: [{ environment: null, signal: 'logs', connectorId: 'embedded' }] },
        status: 401,
        silent: true,
      },
    ],
    getDbConfig: [{ status: 403, silent: true }],
    listJobs: [{ status: 401, silent: true }],
    listJobRuns: [{ path: { id: 'retention' }, status: 401, silent: true }],
    runJob: [{ path: { id: 'retention' }, status: 401, silent: true }],
    getRetention: [{ status: 401, silent: true }],
    updateRetention: [{ body: { logs: 3 }, status: 401, silent: true }],
    eraseUserData: [{ body: { userId: 'nobody' }, status: 403, silent: true }],
    listScores: [{ query: since, status: 401, silent: true }],
    addScore: [{ body: { name: 'x' }, status: 401, silent: true }],
    addFeedback: [{ body: { name: 'x' }, status: 401, silent: true }],
    scoreAnalytics: [{ query: since, status: 403, silent: true }],
    scoreAgreement: [{ query: { ...since, name: 'bias' }, status: 403, silent: true }],
    getEvaluationConfig: [{ status: 403, silent: true }],
    setEvaluationConfig: [{ body: { modelId: null, dailyCapUsd: null }, status: 401, silent: true }],
    listEvaluators: [{ status: 403, silent: true }],
    createEvaluator: [{ body: { id: 'Not an id' }, status: 403, silent: true }],
    updateEvaluator: [{ path: { id: 'none' }, body: {}, status: 403, silent: true }],
    deleteEvaluator: [{ path: { id: 'none' }, status: 403, silent: true }],
    testEvaluator: [
      {
        path: { id: 'none' },
        body: { spans: [{ traceId: own.trace, spanId: own.call }] },
        status: 403,
        silent: true,
      },
    ],
    startEvaluation: [{ body: { evaluators: ['none'], traceId: own.trace }, status: 403, silent: true }],
    listEvaluationRuns: [{ query: { evaluator: 'bias' }, status: 403, silent: true }],
    evaluateOffline: [{ body: { prompt: 'a', response: 'b' }, status: 401, silent: true }],
    listOfflineTypes: [{ status: 401, silent: true }],
    upsertOfflineTypes: [{ body: { types: [] }, status: 403, silent: true }],
    updateOfflineType: [{ path: { id: 'none' }, body: {}, status: 403, silent: true }],
    listDatasets: [{ status: 403, silent: true }],
    createDataset: [{ body: { name: 'x' }, status: 403, silent: true }],
    getDataset: [{ path: { id: 'none' }, status: 403, silent: true }],
    deleteDataset: [{ path: { id: 'none' }, status: 403, silent: true }],
    listDatasetItems: [{ path: { id: 'none' }, status: 403, silent: true }],
    addDatasetItems: [{ path: { id: 'none' }, body: {}, status: 403, silent: true }],
    importDataset: [
      { path: { id: 'none' }, body: { format: 'jsonl', text: '{}' }, status: 403, silent: true },
    ],
    exportDataset: [{ path: { id: 'none' }, status: 403, silent: true }],
    listExperiments: [{ status: 403, silent: true }],
    createExperiment: [
      { body: { dataset: 'none', target: { kind: 'external' } }, status: 403, silent: true },
    ],
    getExperiment: [{ path: { id: 'none' }, status: 403, silent: true }],
    resumeExperiment: [{ path: { id: 'none' }, body: {}, status: 403, silent: true }],
    deleteExperiment: [{ path: { id: 'none' }, status: 403, silent: true }],
    listExperimentItems: [{ path: { id: 'none' }, status: 403, silent: true }],
    addExperimentItems: [
      { path: { id: 'none' }, body: { items: [{ itemId: 'a' }] }, status: 403, silent: true },
    ],
    compareExperiments: [{ path: { id: 'none' }, query: { with: 'other' }, status: 403, silent: true }],
    listQueues: [{ status: 403, silent: true }],
    createQueue: [{ body: { name: 'x' }, status: 403, silent: true }],
    deleteQueue: [{ path: { id: 'none' }, status: 403, silent: true }],
    listQueueItems: [{ path: { id: 'none' }, status: 403, silent: true }],
    addQueueItems: [{ path: { id: 'none' }, body: { q: '' }, status: 403, silent: true }],
    claimQueueItem: [{ path: { id: 'none' }, status: 403, silent: true }],
    labelQueueItem: [{ path: { id: 'none', itemId: 'none' }, body: {}, status: 403, silent: true }],
    queueAgreement: [{ path: { id: 'none' }, status: 403, silent: true }],
    runPlayground: [{ body: { columns: [] }, status: 403, silent: true }],
    listPlaygroundRuns: [{ status: 403, silent: true }],
    getPlaygroundRun: [{ path: { id: 'none' }, status: 403, silent: true }],
    deletePlaygroundRun: [{ path: { id: 'none' }, status: 403, silent: true }],
    enrolController: [{ body: { token: 'none', instance_id: mark }, status: 403, silent: true }],
    pollController: [{ body: { instance_id: mark }, status: 403, silent: true }],
    listControllers: [{ status: 403, silent: true }],
    getController: [{ path: { id: 'none' }, status: 403, silent: true }],
    revokeController: [{ path: { id: 'none' }, status: 401, silent: true }],
    listCatalogue: [{ status: 403, silent: true }],
    instrumentService: [{ path: { id: 'none' }, body: { reason: 'test' }, status: 403, silent: true }],
    uninstrumentService: [{ path: { id: 'none' }, body: { reason: 'test' }, status: 403, silent: true }],
    getServiceAgent: [{ path: { id: 'none' }, status: 403, silent: true }],
    enableServiceAgent: [{ path: { id: 'none' }, body: { reason: 'test' }, status: 403, silent: true }],
    disableServiceAgent: [{ path: { id: 'none' }, query: { reason: 'test' }, status: 403, silent: true }],
    listControllerActions: [{ status: 403, silent: true }],
    listControllerTokens: [{ status: 401, silent: true }],
    createControllerToken: [{ body: {}, status: 401, silent: true }],
    revokeControllerToken: [{ path: { id: 'none' }, status: 401, silent: true }],
    listCollectors: [{ status: 403, silent: true }],
    getCollector: [{ path: { id: 'none' }, status: 403, silent: true }],
    pushCollectorConfig: [
      {
        path: { id: 'none' },
        body: { config: 'a: 1', ifHash: null, reason: 'test' },
        status: 403,
        silent: true,
      },
    ],
    rollbackCollectorConfig: [
      { path: { id: 'none' }, body: { version: 1, reason: 'test' }, status: 403, silent: true },
    ],
    forgetCollector: [{ path: { id: 'none' }, status: 401, silent: true }],
    getControllerConfig: [{ status: 403, silent: true }],
    setControllerConfig: [
      { body: { poll_interval_seconds: 60, custom_llm_hosts: [] }, status: 403, silent: true },
    ],
    listScanners: [{ silent: true }],
    createScanner: [{ body: { name: 'mine' }, status: 400, silent: true }],
    updateScanner: [{ path: { id: 'scanner:none' }, body: {}, status: 400, silent: true }],
    deleteScanner: [{ path: { id: 'scanner:none' }, status: 404, silent: true }],
    startScan: [{ path: { id: 'scanner:none' }, body: {}, status: 404, silent: true }],
    listScannerJobs: [{ path: { id: 'scanner:none' }, status: 404, silent: true }],
    getScannerJob: [{ path: { jobId: 'none' }, status: 404, silent: true }],
    cancelScannerJob: [{ path: { jobId: 'none' }, status: 404, silent: true }],
    getScannerSarif: [{ path: { jobId: 'none' }, status: 404, silent: true }],
    getScannerBom: [{ path: { jobId: 'none' }, status: 404, silent: true }],
    uploadScan: [{ path: { id: 'scanner:none' }, body: {}, status: 404, silent: true }],
    importFindings: [{ path: { id: 'scanner:none' }, body: {}, status: 404, silent: true }],
    listVulnerabilityData: [{ silent: true }],
    uploadVulnerabilityData: [{ path: { ecosystem: 'npm' }, body: {}, status: 422, silent: true }],
    listFindings: [{ silent: true }],
    trendFindings: [{ silent: true }],
    exportFindings: [{ silent: true }],
    updateFinding: [
      { path: { fingerprint: '0'.repeat(64) }, body: { status: 'open' }, status: 404, silent: true },
    ],
    listCustomPrices: [{ silent: true }],
    createCustomPrice: [
      {
        body: { scope: 'project', names: ['m'], rates: { input: 1, output: 1 } },
        status: 401,
        silent: true,
      },
    ],
    updateCustomPrice: [{ path: { id: 'none' }, body: {}, status: 401, silent: true }],
    deleteCustomPrice: [{ path: { id: 'none' }, status: 401, silent: true }],
    searchPriceList: [{ silent: true }],
    announceMedia: [
      {
        body: {
          traceId: own.trace,
          contentType: 'image/png',
          contentLength: 1,
          sha256Hash: `${'Z'.repeat(43)}=`,
          field: 'input',
        },
        status: 201,
        silent: true,
      },
    ],
    reportMedia: [
      {
        path: { mediaId: media },
        body: { uploadedAt: new Date(now).toISOString(), uploadHttpStatus: 200 },
        silent: true,
        ...gone,
      },
    ],
    getMedia: [{ path: { mediaId: media }, silent: true, ...gone }],
    // Their addresses are their credentials; what they are good for is tested in `features/media`.
    putMedia: [{ path: { mediaId: media }, query: { token: media }, body: {}, status: 403, silent: true }],
    getMediaContent: [{ path: { mediaId: media }, query: { token: media }, status: 403, silent: true }],
    listModels: [{ status: 403, silent: true }],
    createModel: [
      { body: { name: 'mine', provider: 'openai', model: 'm', secretId: 's' }, status: 401, silent: true },
    ],
    updateModel: [{ path: { id: 'none' }, body: {}, status: 401, silent: true }],
    deleteModel: [{ path: { id: 'none' }, status: 401, silent: true }],
    checkModel: [{ path: { id: 'none' }, status: 401, silent: true }],
    tryPrompt: [{ path: { id: 'none' }, body: { modelId: 'none' }, status: 403, silent: true }],
    listSessions: [
      { query: since },
      { query: { ...since, user: `only-${mark}` }, ...none },
      { query: { ...since, q }, ...none },
    ],
    tracePreviews: [
      {
        body: {
          traces: [own.trace, 'ab'.repeat(16)].flatMap((traceId) =>
            [nanos(120), null].map((openingNs) => ({
              traceId,
              startTime: new Date(now - 300_000).toISOString(),
              durationMs: 300_000,
              openingNs,
            })),
          ),
        },
      },
    ],
    sessionPreviews: [
      {
        body: {
          sessions: ['shared', `only-${mark}`].map((sessionId) => ({ sessionId, openingNs: nanos(120) })),
        },
      },
    ],
    getSession: entity('session', mark),
    searchSession: [{ path: { session: key(`only-${mark}`) }, query: { q: mark }, ...gone }],
    getSessionTurns: [
      { path: { session: key('shared') }, query: since },
      { path: { session: key(`only-${mark}`) }, query: since, ...gone },
      { path: { session: key('shared') }, query: { ...since, trace: own.trace }, status: 404 },
    ],
    listUsers: [{ query: since }, { query: { ...since, q }, ...none }],
    getUser: entity('user', mark),
    listAgents: [{ query: since }, { query: { ...since, search: mark }, ...none }],
    getAgent: entity('agent', mark),
    getAgentVersion: [
      { path: { agent: key(`only-${mark}`), version }, query: since, ...gone },
      { path: { agent: key('shared'), version }, query: since, ...gone },
    ],
    agentGraph: entity('agent', mark),
    listHosts: [{ query: since }],
    getHost: host(),
    getHostCurves: host({}, { silent: true }),
    getHostCalls: host({}, { silent: true }),
    getGpu: host({ gpu: 'GPU-0' }),
    getGpuCurves: host({ gpu: 'GPU-0' }, { silent: true }),
  };
}

/** Asks as the own project does, or as somebody who is signed in. Of live views what comes within a moment. */
async function ask(
  id: RouteId,
  call: Call,
  environment: string | undefined,
  who?: Browser,
): Promise<{ status: number; text: string }> {
  const route: { readonly method: HttpMethod; readonly path: string; readonly stream: string | undefined } =
    ROUTES[id];
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(call.path?.[name] ?? ''),
  );
  const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query)}`;
  const live = route.stream === 'events';
  const response = await fetch(`${platform.http}${path}${query}`, {
    method: route.method,
    headers: {
      ...(environment === undefined ? {} : { 'x-platform-environment': environment }),
      ...(who === undefined
        ? {}
        : {
            origin: platform.http,
            cookie: [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  if (!live || response.body === null) return { status: response.status, text: await response.text() };
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const timer = setTimeout(() => void reader.cancel(), who === undefined ? 5_000 : 1_500);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (text.includes('event: rows') && text.endsWith('\n\n')) break;
  }
  clearTimeout(timer);
  await reader.cancel();
  return { status: response.status, text };
}

const VIEWS: readonly { readonly environment: string | undefined; readonly sees: readonly Tenant[] }[] = [
  { environment: undefined, sees: [OWN, STAGING] },
  { environment: 'production', sees: [OWN] },
  { environment: 'staging', sees: [STAGING] },
];
/** Views belong to the project, whatever the environment. */
const OF_PROJECT = new Set<RouteId>(['listViews', 'createView', 'getView', 'updateView', 'deleteView']);

describe.each(ROUTE_IDS)('%s', (id) => {
  it('answers with nothing of another project or environment', { timeout: 60_000 }, async () => {
    for (const { environment, sees } of VIEWS) {
      for (const about of TENANTS) {
        for (const [place, call] of asks(about)[id].entries()) {
          const { status, text } = await ask(id, call, environment);
          const where = `${id} #${place} about ${about.mark} as ${environment ?? 'all environments'}: ${text.slice(0, 2_000)}`;
          const visible = sees.includes(about) || OF_PROJECT.has(id);
          if (about.project !== 'default') expect(status, where).toBe(call.status ?? 200);
          else if (visible && about !== STAGING) expect(status, where).toBe(call.status ?? 200);
          else expect([200, 201, 404, call.status], where).toContain(status);
          const hidden = TENANTS.filter((tenant) => !sees.includes(tenant));
          for (const tenant of hidden) {
            const echoed = text.replaceAll(new RegExp(`own\\.${about.mark}`, 'g'), '');
            if (OF_PROJECT.has(id) && tenant.project === 'default') continue;
            expect(echoed, where).not.toMatch(signOf(tenant));
          }
          if (visible && call.silent === undefined && status === 200 && !OF_PROJECT.has(id)) {
            expect(
              sees.some((tenant) => signOf(tenant).test(text)),
              where,
            ).toBe(true);
          }
        }
      }
    }
  });
});

it('an id of another project is told exactly as one that nobody has', async () => {
  const unknown: Tenant = {
    project: 'nobody',
    environment: 'production',
    mark: 'nobodymark',
    figure: 1,
    digit: '9',
  };
  made.set(unknown, {
    log: madeOf(FOREIGN).log.replaceAll(/[0-9]/g, (digit) => String((Number(digit) + 1) % 10)),
    fingerprint: 'f'.repeat(16),
    version: 'f'.repeat(madeOf(FOREIGN).version.length),
    view: crypto.randomUUID(),
  });
  for (const id of ROUTE_IDS) {
    const foreign = asks(FOREIGN)[id];
    for (const [place, call] of asks(unknown)[id].entries()) {
      if (call.status !== 404) continue;
      const asked = foreign[place];
      if (asked === undefined) throw new Error('Both ask the same');
      expect(await ask(id, asked, undefined), id).toEqual(await ask(id, call, undefined));
    }
  }
});

/** Somebody who works with a coding agent and has fewer than five sessions; then the project has an owner, and nobody reads unasked. */
const QUIET: Tenant = {
  project: 'default',
  environment: 'production',
  mark: 'quietmark',
  figure: 777_700,
  digit: '4',
};

/** What the hooks and the agent itself send of one session. Names of models and tools are those of everybody. */
async function putQuiet(): Promise<void> {
  const { mark, figure } = QUIET;
  const own = ids(QUIET);
  const session = `only-${mark}`;
  const agent = {
    attributes: values({
      'service.name': 'claude-code',
      'host.name': `host-${mark}`,
      'code.cwd': `/home/${mark}`,
      'vcs.ref.head.name': `${mark}/fix`,
    }),
  };
  const common = { 'gen_ai.request.user': session, 'user.email': session, secret: mark };
  const one = (spanId: string, name: string, attributes: Readonly<Record<string, string | number>>) => ({
    traceId: own.trace,
    spanId,
    parentSpanId: spanId === own.span ? '' : own.span,
    name,
    kind: 1,
    startTimeUnixNano: nanos(120),
    endTimeUnixNano: `${BigInt(nanos(120)) + BigInt(figure) * 1_000_000n}`,
    attributes: values({ ...common, 'coding_agent.session.id': session, ...attributes }),
    status: { code: 2, message: `status ${mark}` },
    events: [
      {
        timeUnixNano: nanos(99),
        name: 'exception',
        attributes: values({ 'exception.type': 'Refused', 'exception.message': `failed for ${mark}` }),
      },
    ],
  });
  const spans = [
    one(own.span, 'coding_agent.session', {}),
    one(own.call, 'coding_agent.llm.turn', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': figure,
      'gen_ai.usage.output_tokens': figure,
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: `asked by ${mark}` }] },
      ]),
    }),
    one(`${own.call.slice(0, 15)}d`, 'coding_agent.tool.call', { 'gen_ai.tool.name': 'Edit' }),
  ];
  const logRecords = [
    {
      timeUnixNano: nanos(90),
      severityNumber: 17,
      severityText: 'ERROR',
      eventName: 'claude_code.user_prompt',
      body: { stringValue: `the same words and ${mark}` },
      traceId: own.trace,
      spanId: own.call,
      attributes: values({
        ...common,
        'session.id': session,
        'exception.type': 'Refused',
        'exception.message': mark,
      }),
    },
  ];
  const points = ['shared.gauge', 'claude_code.token.usage'].map((name) => ({
    name,
    unit: '1',
    gauge: {
      dataPoints: [
        {
          timeUnixNano: nanos(40),
          asDouble: figure,
          attributes: values({ ...common, 'session.id': session, label: mark }),
        },
      ],
    },
  }));
  const scope = { name: 'candela.coding' };
  await put('traces', QUIET, { resourceSpans: [{ resource: agent, scopeSpans: [{ scope, spans }] }] }, 'qt');
  await put('logs', QUIET, { resourceLogs: [{ resource: agent, scopeLogs: [{ scope, logRecords }] }] }, 'ql');
  const scopeMetrics = [{ scope, metrics: points }];
  await put('metrics', QUIET, { resourceMetrics: [{ resource: agent, scopeMetrics }] }, 'qm');
}

/** Sums over everybody, which name nobody: the figures of a session may be a part of them. */
const SUMS = new Set<RouteId>(['summariseCodingAgents', 'aggregate', 'facets', 'boardData', 'queryPanel']);
/** Routes on which an admin has to see the session: what a viewer does not see there was there. */
const TELLING = [
  'searchTraces',
  'searchSpans',
  'getTrace',
  'getSpan',
  'getHierarchy',
  'searchTrace',
  'searchLogs',
  'getLog',
  'getLogContext',
  'searchExceptions',
  'getException',
  'queryMetric',
  'listMetricLabels',
  'aggregate',
  'facets',
  'tail',
  'listFieldValues',
  'compare',
  'exportRows',
  'queryPanel',
  'listSessions',
  'getSession',
  'getSessionTurns',
  'sessionPreviews',
  'tracePreviews',
  'listUsers',
  'getUser',
  'searchCodingSessions',
  'searchCodingUsers',
] as const satisfies readonly RouteId[];

describe('a user of coding agents with few sessions', () => {
  let owner: Browser;
  let admin: Browser;
  let viewer: Browser;
  beforeAll(async () => {
    await putQuiet();
    const list = { filter: undefined, limit: 50, cursor: undefined };
    const window = { from: BigInt(nanos(3_600)), to: BigInt(nanos(-60)) };
    const limits = { timeoutMs: 30_000, maxRowsToRead: 1e9, maxMemoryBytes: 1e9 };
    const [logs, exceptions] = [
      createLogQueries(platform.store, limits),
      createExceptionQueries(platform.store, limits),
    ];
    const context = contextOf(QUIET);
    const log = (await logs.search(context, { ...list, window, sort: '-time' })).data.find(
      ({ traceId }) => traceId === ids(QUIET).trace,
    );
    const group = (await exceptions.search(context, { ...list, window, sort: '-lastSeen' })).data.find(
      ({ type }) => type === 'Refused',
    );
    made.set(QUIET, {
      log: log?.id ?? '',
      fingerprint: group?.fingerprint ?? '',
      version: 'none',
      view: crypto.randomUUID(),
    });
    owner = await ownerOf(platform);
    [admin, viewer] = (await Promise.all(
      (['admin', 'viewer'] as const).map(async (role) => (await joined(platform, owner, role)).browser),
    )) as [Browser, Browser];
  }, 60_000);

  it('is known to admins, and in no answer to a viewer', { timeout: 120_000 }, async () => {
    const told = new Set<string>();
    const leaks: string[] = [];
    const reads = ROUTE_IDS.filter((id) => ROUTES[id].method === 'GET' || Object.hasOwn(READ_BY_POST, id));
    for (const id of reads) {
      for (const [place, call] of asks(QUIET)[id].entries()) {
        const known = await ask(id, call, undefined, admin);
        if (known.text.includes(QUIET.mark)) told.add(id);
        const { text } = await ask(id, call, undefined, viewer);
        // The name of a metric that was asked for is said again.
        const said = text.replaceAll(`own.${QUIET.mark}`, '');
        const signs = [QUIET.mark, ids(QUIET).trace].filter((sign) => said.includes(sign));
        if (signs.length > 0 || (!SUMS.has(id) && signOf(QUIET).test(said)))
          leaks.push(`${id} #${place} ${signs.join()}: ${said.slice(0, 600)}`);
      }
    }
    expect(leaks).toEqual([]);
    expect([...told]).toEqual(expect.arrayContaining([...TELLING]));
  });

  it('has its sessions called as an accepted dispute says, with every step in the audit log', async () => {
    const path = '/api/coding-agents/disputes';
    const body = {
      sessionId: `only-${QUIET.mark}`,
      agent: 'claude-code',
      requested: 'work',
      rationale: 'ours',
    };
    // Who does not see the session does not learn of it by a dispute either.
    expect((await viewer.call('POST', path, body)).status).toBe(403);
    const { browser: member } = await joined(platform, owner, 'member');
    expect((await member.call('POST', path, body)).status).toBe(404);
    const made = await admin.call('POST', path, body);
    expect([made.status, made.data]).toMatchObject([201, { current: 'unknown', status: 'open' }]);
    expect((await admin.call('POST', path, body)).status).toBe(409);
    expect((await member.call('GET', path)).data).toEqual([]);
    expect((await owner.call('GET', path)).data).toHaveLength(1);
    const one = `${path}/${made.data.id}`;
    expect((await member.call('POST', `${one}/resolve`, { verdict: 'accepted' })).status).toBe(403);
    expect((await member.call('POST', `${one}/withdraw`)).status).toBe(404);
    expect((await owner.call('POST', `${one}/resolve`, { verdict: 'accepted' })).data).toMatchObject({
      status: 'accepted',
    });
    expect((await admin.call('POST', `${one}/withdraw`)).status).toBe(409);
    const session = await admin.call('GET', `/api/coding-agents/sessions/only-${QUIET.mark}?from=-1h`);
    expect(session.data).toMatchObject({ classification: 'work' });
    const again = await admin.call('POST', path, { ...body, requested: 'personal' });
    expect((await admin.call('POST', `${path}/${again.data.id}/withdraw`)).data).toMatchObject({
      status: 'withdrawn',
    });
    const { text } = await owner.call('GET', '/api/audit?limit=50');
    for (const verb of ['create', 'resolve', 'withdraw']) expect(text).toContain(`coding-dispute.${verb}`);
  });
});

/** Routes that read and are asked with a body. */
const READ_BY_POST = Object.fromEntries(
  (
    [
      'searchTraces',
      'searchSpans',
      'spanDurations',
      'searchLogs',
      'searchCodingSessions',
      'searchCodingUsers',
      'summariseCodingAgents',
      'searchExceptions',
      'queryMetric',
      'queryMetricHeatmap',
      'aggregate',
      'facets',
      'compare',
      'exportRows',
      'boardData',
      'queryPanel',
      'previewAlert',
      'tracePreviews',
      'sessionPreviews',
    ] as const satisfies readonly RouteId[]
  ).map((id) => [id, true]),
);
