import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { AlertEventTable, AlertTable } from '../../tables/alerts.ts';
import type { Access } from '../access.ts';
import { nameKeyOf } from '../storage-scope.ts';
import { unlessTaken } from '../unless-taken.ts';
import type {
  AlertDocument,
  AlertPlace,
  AlertSettlement,
  PlaceInList,
  StoredAlert,
  StoredAlertEvent,
  StoredAlertState,
} from './types.ts';

/** Most alerts of a project. */
const MAX_ALERTS = 1_000;
const MAX_ERROR = 1_000;
const BATCH = 100;

const missing = () => fail('not_found', { what: 'The alert' });
const taken = (name: string) =>
  fail('conflict', { detail: `There is an alert called "${name}" already. Choose another name.` });

const toAlert = (row: Selectable<AlertTable>): StoredAlert => ({
  id: row.id,
  organisationId: row.organisation_id,
  projectId: row.project_id,
  environment: row.environment,
  databaseConfigId: row.database_config_id,
  name: row.name,
  kind: row.kind,
  enabled: row.enabled === 1,
  definition: row.definition,
  revision: row.revision,
  updatedBy: row.updated_by,
  updatedAt: row.updated_at,
  lastAt: row.last_at,
  error: row.error,
  errorCount: row.error_count,
});
const toEvent = (row: Selectable<AlertEventTable>): StoredAlertEvent => ({
  id: row.id,
  alertId: row.alert_id,
  groupKey: row.group_key,
  status: row.status,
  at: row.at,
  recordedAt: row.recorded_at,
  details: row.details,
});
const columnsOf = (alert: AlertDocument) => ({
  name: alert.name,
  name_key: nameKeyOf(alert.name),
  kind: alert.kind,
  enabled: alert.enabled ? 1 : 0,
  definition: alert.definition,
});

