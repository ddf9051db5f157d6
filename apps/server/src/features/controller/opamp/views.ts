import type { FleetCollector, FleetCollectorDetail } from '@candela/contract';
import type { StoredCollector, StoredFleetConfig } from '@candela/metadata-store';
import { ACCEPTS_CONFIG, type Health, type RemoteState } from './messages.ts';

/** What is kept of a collector's messages. */
export interface CollectorFacts {
  readonly sequence: string;
  readonly connected: boolean;
  readonly capabilities: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly health: (Omit<Health, 'startedAt'> & { readonly startedAt: string }) | null;
  readonly remote: { readonly hash: string; readonly state: RemoteState; readonly error: string };
}
export interface StoredFile {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

const LATE_MS = 180_000;
const GONE_MS = 900_000;
const iso = (ms: number) => new Date(ms).toISOString();

// Both were written by `Fleet.receive` and nobody else.
export const factsOf = ({ facts }: StoredCollector): CollectorFacts => JSON.parse(facts) as CollectorFacts;
const filesOf = ({ effective }: StoredCollector): StoredFile[] => JSON.parse(effective) as StoredFile[];

export const versionView = (config: StoredFleetConfig): NonNullable<FleetCollector['wanted']> => ({
  version: config.version,
  hash: config.hash,
  state: config.state,
  rollbackOf: config.rollbackOf,
  reason: config.reason,
  by: config.createdBy,
  createdAt: iso(config.createdAt),
  finishedAt: config.finishedAt === null ? null : iso(config.finishedAt),
  error: config.error,
});

export function collectorView(
  collector: StoredCollector,
  wanted: StoredFleetConfig | undefined,
  now: number,
): FleetCollector {
  const { attributes, health, capabilities, remote, connected } = factsOf(collector);
  const age = now - collector.lastSeenAt;
  const startedMs = Number(BigInt(health?.startedAt ?? '0') / 1_000_000n);
  return {
    id: collector.id,
    instanceUid: collector.instanceUid,
    name: attributes['service.name'] ?? collector.instanceUid,
    version: attributes['service.version'] ?? '',
    host: attributes['host.name'] ?? '',
    environment: collector.environment,
    attributes: { ...attributes },
    connection: !connected || age > GONE_MS ? 'gone' : age > LATE_MS ? 'late' : 'connected',
    healthy: health?.healthy ?? null,
    status: health?.status ?? '',
    lastError: health?.error ?? '',
    // A date of JavaScript reaches no further.
    startedAt: startedMs > 0 && startedMs < 8.64e15 ? iso(startedMs) : null,
    acceptsConfig: (capabilities & ACCEPTS_CONFIG) !== 0,
    remoteStatus: remote.state,
    remoteError: remote.error,
    wanted: wanted === undefined ? null : versionView(wanted),
    createdAt: iso(collector.createdAt),
    lastSeenAt: iso(collector.lastSeenAt),
  };
}

export const collectorDetail = (
  collector: StoredCollector,
  versions: readonly StoredFleetConfig[],
  now: number,
): FleetCollectorDetail => ({
  ...collectorView(collector, versions[0], now),
  parts: [...(factsOf(collector).health?.parts ?? [])],
  effective: filesOf(collector),
  versions: versions.map(versionView),
});
