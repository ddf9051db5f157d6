import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { WorkItemTable } from '../tables/jobs.ts';
import type { Access } from './access.ts';

export type WorkState = 'queued' | 'leased' | 'done' | 'failed';

export interface NewWork {
  /** Unique in its queue: the same one again adds nothing. */
  readonly key: string;
  /** What items are counted and removed by. Default: ''. */
  readonly group?: string;
  /** JSON, at most 256 KiB. */
  readonly payload: unknown;
  /** Epoch milliseconds. Default: now. */
  readonly notBefore?: number;
}

/** Times are epoch milliseconds. */
export interface WorkItem {
  readonly id: string;
  readonly queue: string;
  readonly key: string;
  readonly group: string;
  readonly payload: unknown;
  readonly state: WorkState;
  /** How often it was claimed. */
  readonly attempts: number;
  readonly notBefore: number;
  readonly result: unknown;
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface WorkClaim {
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
}

type Counts = Readonly<Record<WorkState, number>>;

/**
 * Work that any replica may do: each item is held by one owner at a time until a lease ends, and reaches one final state
 * (`done`, `failed`) once. Whoever was too slow and lost an item changes nothing any more.
 */
export interface WorkQueue {
  /** Adds what is new; returns how many. @throws refused for a payload that is too large */
  enqueue(queue: string, items: readonly NewWork[]): Promise<number>;
  /** Takes items that are due, or whose lease has ended, the longest waiting first. Each claim counts an attempt. */
  claim(queue: string, claim: WorkClaim): Promise<WorkItem[]>;
  /** Prolongs the lease; false: another owner may have it. */
  heartbeat(id: string, owner: string, leaseMs: number): Promise<boolean>;
  complete(id: string, owner: string, result?: unknown): Promise<boolean>;
  /** Back into the queue at `retryAt`; null: failed for good. `uncounted`: this claim was no attempt. */
  fail(
    id: string,
    owner: string,
    how: { readonly error: string; readonly retryAt: number | null; readonly uncounted?: boolean },
  ): Promise<boolean>;
  get(queue: string, key: string): Promise<WorkItem | undefined>;
  /** Oldest first, or the last changed first. */
  list(
    queue: string,
    of: {
      readonly group?: string;
      readonly state?: WorkState;
      readonly limit: number;
      readonly newest?: boolean;
    },
  ): Promise<WorkItem[]>;
  counts(queue: string, group?: string): Promise<Counts>;
  /** Removes items of a group, or those that reached a final state before a time; returns how many. */
  remove(
    queue: string,
    of: { readonly group: string } | { readonly finishedBefore: number },
  ): Promise<number>;
}

const MAX_PAYLOAD = 256 * 1_024;
const MAX_ERROR = 2_000;
const BATCH = 100;

const toItem = (row: Selectable<WorkItemTable>): WorkItem => ({
  id: row.id,
  queue: row.queue,
  key: row.item_key,
  group: row.item_group,
  payload: JSON.parse(row.payload) as unknown,
  state: row.state as WorkState,
  attempts: row.attempts,
  notBefore: row.not_before,
  result: row.result === null ? null : (JSON.parse(row.result) as unknown),
  error: row.error,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  if (Buffer.byteLength(text) <= MAX_PAYLOAD) return text;
  throw fail('refused', { detail: 'An item of work is larger than 256 KiB.' });
}

export function workQueue({ quiet, clock, dialect }: Access): WorkQueue {
  const rows = (queue: string) => quiet.selectFrom('work_items').selectAll().where('queue', '=', queue);
  const free = { lease_owner: null, lease_until: null };

  /** Changes an item that this owner still holds. */
  async function held(id: string, owner: string, change: Partial<WorkItemTable>): Promise<boolean> {
    const result = await quiet
      .updateTable('work_items')
      .set({ ...change, updated_at: clock.now() })
      .where('id', '=', id)
      .where('state', '=', 'leased')
      .where('lease_owner', '=', owner)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }

  return {
    async enqueue(queue, items) {
      const now = clock.now();
      const all = items.map(({ key, group = '', payload, notBefore = now }) => ({
        id: crypto.randomUUID(),
        queue,
        item_key: key,
        item_group: group,
        payload: jsonOf(payload),
        state: 'queued',
        attempts: 0,
        not_before: notBefore,
        ...free,
        result: null,
        error: null,
        created_at: now,
        updated_at: now,
      }));
      let added = 0;
      for (let at = 0; at < all.length; at += BATCH) {
        const result = await quiet
          .insertInto('work_items')
          .values(all.slice(at, at + BATCH))
          .onConflict((conflict) => conflict.columns(['queue', 'item_key']).doNothing())
          .executeTakeFirst();
        added += Number(result.numInsertedOrUpdatedRows ?? 0n);
      }
      return added;
    },

    async claim(queue, { owner, leaseMs, limit }) {
      const now = clock.now();
      const due = quiet
        .selectFrom('work_items')
        .select('id')
        .where('queue', '=', queue)
        .where(({ or, and, eb }) =>
          or([
            and([eb('state', '=', 'queued'), eb('not_before', '<=', now)]),
            and([eb('state', '=', 'leased'), eb('lease_until', '<', now)]),
          ]),
        )
        .orderBy('not_before')
        .orderBy('id')
        .limit(limit);
      // Replicas pass each other by instead of waiting. In SQLite one statement is alone with the file anyway.
      const mine = dialect.name === 'postgres' ? due.forUpdate().skipLocked() : due;
      const taken = await quiet
        .updateTable('work_items')
        .set({
          state: 'leased',
          lease_owner: owner,
          lease_until: now + leaseMs,
          attempts: sql<number>`attempts + 1`,
          updated_at: now,
        })
        .where('id', 'in', mine)
        .returningAll()
        .execute();
      return taken.map(toItem).toSorted((a, b) => a.notBefore - b.notBefore);
    },

    heartbeat: (id, owner, leaseMs) => held(id, owner, { lease_until: clock.now() + leaseMs }),
    complete: (id, owner, result) =>
      held(id, owner, { state: 'done', result: jsonOf(result), error: null, ...free }),
    fail: (id, owner, { error, retryAt, uncounted = false }) =>
      held(id, owner, {
        ...(uncounted ? { attempts: 0 } : {}),
        error: error.slice(0, MAX_ERROR),
        ...free,
        ...(retryAt === null ? { state: 'failed' } : { state: 'queued', not_before: retryAt }),
      }),

    async get(queue, key) {
      const row = await rows(queue).where('item_key', '=', key).executeTakeFirst();
      return row === undefined ? undefined : toItem(row);
    },

    async list(queue, { group, state, limit, newest = false }) {
      const all = rows(queue).limit(limit);
      let query = newest
        ? all.orderBy('updated_at', 'desc').orderBy('id')
        : all.orderBy('created_at').orderBy('id');
      if (group !== undefined) query = query.where('item_group', '=', group);
      if (state !== undefined) query = query.where('state', '=', state);
      return (await query.execute()).map(toItem);
    },

    async counts(queue, group) {
      let query = quiet
        .selectFrom('work_items')
        .select(['state', ({ fn }) => fn.countAll<number>().as('count')])
        .where('queue', '=', queue)
        .groupBy('state');
      if (group !== undefined) query = query.where('item_group', '=', group);
      const found = new Map((await query.execute()).map(({ state, count }) => [state, Number(count)]));
      const of = (state: WorkState) => found.get(state) ?? 0;
      return { queued: of('queued'), leased: of('leased'), done: of('done'), failed: of('failed') };
    },

    async remove(queue, of) {
      const query = quiet.deleteFrom('work_items').where('queue', '=', queue);
      const result = await ('group' in of
        ? query.where('item_group', '=', of.group)
        : query.where('state', 'in', ['done', 'failed']).where('updated_at', '<', of.finishedBefore)
      ).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
