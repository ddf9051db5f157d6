import { CandelaError, silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataDialect } from '../dialects/dialect.ts';
import { type MetadataStore, openMetadata } from '../store.ts';

/** A place of its own for every test. */
export interface Place {
  dialect(): MetadataDialect;
  dispose(): Promise<void>;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (thrown) {
    if (thrown instanceof CandelaError) return thrown.code;
    throw thrown;
  }
}

const VIEW = { page: 'traces', name: 'Slow calls', description: null, search: '?q=duration%3E2s' };

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
        maxViewsPerProject: 5,
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
  });
}
