import { createHash } from 'node:crypto';
import type {
  ControllerAction,
  ControllerInstance,
  ControllerService,
  ControllerToken,
} from '@candela/contract';
import type {
  DesiredState,
  StoredController,
  StoredControllerAction,
  StoredControllerToken,
} from '@candela/metadata-store';
import type { ReportedFacts, ReportedService } from './report.ts';

const DEGRADED_MS = 120_000;
const INACTIVE_MS = 600_000;
const iso = (ms: number) => new Date(ms).toISOString();
const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms));

// Both were written by `readReport` and nobody else.
export const servicesOf = ({ services }: StoredController): readonly ReportedService[] =>
  (JSON.parse(services) as readonly ReportedService[]).map((one) => ({ ...NEWER, ...one }));
/** What reports that were stored before do not have. */
const NEWER = { hosts: [], packages: [], evidence: [], pod: '' } as const;
const factsOf = ({ facts }: StoredController): ReportedFacts => JSON.parse(facts) as ReportedFacts;

/** Id of a service: its instance, and the hash of its workload. */
export const serviceId = (instanceId: string, workload: string): string =>
  `${instanceId}.${createHash('sha256').update(workload).digest('hex').slice(0, 24)}`;

export const wishKey = (cluster: string, environment: string, workload: string, feature: string): string =>
  JSON.stringify([cluster, environment, workload, feature]);
export const wishesByKey = (wishes: readonly DesiredState[]): ReadonlyMap<string, DesiredState> =>
  new Map(wishes.map((one) => [wishKey(one.cluster, one.environment, one.workload, one.feature), one]));

export function instanceView(instance: StoredController, now: number): ControllerInstance {
  const facts = factsOf(instance);
  const services = servicesOf(instance);
  const age = now - instance.lastSeenAt;
  return {
    id: instance.id,
    name: instance.name,
    cluster: instance.cluster,
    environment: instance.environment,
    node: facts.node,
    mode: facts.mode,
    version: facts.version,
    health: instance.revoked
      ? 'revoked'
      : age < DEGRADED_MS
        ? 'active'
        : age < INACTIVE_MS
          ? 'degraded'
          : 'inactive',
    services: services.length,
    instrumented: services.filter((one) => one.instrumented).length,
    truncated: [...facts.truncated],
    tap: facts.tap,
    createdAt: iso(instance.createdAt),
    lastSeenAt: iso(instance.lastSeenAt),
  };
}

/** What a switch shows: an open action first, then what is wanted and not so, then what is. */
function stateOf(
  service: ReportedService,
  wish: DesiredState | undefined,
  last: StoredControllerAction | undefined,
): ControllerService['state'] {
  const enabled = wish?.enabled ?? false;
  if (service.instrumented === enabled) return enabled ? 'on' : 'off';
  if (last?.state === 'failed') return 'failed';
  return enabled ? 'switching_on' : 'switching_off';
}

export function serviceView(
  instance: StoredController,
  service: ReportedService,
  wishes: ReadonlyMap<string, DesiredState>,
  last: ReadonlyMap<string, StoredControllerAction>,
): ControllerService {
  const { cluster, environment, id } = instance;
  const wishOf = (feature: string) => wishes.get(wishKey(cluster, environment, service.workload, feature));
  const show = (wish: DesiredState | undefined) =>
    wish === undefined
      ? null
      : {
          enabled: wish.enabled,
          content: wish.content,
          reason: wish.reason,
          by: wish.changedBy,
          at: iso(wish.changedAt),
        };
  const wanted = wishOf('instrumentation');
  const ended = last.get(`${id} ${service.workload}`);
  const { instrumented, vendors, hosts, packages, evidence, ...rest } = service;
  const state = stateOf(service, wanted, ended);
  return {
    ...rest,
    id: serviceId(id, service.workload),
    instanceId: id,
    cluster,
    environment,
    vendors: [...vendors],
    hosts: [...hosts],
    packages: [...packages],
    evidence: [...evidence],
    status: instrumented ? 'instrumented' : 'discovered',
    statusDetail: state === 'failed' ? (ended?.error ?? service.statusDetail) : service.statusDetail,
    wanted: show(wanted),
    wantedSdk: show(wishOf('agent')),
    state,
  };
}

export const actionView = (action: StoredControllerAction): ControllerAction => ({
  id: action.id,
  instanceId: action.instanceId,
  workload: action.workload,
  type: action.type,
  dryRun: action.dryRun,
  state: action.state,
  attempt: action.attempt,
  reason: action.reason,
  by: action.createdBy,
  createdAt: iso(action.createdAt),
  expiresAt: iso(action.expiresAt),
  finishedAt: isoOrNull(action.finishedAt),
  error: action.error,
  snapshot: action.snapshot,
});

export const tokenView = (token: StoredControllerToken): ControllerToken => ({
  id: token.id,
  cluster: token.cluster,
  environment: token.environment,
  uses: token.uses,
  usesLeft: token.usesLeft,
  createdBy: token.createdBy,
  createdAt: iso(token.createdAt),
  expiresAt: iso(token.expiresAt),
  revokedAt: isoOrNull(token.revokedAt),
});
