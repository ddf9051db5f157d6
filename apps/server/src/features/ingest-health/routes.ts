import type { IngestClient, IngestTrouble } from '@candela/contract';
import { type Clock, SIGNALS } from '@candela/kernel';
import type { IngestLog, StoreHealth } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import type { Ingest } from '../../ingest/index.ts';
import type { ClientFigures, Page, SignalFigures, Trouble } from '../../ingest/stats/stats.ts';
import { Minutes } from '../../ingest/stats/minutes.ts';
import { degradedReasons } from '../health/routes.ts';

export interface IngestHealthSources {
  readonly ingest: Pick<Ingest, 'stats' | 'pressure'>;
  readonly log: Pick<IngestLog, 'stats' | 'health'>;
  readonly store: () => StoreHealth;
  readonly minFreeDiskPercent: number;
  readonly clock: Clock;
}

const SILENT: SignalFigures = {
  lastAtMs: undefined,
  requests: 0,
  accepted: 0,
  rejected: 0,
  duplicates: 0,
  refused: 0,
  bytes: 0,
};
const iso = (ms: number): string => new Date(ms).toISOString();

/** How the receivers do, for the project that asks; the pipeline behind them is everybody's. */
export function ingestHealthHandlers(sources: IngestHealthSources): Pick<Handlers, 'getIngestHealth'> {
  const { ingest, log, clock } = sources;
  return {
    getIngestHealth: ({ context }) => {
      const store = sources.store();
      const stats = log.stats();
      const reasons = degradedReasons(store, stats, log.health().reasons);
      const page = ingest.stats.of(context.projectId);
      const { pendingBytes, decodeQueue, workersLost } = ingest.pressure();
      return {
        data: {
          state: reasons.length === 0 ? 'ok' : 'degraded',
          reasons,
          now: iso(clock.now()),
          since: iso(ingest.stats.sinceMs),
          pipeline: {
            lagMs: stats.oldestAgeMs,
            backlogRequests: stats.backlogRequests,
            logBytes: stats.logBytes,
            logCapBytes: stats.capBytes,
            pendingBytes,
            decodeQueue,
            decodeWorkersLost: workersLost,
            freeDiskPercent: stats.freeDiskPercent,
            minFreeDiskPercent: sources.minFreeDiskPercent,
            quarantinedRequests: stats.quarantinedRequests,
            quarantinedSegments: stats.quarantinedSegments,
            store: store.state,
            engineRestarts: store.restarts,
          },
          signals: SIGNALS.map((signal) => ({ signal, ...signalRow(page?.signals.get(signal)) })),
          minutes: (page?.minutes ?? new Minutes(clock).list()).map(({ startMs, ...counts }) => ({
            time: iso(startMs),
            ...counts,
          })),
          troubles: troublesOf(page),
          clients: [...(page?.clients.values() ?? [])].reverse().map(clientRow),
          clientsForgotten: page?.clientsForgotten ?? 0,
          // What was said to a stranger may name what only a member should know; that it happened is enough.
          strangers: troublesOf(ingest.stats.strangers).map((trouble) => ({ ...trouble, message: '' })),
        },
      };
    },
  };
}

function signalRow(figures: SignalFigures | undefined) {
  const { lastAtMs, ...counts } = figures ?? SILENT;
  return { lastTime: lastAtMs === undefined ? null : iso(lastAtMs), ...counts };
}

function troublesOf(page: Page | undefined): IngestTrouble[] {
  const row = ({ lastAtMs, ...rest }: Trouble): IngestTrouble => ({ ...rest, lastTime: iso(lastAtMs) });
  return [...(page?.troubles.values() ?? [])].sort((a, b) => b.lastAtMs - a.lastAtMs).map(row);
}

function clientRow(client: ClientFigures): IngestClient {
  const { receiver, format, principal, lastAtMs, trouble, sdks, services, ...rest } = client;
  return {
    ...rest,
    transport: receiver === 'grpc' ? 'grpc' : `http/${format}`,
    key: principal.kind === 'anonymous' ? null : principal.id,
    sdks: [...sdks],
    services: [...services],
    lastTime: iso(lastAtMs),
    trouble:
      trouble === undefined
        ? null
        : { time: iso(trouble.atMs), reason: trouble.reason, message: trouble.message },
  };
}
