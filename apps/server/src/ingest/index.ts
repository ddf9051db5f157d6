import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, type Logger, type RequestContext, systemClock, type Signal } from '@candela/kernel';
import type { Registry } from 'prom-client';
import type { Identity } from '../features/identity/service.ts';
import { Acceptor } from './accept.ts';
import { DecodePool } from './decode/pool.ts';
import { GrpcReceiver } from './grpc/receiver.ts';
import { HttpReceiver } from './http/receiver.ts';
import { IngestStats } from './stats/stats.ts';
import type { IngestLogs } from './logs.ts';
import { createIngestMetrics, type IngestMetrics } from './metrics.ts';
import type { IngestRoutes } from './storage-scopes.ts';
import type { Acceptance, Caller, IngestConfig } from './types.ts';

export { refuseAtReceiver } from './http/receiver.ts';
export { HTTP_SERVER_OPTIONS, hardenHttpServer, refuseHostless } from './http/harden.ts';
export type { IngestConfig } from './types.ts';

export interface IngestParts {
  readonly logs: IngestLogs;
  readonly routes: IngestRoutes;
  /** Days that a project chose for its records; undefined: what the configuration says. */
  readonly chosenDays: (projectId: string, signal: Signal) => number | undefined;
  readonly identity: Identity;
  readonly config: IngestConfig;
  readonly logger: Logger;
  /** The registry of `/metrics`. */
  readonly metrics: Registry;
  readonly clock?: Clock;
}

/** How full the way from the receivers to the log is at this moment. */
export interface Pressure {
  /** Bodies being read or decoded. */
  readonly pendingBytes: number;
  /** Bodies that wait for a decode worker. */
  readonly decodeQueue: number;
  /** Decode workers that died or took too long since the start. */
  readonly workersLost: number;
}

export interface Ingest {
  /** What was received and refused since the start. */
  readonly stats: IngestStats;
  pressure(): Pressure;
  /** True when the request was for an OTLP receiver (and is answered here). Mount before everything else. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * Takes telemetry of the platform itself, as OTLP/JSON, like a request over HTTP: same bounds, same log. Resolves once
   * it is durable. @throws what the receivers answer: overloaded, shutting_down, signal_unbound
   */
  submit(context: RequestContext, signal: Signal, request: object): Promise<Acceptance>;
  /** Opens the gRPC receiver; resolves with the port bound. */
  startGrpc(host: string, port: number): Promise<number>;
  /**
   * For SIGTERM: refuses new requests (503, UNAVAILABLE), lets those under way finish, stops the workers. The log stays
   * open; close it afterwards.
   */
  drain(): Promise<void>;
}

const DEFAULT_DRAIN_MS = 10_000;
const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_CALL_MS = 60_000;
const MAX_FLUSH_MS = 5_000;

/** The OTLP receivers: HTTP and gRPC before one acceptor, one pool of decoders and the write-ahead log. */
export function createIngest(parts: IngestParts): Ingest {
  const { logs, routes, chosenDays, identity, config, logger } = parts;
  const clock = parts.clock ?? systemClock;
  const stats = new IngestStats(clock);
  const late: { metrics?: IngestMetrics } = {};
  let workersLost = 0;
  const pool = new DecodePool({
    logger,
    maxBytes: config.maxBytes,
    workers: config.workers,
    deadlineMs: config.decodeDeadlineMs ?? DEFAULT_DEADLINE_MS,
    onWorkerLost: () => {
      workersLost += 1;
      late.metrics?.workerLost();
    },
  });
  const metrics = createIngestMetrics(parts.metrics, {
    logStats: () => logs.stats(),
    pendingBytes: () => acceptor.pendingBytes,
    decodeQueue: () => pool.queued,
  });
  late.metrics = metrics;
  const acceptor = new Acceptor({
    config,
    logs,
    routes,
    chosenDays,
    pool,
    identity,
    metrics,
    stats,
    clock,
  });
  logs.on('group', (group) => metrics.group(group));
  logs.on('quarantined', ({ table }) => metrics.quarantined(table));
  const { maxBytes } = config;
  const http = new HttpReceiver({ acceptor, identity, metrics, stats, logger, maxBytes });
  const grpc = new GrpcReceiver({
    acceptor,
    identity,
    metrics,
    stats,
    logger,
    maxBytes,
    callMs: config.callMs ?? DEFAULT_CALL_MS,
  });
  return {
    stats,
    pressure: () => ({ pendingBytes: acceptor.pendingBytes, decodeQueue: pool.queued, workersLost }),
    handle: (request, response) => http.handle(request, response),
    async submit(context, signal, request) {
      acceptor.assertOpen();
      const leave = acceptor.enter();
      try {
        const body = new TextEncoder().encode(JSON.stringify(request));
        // Taken down before it is handed over: afterwards it is a worker's and has no length here.
        const bytes = body.byteLength;
        acceptor.reserve(bytes);
        try {
          const way = { receiver: 'http', signal, format: 'json', context } as const;
          const caller: Caller = { ...way, userAgent: 'candela' };
          return await acceptor.accept({ ...way, caller, encoding: 'identity', body });
        } finally {
          acceptor.release(bytes);
        }
      } finally {
        leave();
      }
    },
    startGrpc: (host, port) => grpc.start(host, port),
    async drain() {
      const graceMs = config.drainMs ?? DEFAULT_DRAIN_MS;
      const deadline = performance.now() + graceMs;
      await acceptor.drain(graceMs);
      // The log would keep it; but a reader after the stop should find what was acknowledged before it.
      await logs.flush(Math.min(MAX_FLUSH_MS, Math.max(0, deadline - performance.now())));
      await grpc.stop(Math.min(graceMs, 2_000));
      await pool.close();
    },
  };
}
