import type { Selectable } from 'kysely';
import type {
  ControllerActionTable,
  ControllerInstanceTable,
  ControllerTokenTable,
} from '../tables/controllers.ts';

/** Whose controllers. Without an environment: of all. */
export interface ControllerScope {
  readonly projectId: string;
  readonly environment: string | undefined;
}

/** A controller as it last reported; `facts` and `services` are JSON of the caller. Times are epoch milliseconds. */
export interface StoredController {
  readonly id: string;
  readonly projectId: string;
  readonly environment: string;
  readonly name: string;
  readonly cluster: string;
  readonly keyId: string;
  readonly revoked: boolean;
  readonly facts: string;
  readonly services: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

export interface StoredControllerToken {
  readonly id: string;
  readonly organisationId: string;
  readonly projectId: string;
  readonly environment: string;
  readonly cluster: string;
  readonly uses: number;
  readonly usesLeft: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

export interface ControllerReport {
  readonly projectId: string;
  readonly environment: string;
  readonly name: string;
  readonly cluster: string;
  readonly keyId: string;
  readonly facts: string;
  readonly services: string;
}

/** The place of a wish: a workload of a cluster. */
interface WorkloadPlace {
  readonly projectId: string;
  readonly environment: string;
  readonly cluster: string;
  readonly workload: string;
}
export type ControllerFeature = 'instrumentation' | 'agent';
export interface DesiredState extends WorkloadPlace {
  readonly feature: ControllerFeature;
  readonly enabled: boolean;
  readonly content: boolean;
  readonly reason: string;
  readonly changedBy: string;
  readonly changedAt: number;
}

type ControllerActionState =
  | 'pending'
  | 'leased'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'expired'
  | 'superseded';
export interface StoredControllerAction {
  readonly id: string;
  readonly projectId: string;
  readonly instanceId: string;
  readonly workload: string;
  readonly type: string;
  readonly payload: string;
  readonly dryRun: boolean;
  readonly state: ControllerActionState;
  readonly attempt: number;
  readonly leaseUntil: number | null;
  readonly expiresAt: number;
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly error: string | null;
  readonly snapshot: string | null;
}
export type NewControllerAction = Pick<
  StoredControllerAction,
  | 'projectId'
  | 'instanceId'
  | 'workload'
  | 'type'
  | 'payload'
  | 'dryRun'
  | 'expiresAt'
  | 'reason'
  | 'createdBy'
>;

const millis = (value: number | null): number | null => (value === null ? null : Number(value));

export const toController = (row: Selectable<ControllerInstanceTable>): StoredController => ({
  id: row.id,
  projectId: row.project_id,
  environment: row.environment,
  name: row.name,
  cluster: row.cluster,
  keyId: row.key_id,
  revoked: row.revoked === 1,
  facts: row.facts,
  services: row.services,
  createdAt: Number(row.created_at),
  lastSeenAt: Number(row.last_seen_at),
});
export const toToken = (row: Selectable<ControllerTokenTable>): StoredControllerToken => ({
  id: row.id,
  organisationId: row.organisation_id,
  projectId: row.project_id,
  environment: row.environment,
  cluster: row.cluster,
  uses: row.uses,
  usesLeft: row.uses_left,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
  revokedAt: millis(row.revoked_at),
});
export const toAction = (row: Selectable<ControllerActionTable>): StoredControllerAction => ({
  id: row.id,
  projectId: row.project_id,
  instanceId: row.instance_id,
  workload: row.workload,
  type: row.type,
  payload: row.payload,
  dryRun: row.dry_run === 1,
  // Written by the repository and nobody else.
  state: row.state as ControllerActionState,
  attempt: row.attempt,
  leaseUntil: millis(row.lease_until),
  expiresAt: Number(row.expires_at),
  reason: row.reason,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  finishedAt: millis(row.finished_at),
  error: row.error,
  snapshot: row.snapshot,
});
