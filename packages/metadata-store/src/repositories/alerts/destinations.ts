import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { AlertDeliveryTable, AlertDestinationTable, AlertSilenceTable } from '../../tables/alerts.ts';
import type { Access } from '../access.ts';
import { requireLiveKey } from '../sealed.ts';
import { nameKeyOf } from '../storage-scope.ts';
import { unlessTaken } from '../unless-taken.ts';
import type {
  DeliveryStatus,
  DestinationDocument,
  PlaceInList,
  StoredDelivery,
  StoredDestination,
  StoredSilence,
} from './types.ts';

const MAX_DESTINATIONS = 100;
const MAX_SILENCES = 200;
/** Events of one message. */
const MAX_EVENTS = 200;
const MAX_ERROR = 500;

const missing = () => fail('not_found', { what: 'The destination' });
const taken = (name: string) =>
  fail('conflict', { detail: `There is a destination called "${name}" already. Choose another name.` });

const toDestination = (row: Selectable<AlertDestinationTable>): StoredDestination => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  enabled: row.enabled === 1,
  channel: row.channel,
  secret: row.secret,
  secretBefore: row.secret_before,
  beforeUntil: row.before_until,
  problem: row.problem,
  revision: row.revision,
  updatedAt: row.updated_at,
});
const columnsOf = (destination: DestinationDocument) => ({
  name: destination.name,
  name_key: nameKeyOf(destination.name),
  enabled: destination.enabled ? 1 : 0,
  channel: destination.channel,
  secret: destination.secret,
  secret_before: destination.secretBefore,
  before_until: destination.beforeUntil,
  problem: null,
});
const toDelivery = (row: Selectable<AlertDeliveryTable>): StoredDelivery => ({
  id: row.id,
  projectId: row.project_id,
  alertId: row.alert_id,
  destinationId: row.destination_id,
  // Written by this file and nobody else.
  status: row.status as DeliveryStatus,
  events: JSON.parse(row.events) as string[],
  attempts: row.attempts,
  error: row.error,
  dueAt: row.due_at,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});
const toSilence = (row: Selectable<AlertSilenceTable>): StoredSilence => ({
  id: row.id,
  matchers: row.matchers,
  comment: row.comment,
  author: row.author,
  startsAt: row.starts_at,
  endsAt: row.ends_at,
});

/** Destinations of one project at a time. */
export function alertDestinations({ quiet, clock, dialect }: Access) {
  const rows = (projectId: string) =>
    quiet.selectFrom('alert_destinations').selectAll().where('project_id', '=', projectId);
  async function get(projectId: string, id: string): Promise<StoredDestination> {
    const row = await rows(projectId).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return toDestination(row);
  }
  return {
    get,
    list: async (projectId: string): Promise<StoredDestination[]> =>
      (await rows(projectId).orderBy('name_key').orderBy('id').execute()).map(toDestination),

    /** @throws conflict when the name is taken, refused when the project has its fill */
    async create(
      projectId: string,
      id: string,
      destination: DestinationDocument,
    ): Promise<StoredDestination> {
      const { count } = await quiet
        .selectFrom('alert_destinations')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_DESTINATIONS)
        throw fail('refused', { detail: `A project has at most ${MAX_DESTINATIONS} destinations.` });
      await requireLiveKey(quiet, destination.secret);
      const now = clock.now();
      const row = {
        id,
        project_id: projectId,
        ...columnsOf(destination),
        revision: 1,
        created_at: now,
        updated_at: now,
      };
      await unlessTaken(
        { dialect },
        () => taken(destination.name),
        () => quiet.insertInto('alert_destinations').values(row).execute(),
      );
      return toDestination(row);
    },

    /** @throws not_found, conflict */
    async replace(
      projectId: string,
      id: string,
      change: { readonly revision: number | undefined; readonly destination: DestinationDocument },
    ): Promise<StoredDestination> {
      const before = await get(projectId, id);
      const revision = change.revision ?? before.revision;
      await requireLiveKey(quiet, change.destination.secret);
      const { numUpdatedRows } = await unlessTaken(
        { dialect },
        () => taken(change.destination.name),
        () =>
          quiet
            .updateTable('alert_destinations')
            .set({ ...columnsOf(change.destination), revision: revision + 1, updated_at: clock.now() })
            .where('id', '=', id)
            .where('project_id', '=', projectId)
            .where('revision', '=', revision)
            .executeTakeFirst(),
      );
      if (numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: `Somebody changed this destination meanwhile: it is at revision ${before.revision}. Read it again, then change it.`,
        });
      }
      return get(projectId, id);
    },

    /** @throws not_found */
    async delete(projectId: string, id: string): Promise<void> {
      await get(projectId, id);
      await quiet.deleteFrom('alert_destinations').where('id', '=', id).execute();
      await quiet.deleteFrom('alert_deliveries').where('destination_id', '=', id).execute();
    },

    /** Notes why it last failed; null: it did not. */
    async note(id: string, problem: string | null, isOff = false): Promise<void> {
      await quiet
        .updateTable('alert_destinations')
        .set({ problem: problem?.slice(0, MAX_ERROR) ?? null, ...(isOff ? { enabled: 0 } : {}) })
        .where('id', '=', id)
        .execute();
    },
  };
}

