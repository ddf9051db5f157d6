import { type Clock, DEFAULT_ENVIRONMENT, fail, type Signal } from '@candela/kernel';
import type { Identity } from '../features/identity/service.ts';
import type { DecodePool } from './decode/pool.ts';
import type { IngestStats } from './stats/stats.ts';
import type { IngestLogs } from './logs.ts';
import type { IngestMetrics } from './metrics.ts';
import { retentionDaysOf } from './retention.ts';
import { type IngestRoutes, storageScopesOf } from './storage-scopes.ts';
import type { Acceptance, IncomingRequest, IngestConfig } from './types.ts';

export interface AcceptorParts {
  readonly config: IngestConfig;
  readonly logs: IngestLogs;
  readonly routes: IngestRoutes;
  /** Days that a project chose for itself. */
  readonly chosenDays: (projectId: string, signal: Signal) => number | undefined;
  readonly pool: DecodePool;
  readonly identity: Pick<Identity, 'learnEnvironments'>;
  readonly metrics: IngestMetrics;
  readonly stats: IngestStats;
  readonly clock: Clock;
}

const DEFAULT_MAX_PENDING_BYTES = 256 * 1024 * 1024;

/** The part all receivers share: from the received body to the durable log. Holds the budget of bodies in memory. */
export class Acceptor {
  readonly #parts: AcceptorParts;
  readonly #maxPendingBytes: number;
  #pendingBytes = 0;
  #active = 0;
  #draining = false;
  #idle: (() => void) | undefined;

  constructor(parts: AcceptorParts) {
    this.#parts = parts;
    this.#maxPendingBytes = parts.config.maxPendingBytes ?? DEFAULT_MAX_PENDING_BYTES;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Before a body is read: throws when it could not be accepted anyway. */
  assertOpen(): void {
    if (this.#draining) throw fail('shutting_down');
    this.#parts.logs.assertAccepting();
    if (this.#pendingBytes >= this.#maxPendingBytes) {
      throw fail(
        'overloaded',
        { detail: 'Too many requests at once. Send again shortly.' },
        { retryAfterSeconds: 2 },
      );
    }
  }

  /** Counts a request as under way until the returned function is called. */
  enter(): () => void {
    this.#active += 1;
    return () => {
      this.#active -= 1;
      if (this.#active === 0) this.#idle?.();
    };
  }

  /** Takes `bytes` of the memory budget; throws `overloaded` when it is spent. Give back with `release`. */
  reserve(bytes: number): void {
    if (this.#pendingBytes + bytes > this.#maxPendingBytes) {
      throw fail(
        'overloaded',
        { detail: 'Too many requests at once. Send again shortly.' },
        { retryAfterSeconds: 2 },
      );
    }
    this.#pendingBytes += bytes;
  }

  release(bytes: number): void {
    this.#pendingBytes -= bytes;
  }

  /** Decodes and logs; resolves once the request is durable. */
  async accept(request: IncomingRequest): Promise<Acceptance> {
    const { config, logs, pool, identity, metrics, stats, clock } = this.#parts;
    const { receiver, signal, format, encoding, body, context } = request;
    const wireBytes = body.byteLength;
    // Known before anything is decoded: what is bound to nothing costs nothing.
    const places = storageScopesOf(
      await this.#parts.routes.of(context.projectId),
      signal,
      context.environment,
    );
    const decoded = await pool.run({
      signal,
      format,
      encoding,
      body,
      projectId: context.projectId,
      environment: context.environment,
      defaultEnvironment: DEFAULT_ENVIRONMENT,
      receivedAtMs: clock.now(),
      retentionDays:
        this.#parts.chosenDays(context.projectId, signal) ??
        retentionDaysOf(config.retention[signal], context.projectId),
      split: places.split,
    });
    metrics.bytes(receiver, signal, wireBytes, decoded.plainBytes);
    let duplicate = false;
    if (decoded.parts.length > 0) {
      const parts = decoded.parts.map(({ place, blocks }) => ({ log: places.configOf(place), blocks }));
      duplicate = true;
      // One after another: what failed is sent again, and the logs that have their part know it.
      for (const { log, blocks } of parts) {
        const appended = await logs.append(log, {
          blocks,
          requestHash: decoded.requestHash,
          tenant: context.projectId,
        });
        duplicate &&= appended.duplicate;
      }
      identity.learnEnvironments(context.projectId, decoded.environments);
    }
    if (duplicate) metrics.duplicate(signal);
    else metrics.records(signal, decoded.accepted, decoded.reasons);
    stats.taken(request.caller, { ...decoded, duplicate, wireBytes });
    return { accepted: decoded.accepted, rejected: decoded.rejected, message: decoded.message, duplicate };
  }

  /** Refuses from now on; resolves when nothing is under way any more, or after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    if (this.#active === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
