import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { encodeLogsRequest, encodeMetricsRequest, encodeTraceRequest } from '@candela/otlp';

/** What a load sends: spans, log records or points of a gauge. */
export type AckSignal = 'traces' | 'logs' | 'metrics';

export interface AckLoadOptions {
  /** Default `traces`. Of other signals a trace id names the request all the same, and a span id the record or point. */
  readonly signal?: AckSignal;
  /** Base address of the OTLP receiver at the moment, e.g. `http://127.0.0.1:4318`; undefined while there is none. */
  readonly endpoint: () => string | undefined;
  readonly clients: number;
  /** Every request is one trace of so many spans. Default 5. */
  readonly spansPerRequest?: number;
  /** `service.name` of the spans, so that a reader finds them. */
  readonly service: string;
  /** API key that it sends. Default: none. */
  readonly key?: string;
  /** Pause of a client between two requests, milliseconds. Default 5. */
  readonly thinkMs?: number;
}

export interface AckLoad {
  readonly spansPerRequest: number;
  /** Trace ids answered 200. */
  readonly acknowledged: ReadonlySet<string>;
  /** Trace ids sent at least once, acknowledged or not. */
  readonly attempted: ReadonlySet<string>;
  /** How often each status came; 0 counts broken connections. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Milliseconds of every acknowledged request, from its last sending. */
  readonly latencies: readonly number[];
  /** 429 and 503 answers that carried no Retry-After. */
  readonly refusalsWithoutRetryAfter: number;
  /** Lets the requests under way end, then stops. */
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 30_000;
const RETRY_MS = 100;

/**
 * Clients that behave as exporters do: they send a batch, resend the same bytes after a refusal or a broken
 * connection, and remember what was acknowledged. What they remember must be in the store exactly once, whatever
 * happened in between.
 */
export function startAckLoad(options: AckLoadOptions): AckLoad {
  const { signal = 'traces', spansPerRequest = 5 } = options;
  const acknowledged = new Set<string>();
  const attempted = new Set<string>();
  const statuses = new Map<number, number>();
  const latencies: number[] = [];
  const state = { stopped: false, refusalsWithoutRetryAfter: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients });

  async function client(): Promise<void> {
    while (!state.stopped) {
      const traceId = randomBytes(16).toString('hex');
      const body = BATCHES[signal](traceId, spansPerRequest, options.service);
      for (;;) {
        const base = options.endpoint();
        if (base !== undefined) {
          attempted.add(traceId);
          const startedAt = performance.now();
          const reply = await send(agent, `${base}/v1/${signal}`, body, options.key);
          statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
          if ((reply.status === 429 || reply.status === 503) && reply.retryAfter === undefined) {
            state.refusalsWithoutRetryAfter += 1;
          }
          if (reply.status === 200) {
            acknowledged.add(traceId);
            latencies.push(performance.now() - startedAt);
            break;
          }
        }
        if (state.stopped) return;
        await pause(RETRY_MS * (0.5 + Math.random()));
      }
      await pause(options.thinkMs ?? 5);
    }
  }

  const clients = Promise.all(Array.from({ length: options.clients }, client));
  return {
    spansPerRequest,
    acknowledged,
    attempted,
    statuses,
    latencies,
    get refusalsWithoutRetryAfter() {
      return state.refusalsWithoutRetryAfter;
    },
    async stop() {
      state.stopped = true;
      await clients;
      agent.destroy();
    },
  };
}

export interface StoredTrace {
  readonly traceId: string;
  readonly spans: number;
  readonly distinctSpans: number;
}

export interface AckReport {
  readonly acknowledged: number;
  /** Acknowledged, but not (wholly) in the store: lost. */
  readonly lost: readonly string[];
  /** In the store more than once, acknowledged or not. */
  readonly doubled: readonly string[];
  /** In the store, but never sent. */
  readonly unknown: readonly string[];
}

/** Holds what the clients remember against what the store has. */
export function compareWithStore(load: AckLoad, stored: Iterable<StoredTrace>): AckReport {
  const byTrace = new Map<string, StoredTrace>();
  for (const trace of stored) byTrace.set(trace.traceId, trace);
  const lost = [...load.acknowledged].filter(
    (traceId) => (byTrace.get(traceId)?.distinctSpans ?? 0) < load.spansPerRequest,
  );
  const doubled: string[] = [];
  const unknown: string[] = [];
  for (const [traceId, { spans, distinctSpans }] of byTrace) {
    if (spans > distinctSpans) doubled.push(traceId);
    if (!load.attempted.has(traceId)) unknown.push(traceId);
  }
  return { acknowledged: load.acknowledged.size, lost, doubled, unknown };
}

/** The p-th percentile (0 to 1) of some figures; 0 when there are none. */
export function percentile(figures: readonly number[], p: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;
}

type Batch = (traceId: string, count: number, service: string) => Uint8Array;

const SCOPE = { name: 'ack-load' };
const resourceOf = (service: string) => ({ attributes: { 'service.name': service } });
const newSpanId = (): string => randomBytes(8).toString('hex');
const nowNanos = (): bigint => BigInt(Date.now()) * 1_000_000n;

const BATCHES: Readonly<Record<AckSignal, Batch>> = {
  traces(traceId, count, service) {
    const start = nowNanos();
    const spans = Array.from({ length: count }, (_, index) => ({
      traceId,
      spanId: newSpanId(),
      name: `step ${index}`,
      kind: 1,
      startTimeUnixNano: start,
      endTimeUnixNano: start + 1_000_000n,
      attributes: { index, text: 'x'.repeat(100) },
    }));
    const scopeSpans = [{ scope: SCOPE, spans }];
    return encodeTraceRequest({ resourceSpans: [{ resource: resourceOf(service), scopeSpans }] });
  },
  logs(traceId, count, service) {
    const logRecords = Array.from({ length: count }, (_, index) => ({
      traceId,
      spanId: newSpanId(),
      timeUnixNano: nowNanos(),
      severityNumber: 9,
      body: `step ${index} ${'x'.repeat(100)}`,
    }));
    const scopeLogs = [{ scope: SCOPE, logRecords }];
    return encodeLogsRequest({ resourceLogs: [{ resource: resourceOf(service), scopeLogs }] });
  },
  metrics(traceId, count, service) {
    const dataPoints = Array.from({ length: count }, (_, index) => ({
      timeUnixNano: nowNanos(),
      asDouble: index,
      attributes: { trace: traceId, span: newSpanId() },
    }));
    const metrics = [{ name: 'ack.load', gauge: { dataPoints } }];
    const scopeMetrics = [{ scope: SCOPE, metrics }];
    return encodeMetricsRequest({ resourceMetrics: [{ resource: resourceOf(service), scopeMetrics }] });
  },
};

function send(
  agent: Agent,
  url: string,
  body: Uint8Array,
  key: string | undefined,
): Promise<{ status: number; retryAfter: string | undefined }> {
  return new Promise((resolve) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        agent,
        timeout: REQUEST_TIMEOUT_MS,
        headers: {
          'content-type': 'application/x-protobuf',
          'content-length': body.byteLength,
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
      },
      (response) => {
        response.resume();
        response.on('error', () => {});
        response.on('close', () => {
          // A cut answer proves nothing: only a whole one counts.
          const status = response.complete ? (response.statusCode ?? 0) : 0;
          resolve({ status, retryAfter: response.headers['retry-after'] });
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve({ status: 0, retryAfter: undefined }));
    outgoing.end(body);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