/** Alerts, the states of their groups and their history. */
export function alerts({ quiet, clock, dialect }: Access) {
  const rows = (projectId: string) =>
    quiet.selectFrom('alerts').selectAll().where('project_id', '=', projectId);

  async function get(projectId: string, id: string): Promise<StoredAlert> {
    const row = await rows(projectId).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return toAlert(row);
  }

  return {
    get,
    list: async (projectId: string): Promise<StoredAlert[]> =>
      (await rows(projectId).orderBy('name_key').orderBy('id').execute()).map(toAlert),

    /** @throws conflict when the name is taken, refused when the project has its fill */
    async create(place: AlertPlace, alert: AlertDocument, by: string): Promise<StoredAlert> {
      const { count } = await quiet
        .selectFrom('alerts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', place.projectId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_ALERTS)
        throw fail('refused', { detail: `A project has at most ${MAX_ALERTS} alerts. Delete some first.` });
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        organisation_id: place.organisationId,
        project_id: place.projectId,
        environment: place.environment,
        database_config_id: place.databaseConfigId,
        ...columnsOf(alert),
        revision: 1,
        updated_by: by,
        created_at: now,
        updated_at: now,
        next_at: now,
        lease_owner: null,
        lease_until: null,
        last_at: null,
        error: null,
        error_count: 0,
      };
      await unlessTaken(
        { dialect },
        () => taken(alert.name),
        () => quiet.insertInto('alerts').values(row).execute(),
      );
      return toAlert(row);
    },

    /**
     * Replaces it. What it watches may be another thing now, so with `forget` its states go.
     * @throws not_found, conflict (another revision, a name that is taken)
     */
    async replace(
      projectId: string,
      id: string,
      change: {
        readonly revision: number | undefined;
        readonly alert: AlertDocument;
        readonly by: string;
        readonly forget: boolean;
      },
    ): Promise<StoredAlert> {
      const before = await get(projectId, id);
      const revision = change.revision ?? before.revision;
      const now = clock.now();
      const result = await unlessTaken(
        { dialect },
        () => taken(change.alert.name),
        () =>
          quiet
            .updateTable('alerts')
            .set({
              ...columnsOf(change.alert),
              revision: revision + 1,
              updated_by: change.by,
              updated_at: now,
              next_at: now,
              // Whoever evaluates the old one finds its lease gone.
              lease_owner: null,
              lease_until: null,
              error: null,
              error_count: 0,
            })
            .where('project_id', '=', projectId)
            .where('id', '=', id)
            .where('revision', '=', revision)
            .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: `Somebody changed this alert meanwhile: it is at revision ${before.revision}. Read it again, then change it.`,
        });
      }
      if (change.forget) await quiet.deleteFrom('alert_states').where('alert_id', '=', id).execute();
      return get(projectId, id);
    },

    /** With its states, history and messages. @throws not_found */
    async delete(projectId: string, id: string): Promise<void> {
      await get(projectId, id);
      await quiet.deleteFrom('alerts').where('id', '=', id).execute();
      await quiet.deleteFrom('alert_states').where('alert_id', '=', id).execute();
      await quiet.deleteFrom('alert_events').where('alert_id', '=', id).execute();
      await quiet.deleteFrom('alert_deliveries').where('alert_id', '=', id).execute();
    },

    /**
     * Takes alerts that are due and free, of all projects: the longest due first, of those due at one instant the ones of
     * the shortest interval. At a full minute all are due, and who looks twice a minute cannot wait for all others.
     */
    async takeDue(by: {
      readonly owner: string;
      readonly leaseMs: number;
      readonly limit: number;
    }): Promise<StoredAlert[]> {
      const now = clock.now();
      const due = quiet
        .selectFrom('alerts')
        .select('id')
        .where('enabled', '=', 1)
        .where('next_at', '<=', now)
        .where(({ or, eb }) => or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
        .orderBy('next_at')
        // The interval: an evaluation sets both.
        .orderBy(sql`next_at - coalesce(last_at, next_at)`)
        .orderBy('id')
        .limit(by.limit);
      const mine = dialect.name === 'postgres' ? due.forUpdate().skipLocked() : due;
      const found = await quiet
        .updateTable('alerts')
        .set({ lease_owner: by.owner, lease_until: now + by.leaseMs })
        .where('id', 'in', mine)
        .returningAll()
        .execute();
      return found.map(toAlert);
    },

    /**
     * Writes what an evaluation found, unless another process has the alert by now or the instant was evaluated
     * already. False: nothing was written, and the caller must write nothing either.
     */
    async settle(projectId: string, found: AlertSettlement): Promise<boolean> {
      const { numUpdatedRows } = await quiet
        .updateTable('alerts')
        .set({
          last_at: found.at,
          next_at: found.nextAt,
          lease_owner: null,
          lease_until: null,
          error: found.error?.slice(0, MAX_ERROR) ?? null,
          error_count: found.errorCount,
        })
        .where('id', '=', found.alertId)
        .where('project_id', '=', projectId)
        .where('lease_owner', '=', found.owner)
        .where(({ or, eb }) => or([eb('last_at', 'is', null), eb('last_at', '<', found.at)]))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      for (let at = 0; at < found.states.length; at += BATCH) {
        await quiet
          .insertInto('alert_states')
          .values(
            found.states.slice(at, at + BATCH).map(({ groupKey, status, state }) => ({
              alert_id: found.alertId,
              group_key: groupKey,
              project_id: projectId,
              status,
              state,
            })),
          )
          .onConflict((clash) =>
            clash.columns(['alert_id', 'group_key']).doUpdateSet({
              status: sql<string>`excluded.status`,
              state: sql<string>`excluded.state`,
            }),
          )
          .execute();
      }
      for (let at = 0; at < found.gone.length; at += BATCH) {
        await quiet
          .deleteFrom('alert_states')
          .where('alert_id', '=', found.alertId)
          .where('group_key', 'in', found.gone.slice(at, at + BATCH))
          .execute();
      }
      return true;
    },

    /** Lets go of an alert that was taken and not evaluated; it is due at `nextAt`. */
    async release(alertId: string, owner: string, nextAt: number): Promise<void> {
      await quiet
        .updateTable('alerts')
        .set({ lease_owner: null, lease_until: null, next_at: nextAt })
        .where('id', '=', alertId)
        .where('lease_owner', '=', owner)
        .execute();
    },

    async states(projectId: string, alertId?: string): Promise<StoredAlertState[]> {
      let query = quiet.selectFrom('alert_states').selectAll().where('project_id', '=', projectId);
      query =
        alertId === undefined ? query.where('status', '<>', 'ok') : query.where('alert_id', '=', alertId);
      const found = await query.orderBy('group_key').limit(20_000).execute();
      return found.map((row) => ({
        alertId: row.alert_id,
        groupKey: row.group_key,
        status: row.status,
        state: row.state,
      }));
    },

    /** Groups that fire, with their alerts, of one kind and switched on. */
    async firing(
      projectId: string,
      kind: string,
    ): Promise<{ alert: StoredAlert; state: StoredAlertState }[]> {
      const found = await rows(projectId).where('kind', '=', kind).where('enabled', '=', 1).execute();
      if (found.length === 0) return [];
      const states = await quiet
        .selectFrom('alert_states')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('status', '=', 'firing')
        .limit(20_000)
        .execute();
      const byId = new Map(found.map((row) => [row.id, toAlert(row)]));
      return states.flatMap((row) => {
        const alert = byId.get(row.alert_id);
        return alert === undefined
          ? []
          : [
              {
                alert,
                state: {
                  alertId: row.alert_id,
                  groupKey: row.group_key,
                  status: row.status,
                  state: row.state,
                },
              },
            ];
      });
    },

    async writeState(projectId: string, state: StoredAlertState): Promise<void> {
      await quiet
        .updateTable('alert_states')
        .set({ state: state.state })
        .where('project_id', '=', projectId)
        .where('alert_id', '=', state.alertId)
        .where('group_key', '=', state.groupKey)
        .where('status', '=', state.status)
        .execute();
    },

    /** Adds to the history what is not in it; returns the ids of what was added. */
    async addEvents(
      projectId: string,
      events: readonly Omit<StoredAlertEvent, 'recordedAt'>[],
    ): Promise<Set<string>> {
      const added = new Set<string>();
      const now = clock.now();
      for (let at = 0; at < events.length; at += BATCH) {
        const made = await quiet
          .insertInto('alert_events')
          .values(
            events.slice(at, at + BATCH).map((event) => ({
              id: event.id,
              project_id: projectId,
              alert_id: event.alertId,
              group_key: event.groupKey,
              status: event.status,
              at: event.at,
              recorded_at: now,
              details: event.details,
            })),
          )
          .onConflict((clash) => clash.doNothing())
          .returning('id')
          .execute();
        for (const { id } of made) added.add(id);
      }
      return added;
    },

    /** Newest first, at most `limit`, after a place. */
    async events(
      projectId: string,
      of: {
        readonly alertId?: string | undefined;
        readonly limit: number;
        readonly after?: PlaceInList | undefined;
      },
    ): Promise<StoredAlertEvent[]> {
      let query = quiet
        .selectFrom('alert_events')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('recorded_at', 'desc')
        .orderBy('id', 'desc')
        .limit(of.limit);
      if (of.alertId !== undefined) query = query.where('alert_id', '=', of.alertId);
      const { after } = of;
      if (after !== undefined) {
        query = query.where(({ or, and, eb }) =>
          or([
            eb('recorded_at', '<', after.at),
            and([eb('recorded_at', '=', after.at), eb('id', '<', after.id)]),
          ]),
        );
      }
      return (await query.execute()).map(toEvent);
    },

    async eventsByIds(projectId: string, ids: readonly string[]): Promise<StoredAlertEvent[]> {
      if (ids.length === 0) return [];
      const found = await quiet
        .selectFrom('alert_events')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('id', 'in', ids)
        .orderBy('at')
        .orderBy('id')
        .execute();
      return found.map(toEvent);
    },

    /** Removes history and messages that ended before a time; returns how many rows. */
    async prune(before: number): Promise<number> {
      const events = await quiet
        .deleteFrom('alert_events')
        .where('recorded_at', '<', before)
        .executeTakeFirst();
      const deliveries = await quiet
        .deleteFrom('alert_deliveries')
        .where('finished_at', '<', before)
        .executeTakeFirst();
      const silences = await quiet
        .deleteFrom('alert_silences')
        .where('ends_at', '<', before)
        .executeTakeFirst();
      return Number(events.numDeletedRows + deliveries.numDeletedRows + silences.numDeletedRows);
    },
  };
}