/** The outbox: messages that wait, are sent, and were sent. */
export function alertDeliveries({ quiet, clock, dialect }: Access) {
  return {
    /**
     * Puts events into the message of an alert that waits for a destination, or into a new one. Within the change that
     * writes the events. Returns the ids of new messages with the time when they are due.
     */
    async add(message: {
      readonly projectId: string;
      readonly alertId: string;
      readonly destinationId: string;
      readonly events: readonly string[];
      readonly waitMs: number;
      readonly intervalMs: number;
    }): Promise<{ id: string; dueAt: number }[]> {
      const now = clock.now();
      let mine = quiet
        .selectFrom('alert_deliveries')
        .selectAll()
        .where('alert_id', '=', message.alertId)
        .where('destination_id', '=', message.destinationId)
        .orderBy('due_at', 'desc')
        .limit(1);
      if (dialect.name === 'postgres') mine = mine.forUpdate();
      const newest = await mine.executeTakeFirst();
      const waiting = newest?.status === 'waiting' ? newest : undefined;
      const held = waiting === undefined ? [] : (JSON.parse(waiting.events) as string[]);
      const all = [...held, ...message.events];
      if (waiting !== undefined) {
        await quiet
          .updateTable('alert_deliveries')
          .set({ events: JSON.stringify(all.slice(0, MAX_EVENTS)) })
          .where('id', '=', waiting.id)
          .execute();
      }
      const rest = waiting === undefined ? all : all.slice(MAX_EVENTS);
      const made: { id: string; dueAt: number }[] = [];
      let dueAt = Math.max(now + message.waitMs, (newest?.due_at ?? 0) + message.intervalMs);
      // The first message after a quiet time waits for what comes together with it; the next ones keep their distance.
      for (let at = 0; at < rest.length; at += MAX_EVENTS) {
        const id = crypto.randomUUID();
        await quiet
          .insertInto('alert_deliveries')
          .values({
            id,
            project_id: message.projectId,
            alert_id: message.alertId,
            destination_id: message.destinationId,
            status: 'waiting',
            events: JSON.stringify(rest.slice(at, at + MAX_EVENTS)),
            attempts: 0,
            error: null,
            due_at: dueAt,
            created_at: now,
            finished_at: null,
          })
          .execute();
        made.push({ id, dueAt });
        dueAt += 1;
      }
      return made;
    },

    /** Closes a message: it takes no more events. Undefined: it is gone, or has ended. */
    async begin(id: string): Promise<StoredDelivery | undefined> {
      const row = await quiet
        .updateTable('alert_deliveries')
        .set(({ eb }) => ({ status: 'sending', attempts: eb('attempts', '+', 1) }))
        .where('id', '=', id)
        .where('status', 'in', ['waiting', 'sending'])
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? undefined : toDelivery(row);
    },

    /** How an attempt ended; `isLast`: there will be no other. */
    async note(id: string, error: string | null, isLast: boolean): Promise<void> {
      await quiet
        .updateTable('alert_deliveries')
        .set({
          error: error?.slice(0, MAX_ERROR) ?? null,
          ...(isLast ? { status: error === null ? 'sent' : 'failed', finished_at: clock.now() } : {}),
        })
        .where('id', '=', id)
        .execute();
    },

    /** Newest first, at most `limit`, after a place. */
    async list(
      projectId: string,
      of: {
        readonly alertId?: string | undefined;
        readonly limit: number;
        readonly after?: PlaceInList | undefined;
      },
    ): Promise<StoredDelivery[]> {
      let query = quiet
        .selectFrom('alert_deliveries')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(of.limit);
      if (of.alertId !== undefined) query = query.where('alert_id', '=', of.alertId);
      const { after } = of;
      if (after !== undefined) {
        query = query.where(({ or, and, eb }) =>
          or([
            eb('created_at', '<', after.at),
            and([eb('created_at', '=', after.at), eb('id', '<', after.id)]),
          ]),
        );
      }
      return (await query.execute()).map(toDelivery);
    },
  };
}

/** Silences of one project at a time. */
export function alertSilences({ quiet, clock }: Access) {
  const rows = (projectId: string) =>
    quiet.selectFrom('alert_silences').selectAll().where('project_id', '=', projectId);
  return {
    list: async (projectId: string): Promise<StoredSilence[]> =>
      (await rows(projectId).orderBy('ends_at', 'desc').orderBy('id').limit(MAX_SILENCES).execute()).map(
        toSilence,
      ),
    async active(projectId: string): Promise<StoredSilence[]> {
      const now = clock.now();
      const found = await rows(projectId)
        .where('starts_at', '<=', now)
        .where('ends_at', '>', now)
        .limit(MAX_SILENCES)
        .execute();
      return found.map(toSilence);
    },
    /** @throws refused when the project has its fill */
    async create(projectId: string, silence: Omit<StoredSilence, 'id'>): Promise<StoredSilence> {
      const { count } = await quiet
        .selectFrom('alert_silences')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .where('ends_at', '>', clock.now())
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_SILENCES)
        throw fail('refused', { detail: `A project has at most ${MAX_SILENCES} silences. End some first.` });
      const row = {
        id: crypto.randomUUID(),
        project_id: projectId,
        matchers: silence.matchers,
        comment: silence.comment,
        author: silence.author,
        starts_at: silence.startsAt,
        ends_at: silence.endsAt,
      };
      await quiet.insertInto('alert_silences').values(row).execute();
      return toSilence(row);
    },
    /** Ends it now. @throws not_found */
    async end(projectId: string, id: string): Promise<void> {
      const now = clock.now();
      const row = await rows(projectId).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw fail('not_found', { what: 'The silence' });
      await quiet
        .updateTable('alert_silences')
        .set({ ends_at: Math.min(row.ends_at, now), starts_at: Math.min(row.starts_at, now) })
        .where('id', '=', id)
        .execute();
    },
  };
}
