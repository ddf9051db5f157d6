import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { FleetCollectorTable, FleetConfigTable } from '../tables/fleet.ts';
import type { Access } from './access.ts';
import type { ControllerScope } from './controller-rows.ts';
import { requireLiveKey } from './sealed.ts';

/** A collector as it last reported; `facts` and `effective` are JSON of the caller. Times are epoch milliseconds. */
export interface StoredCollector {
  readonly id: string;
  readonly projectId: string;
  readonly environment: string;
  readonly instanceUid: string;
  readonly keyId: string;
  readonly facts: string;
  readonly effective: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}
type CollectorReport = Omit<StoredCollector, 'id' | 'createdAt' | 'lastSeenAt'>;

/** `offered` until the collector says what became of it. */
type FleetConfigState = 'offered' | 'applying' | 'applied' | 'failed' | 'superseded';
export interface StoredFleetConfig {
  readonly id: string;
  readonly projectId: string;
  readonly collectorId: string;
  readonly version: number;
  readonly hash: string;
  /** Sealed. */
  readonly body: string;
  readonly state: FleetConfigState;
  readonly rollbackOf: number | null;
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly error: string | null;
}
type NewFleetConfig = Omit<StoredFleetConfig, 'version' | 'state' | 'createdAt' | 'finishedAt' | 'error'>;

const MAX_COLLECTORS = 2_000;
/** Versions that are kept of one collector: the newest. */
const MAX_VERSIONS = 50;
const OPEN = ['offered', 'applying'] as const;

const toCollector = (row: Selectable<FleetCollectorTable>): StoredCollector => ({
  id: row.id,
  projectId: row.project_id,
  environment: row.environment,
  instanceUid: row.instance_uid,
  keyId: row.key_id,
  facts: row.facts,
  effective: row.effective,
  createdAt: Number(row.created_at),
  lastSeenAt: Number(row.last_seen_at),
});
const toConfig = (row: Selectable<FleetConfigTable>): StoredFleetConfig => ({
  id: row.id,
  projectId: row.project_id,
  collectorId: row.collector_id,
  version: row.version,
  hash: row.hash,
  body: row.body,
  // Written by this file and nobody else.
  state: row.state as FleetConfigState,
  rollbackOf: row.rollback_of,
  reason: row.reason,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  finishedAt: row.finished_at === null ? null : Number(row.finished_at),
  error: row.error,
});

/** Collectors that report by OpAMP, and versions of the configurations that they were given. */
export function fleet({ database, quiet, clock }: Access) {
  const collectors = ({ projectId, environment }: ControllerScope) => {
    const rows = database.selectFrom('fleet_collectors').selectAll().where('project_id', '=', projectId);
    return environment === undefined ? rows : rows.where('environment', '=', environment);
  };
  const newest = (collectorId: string) =>
    database
      .selectFrom('fleet_configs')
      .selectAll()
      .where('collector_id', '=', collectorId)
      .orderBy('version', 'desc');

  return {
    /** Those heard of last come first. */
    list: async (scope: ControllerScope): Promise<StoredCollector[]> =>
      (
        await collectors(scope).orderBy('last_seen_at', 'desc').orderBy('id').limit(MAX_COLLECTORS).execute()
      ).map(toCollector),
    /** @throws not_found */
    async get(scope: ControllerScope, id: string): Promise<StoredCollector> {
      const row = await collectors(scope).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw fail('not_found', { what: 'The collector' });
      return toCollector(row);
    },
    async byUid(projectId: string, uid: string): Promise<StoredCollector | undefined> {
      const row = await collectors({ projectId, environment: undefined })
        .where('instance_uid', '=', uid)
        .executeTakeFirst();
      return row && toCollector(row);
    },
    /** A new one. @throws refused when there are too many */
    async add(report: CollectorReport): Promise<StoredCollector> {
      const { count } = await database
        .selectFrom('fleet_collectors')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', report.projectId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_COLLECTORS)
        throw fail('refused', {
          detail: `A project may have ${MAX_COLLECTORS} collectors. Forget some of them first.`,
        });
      const now = clock.now();
      await database
        .insertInto('fleet_collectors')
        .values({
          id: crypto.randomUUID(),
          project_id: report.projectId,
          environment: report.environment,
          instance_uid: report.instanceUid,
          key_id: report.keyId,
          facts: report.facts,
          effective: report.effective,
          created_at: now,
          last_seen_at: now,
        })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'instance_uid']).doUpdateSet({ last_seen_at: now }),
        )
        .execute();
      const row = await collectors({ projectId: report.projectId, environment: undefined })
        .where('instance_uid', '=', report.instanceUid)
        .executeTakeFirstOrThrow();
      return toCollector(row);
    },
    /** What it says of itself; told to no cache. */
    async heard(id: string, { facts, effective }: { facts: string; effective: string }): Promise<void> {
      await quiet
        .updateTable('fleet_collectors')
        .set({ facts, effective, last_seen_at: clock.now() })
        .where('id', '=', id)
        .execute();
    },
    /** Forgets it, with what it was given. @throws not_found */
    async remove(scope: ControllerScope, id: string): Promise<void> {
      let rows = database
        .deleteFrom('fleet_collectors')
        .where('project_id', '=', scope.projectId)
        .where('id', '=', id);
      if (scope.environment !== undefined) rows = rows.where('environment', '=', scope.environment);
      const { numDeletedRows } = await rows.executeTakeFirst();
      if (numDeletedRows === 0n) throw fail('not_found', { what: 'The collector' });
      await database.deleteFrom('fleet_configs').where('collector_id', '=', id).execute();
    },

    /** Newest first. */
    configs: async (collectorId: string): Promise<StoredFleetConfig[]> =>
      (await newest(collectorId).limit(MAX_VERSIONS).execute()).map(toConfig),
    /** The version that it is to have; undefined: nobody pushed one. */
    async wanted(collectorId: string): Promise<StoredFleetConfig | undefined> {
      const row = await newest(collectorId).limit(1).executeTakeFirst();
      return row && toConfig(row);
    },
    /** The next version; one that was on its way is superseded. In a change. @throws overloaded */
    async push(config: NewFleetConfig): Promise<StoredFleetConfig> {
      await requireLiveKey(database, config.body);
      const now = clock.now();
      const last = await newest(config.collectorId).limit(1).executeTakeFirst();
      await database
        .updateTable('fleet_configs')
        .set({ state: 'superseded', finished_at: now })
        .where('collector_id', '=', config.collectorId)
        .where('state', 'in', OPEN)
        .execute();
      const row = {
        id: config.id,
        project_id: config.projectId,
        collector_id: config.collectorId,
        version: (last?.version ?? 0) + 1,
        hash: config.hash,
        body: config.body,
        state: 'offered',
        rollback_of: config.rollbackOf,
        reason: config.reason,
        created_by: config.createdBy,
        created_at: now,
        finished_at: null,
        error: null,
      };
      await database.insertInto('fleet_configs').values(row).execute();
      await database
        .deleteFrom('fleet_configs')
        .where('collector_id', '=', config.collectorId)
        .where('version', '<=', row.version - MAX_VERSIONS)
        .execute();
      return toConfig(row);
    },
    /** What became of a version; told twice it changes nothing. True: it was open until now. */
    async settle(
      id: string,
      { state, error }: { readonly state: 'applying' | 'applied' | 'failed'; readonly error: string | null },
    ): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('fleet_configs')
        .set({ state, error, finished_at: state === 'applying' ? null : clock.now() })
        .where('id', '=', id)
        .where('state', 'in', state === 'applying' ? ['offered'] : OPEN)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}
