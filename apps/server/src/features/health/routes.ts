import { fail } from '@candela/kernel';
import type { IngestLog, IngestLogStats, StoreHealth } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';

export type Phase = 'starting' | 'ready' | 'stopping';

export interface HealthSources {
  readonly version: string;
  readonly phase: () => Phase;
  /** Undefined until they are open. */
  readonly store: () => StoreHealth | undefined;
  readonly log: () => Pick<IngestLog, 'stats' | 'health'> | undefined;
}

/** Records that wait longer than this for the store mean that something is wrong. */
const LATE_MS = 30_000;

export function healthHandlers(sources: HealthSources): Pick<Handlers, 'getPlatformHealth' | 'getReady'> {
  return {
    getPlatformHealth: () => {
      const store = sources.store();
      const ingestLog = sources.log();
      const log = ingestLog?.stats();
      const reasons = degradedReasons(store, log, ingestLog?.health().reasons ?? []);
      const phase = sources.phase();
      return {
        status: 'ok',
        service: 'candela',
        version: sources.version,
        state: phase === 'ready' && reasons.length > 0 ? 'degraded' : phase,
        store: {
          state: store?.state ?? 'starting',
          version: store?.version || null,
          restarts: store?.restarts ?? 0,
        },
        ingest: {
          backlogBytes: log?.backlogBytes ?? null,
          lagMs: log === undefined ? null : log.oldestAgeMs,
        },
        reasons,
      };
    },
    getReady: () => {
      const phase = sources.phase();
      if (phase === 'stopping') throw fail('shutting_down');
      if (phase === 'starting') throw fail('store_unavailable', { seconds: 1 });
      return { ready: true };
    },
  };
}

/** What is wrong with store and log, a sentence each; `said` is what the log itself says. */
export function degradedReasons(
  store: StoreHealth | undefined,
  log: IngestLogStats | undefined,
  said: readonly string[],
): string[] {
  const reasons: string[] = [];
  if (store !== undefined && store.state !== 'ready') reasons.push(`The telemetry store is ${store.state}.`);
  const damaged = store?.damagedParts ?? 0;
  if (damaged > 0)
    reasons.push(`${damaged} damaged part(s) of the telemetry store were set aside; their rows are missing.`);
  if (log === undefined) return reasons;
  if (log.oldestAgeMs > LATE_MS) reasons.push('Acknowledged records wait unusually long for the store.');
  if (log.logBytes > log.capBytes * 0.8) reasons.push('The write-ahead log is nearly at its cap.');
  reasons.push(...said.map(sentence));
  return reasons;
}

const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
