import { silentLogger } from '@candela/kernel';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import type { MetadataDialect } from '../dialects/dialect.ts';
import type { NewAuditEvent } from '../repositories/audit.ts';
import { type MetadataStore, openMetadata } from '../store.ts';

/** A place of its own for every test. */
export interface Place {
  dialect(): MetadataDialect;
  dispose(): Promise<void>;
}

const VIEW = { page: 'traces', name: 'Slow calls', description: null, search: '?q=duration%3E2s' };

const EVENT: NewAuditEvent = {
  organisationId: 'o',
  projectId: 'p',
  actorKind: 'user',
  actorId: 'u',
  actorName: 'u@example.com',
  action: 'view.create',
  objectKind: 'view',
  objectId: 'v',
  details: { name: 'Slow', tags: ['a', 'b'], before: null },
  address: '127.0.0.1',
  userAgent: 'test',
  requestId: 'r',
};

/** Waits until the condition holds; a machine under load takes its time. */
async function soon(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 30_000, interval: 20 }).toBe(true);
}

/** What every dialect keeps its promise about. */
export function describeMetadataStore(name: string, makePlace: () => Promise<Place>): void {
  describe(`metadata store on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let now = 1_000_000;
    const open = () =>
      openMetadata({
        dialect: place.dialect(),
        logger: silentLogger,
        clock: { now: () => now },
        limits: { viewsPerProject: 5 },
      });
    beforeEach(async () => {
      now = 1_000_000;
      place = await makePlace();
      store = await open();
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps a view over a restart', async () => {
      const made = await store.views.create('a', { ...VIEW, description: 'über 😀\n"quoted" \\ %_' });
      await store.close();
      store = await open();
      expect(await store.views.get('a', made.id)).toEqual(made);
      expect(made).toMatchObject({ createdAt: now, updatedAt: now, search: VIEW.search });
    });

    it('takes a name once a page and project, whatever its case', async () => {
      await store.views.create('a', VIEW);
      for (const same of ['slow calls', 'SLOW CALLS', 'Slow ｃalls']) {
        expect(await codeOf(store.views.create('a', { ...VIEW, name: same }))).toBe('conflict');
      }
      expect(await codeOf(store.views.create('a', { ...VIEW, page: 'logs' }))).toBe('ok');
      expect(await codeOf(store.views.create('b', VIEW))).toBe('ok');
    });

    it("does not know another project's view", async () => {
      const { id } = await store.views.create('a', VIEW);
      expect(await codeOf(store.views.get('b', id))).toBe('not_found');
      expect(await codeOf(store.views.update('b', id, { name: 'mine' }))).toBe('not_found');
      expect(await codeOf(store.views.delete('b', id))).toBe('not_found');
      expect((await store.views.list('b', { page: undefined, limit: 10, after: undefined })).views).toEqual(
        [],
      );
      expect((await store.views.get('a', id)).name).toBe(VIEW.name);
    });

    it('changes what is named and nothing else', async () => {
      const made = await store.views.create('a', VIEW);
      now += 60_000;
      const changed = await store.views.update('a', made.id, { name: 'slow CALLS' });
      expect(changed).toEqual({ ...made, name: 'slow CALLS', updatedAt: now });
      const other = await store.views.create('a', { ...VIEW, name: 'Other' });
      expect(await codeOf(store.views.update('a', other.id, { name: 'Slow Calls' }))).toBe('conflict');
      expect((await store.views.update('a', other.id, { description: 'd', search: '' })).name).toBe('Other');
      await store.views.delete('a', other.id);
      expect(await codeOf(store.views.delete('a', other.id))).toBe('not_found');
    });

    it('lists by name, page by page', async () => {
      for (const name of ['b', 'A', 'c', 'Ä']) await store.views.create('a', { ...VIEW, name });
      const seen: string[] = [];
      let after: Parameters<MetadataStore['views']['list']>[1]['after'];
      do {
        const { views, next } = await store.views.list('a', { page: 'traces', limit: 3, after });
        seen.push(...views.map((view) => view.name));
        after = next;
      } while (after !== undefined);
      expect(seen).toEqual(['A', 'b', 'c', 'Ä']);
    });

    it('refuses more views than a project may have', async () => {
      for (let n = 0; n < 5; n++) await store.views.create('a', { ...VIEW, name: `view ${n}` });
      expect(await codeOf(store.views.create('a', VIEW))).toBe('refused');
      expect(await codeOf(store.views.create('b', VIEW))).toBe('ok');
    });

    it('does a call with a key once, and says so the same way again', async () => {
      const call = { scope: 'a/createView', key: 'k1', request: VIEW };
      const make = () => store.change(call, ({ views }) => views.create('a', VIEW));
      const first = await make();
      expect(await make()).toEqual(first);
      expect(await codeOf(store.change({ ...call, request: { other: 1 } }, async () => 1))).toBe('refused');
      const elsewhere = { ...call, scope: 'b/createView' };
      expect(await codeOf(store.change(elsewhere, ({ views }) => views.create('b', VIEW)))).toBe('ok');
      now += 25 * 3_600_000;
      expect(await codeOf(make())).toBe('conflict');
    });

    it('keeps nothing of a change that fails', async () => {
      const call = { scope: 's', key: 'k', request: 1 };
      const failing = store.change(call, async ({ views }) => {
        await views.create('a', VIEW);
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow();
      expect((await store.views.list('a', { page: undefined, limit: 10, after: undefined })).views).toEqual(
        [],
      );
      expect(await store.change(call, async () => 'now')).toBe('now');
    });

    it('lets changes at the same time wait for each other', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `view ${index % 4}`);
      const codes = await Promise.all(
        names.map((name) =>
          codeOf(store.change(undefined, ({ views }) => views.create('a', { ...VIEW, name }))),
        ),
      );
      expect(codes.filter((code) => code === 'ok')).toHaveLength(4);
      expect(codes.filter((code) => code === 'conflict')).toHaveLength(16);
    });

    it('takes a number of changes at once without losing count', async () => {
      // Each reads how many there are before it adds one: two at a time would pass the limit.
      const codes = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          codeOf(store.change(undefined, ({ views }) => views.create('a', { ...VIEW, name: `view ${n}` }))),
        ),
      );
      expect(codes.filter((code) => code === 'ok')).toHaveLength(5);
      expect(codes.filter((code) => code === 'refused')).toHaveLength(7);
    });

    it('lists what was done, newest first, page by page, and nothing of another organisation', async () => {
      for (let n = 0; n < 7; n++) {
        now += n % 2;
        await store.audit.append({
          ...EVENT,
          action: n < 5 ? 'view.create' : 'view.delete',
          objectId: `v${n}`,
        });
      }
      await store.audit.append({ ...EVENT, organisationId: 'other' });
      await store.audit.append({ ...EVENT, organisationId: null });
      const seen: string[] = [];
      let after: Parameters<MetadataStore['audit']['list']>[1]['after'];
      do {
        const { events, next } = await store.audit.list('o', { limit: 3, after });
        seen.push(...events.map(({ objectId }) => objectId ?? ''));
        expect(events.every(({ details }) => JSON.stringify(details) === JSON.stringify(EVENT.details))).toBe(
          true,
        );
        after = next;
      } while (after !== undefined);
      expect(seen.toSorted()).toEqual(['v0', 'v1', 'v2', 'v3', 'v4', 'v5', 'v6']);
      expect(seen[0]).toMatch(/v[56]/);
      const ids = async (filter: object) =>
        (await store.audit.list('o', { ...filter, limit: 10, after: undefined })).events.length;
      expect(await ids({ action: 'view.delete' })).toBe(2);
      expect(await ids({ objectId: 'v3', objectKind: 'view', actorId: 'u', projectId: 'p' })).toBe(1);
      expect(await ids({ actorId: 'somebody else' })).toBe(0);
      expect(await ids({ from: now })).toBeLessThan(7);
      expect(await ids({ to: 1_000_000 })).toBe(0);
    });

    it('refuses to change what was noted, and forgets only what is old', async () => {
      now = Date.now();
      await store.audit.append(EVENT);
      now -= 40 * 86_400_000;
      await store.audit.append({ ...EVENT, objectId: 'old' });
      const database = new Kysely<never>({ dialect: place.dialect().kysely });
      try {
        const refused = /append only/;
        await expect(sql`update audit_log set action = 'x'`.execute(database)).rejects.toThrow(refused);
        await expect(sql`delete from audit_log`.execute(database)).rejects.toThrow(refused);
      } finally {
        await database.destroy();
      }
      expect(await store.audit.prune(now + 1)).toBe(1);
      const { events } = await store.audit.list('o', { limit: 10, after: undefined });
      expect(events.map(({ objectId }) => objectId)).toEqual(['v']);
    });

    it('keeps what was decided about exceptions, a project for itself', async () => {
      const set = (project: string, change: Parameters<MetadataStore['exceptionTriage']['set']>[2]) =>
        store.exceptionTriage.set(project, 'f1', change);
      await set('a', { status: 'resolved', by: 'ada' });
      await set('a', { assignee: 'bob', by: null });
      const [kept, ...others] = await store.exceptionTriage.list('a');
      expect(others).toEqual([]);
      expect(kept).toMatchObject({ fingerprint: 'f1', status: 'resolved', assignee: 'bob', changedBy: null });
      expect(await store.exceptionTriage.list('b')).toEqual([]);
      await set('a', { status: 'open', assignee: null, by: 'ada' });
      expect(await store.exceptionTriage.list('a')).toEqual([]);
    });

    it('tells caches of this process what was written, when it is kept', async () => {
      const told: string[] = [];
      store.changes.on(['saved_views'], () => told.push('views'));
      store.changes.on(['saved_views'], () => told.push('stopped'))();
      // Whoever begins to watch is told to look once.
      await soon(() => told.length > 0);
      told.length = 0;
      await store.change(undefined, async () => undefined);
      await expect(
        store.change(undefined, async ({ views }) => {
          await views.create('a', VIEW);
          throw new Error('on purpose');
        }),
      ).rejects.toThrow();
      await store.change(undefined, async ({ views }) => {
        await views.create('a', VIEW);
        expect(told).toEqual([]);
      });
      expect(told).toContain('views');
      told.length = 0;
      const { views } = await store.views.list('a', { page: undefined, limit: 1, after: undefined });
      await store.views.delete('a', views[0]?.id ?? '');
      expect(told).toContain('views');
      expect(told).not.toContain('stopped');
    });

    it('does works of one name one after another, others beside them, and goes on after one that failed', async () => {
      const gates = new Map(['a', 'b'].map((work) => [work, Promise.withResolvers<void>()]));
      const began: string[] = [];
      const work = (name: string, id: string) =>
        store.alone(name, async () => {
          began.push(id);
          await gates.get(id)?.promise;
          if (id === 'a') throw new Error('on purpose');
          return id;
        });
      const first = work('one', 'a').catch(() => 'failed');
      await soon(() => began.includes('a'));
      const others = [work('one', 'b'), work('two', 'c')];
      expect(await others[1]).toBe('c');
      expect(began).toEqual(['a', 'c']);
      gates.get('a')?.resolve();
      expect(await first).toBe('failed');
      await soon(() => began.includes('b'));
      gates.get('b')?.resolve();
      expect(await others[0]).toBe('b');
    });

    it('tells caches of another replica too', async () => {
      const other = await open();
      let told = 0;
      try {
        other.changes.on(['saved_views'], () => told++);
        // It may be told once more while it begins to watch; then there is silence until somebody writes.
        await store.change(undefined, ({ views }) => views.create('a', VIEW));
        await soon(() => told > 0);
        const before = told;
        await store.views.create('a', { ...VIEW, name: 'another' });
        await soon(() => told > before);
      } finally {
        await other.close();
      }
    });
  });
}
