import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const ITEM = { id: 'a'.repeat(22), contentType: 'image/png', bytes: 6, sha256: `${'a'.repeat(43)}=` };
const MOST = 10;
const USE = { traceId: 't', spanId: 's' };

/** What every dialect keeps of media. */
export function describeMedia(name: string, makePlace: () => Promise<Place>): void {
  describe(`media on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let now = 1_000_000;
    beforeEach(async () => {
      now = 1_000_000;
      place = await makePlace();
      store = await openMetadata({
        dialect: place.dialect(),
        logger: silentLogger,
        clock: { now: () => now },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps bytes as they are, piece by piece, in one project', async () => {
      const announced = { ...ITEM, usedAt: now, storedAt: null, failure: null };
      expect(await store.media.announce('p', ITEM, USE, MOST)).toEqual(announced);
      await store.media.write('p', ITEM.id, 0, Uint8Array.of(0, 255, 13));
      await store.media.write('p', ITEM.id, 1, Uint8Array.of(10, 128, 0));
      now += 5;
      await store.media.finish('p', ITEM.id);
      expect(await store.media.get('p', ITEM.id)).toEqual({ ...announced, storedAt: now });
      const pieces = await Promise.all([0, 1, 2].map((at) => store.media.read('p', ITEM.id, at)));
      expect(pieces.map((piece) => piece && [...piece])).toEqual([[0, 255, 13], [10, 128, 0], undefined]);
      expect(await codeOf(store.media.get('q', ITEM.id))).toBe('not_found');
      expect(await store.media.read('q', ITEM.id, 0)).toBeUndefined();
      expect(await codeOf(store.media.report('q', ITEM.id, 'x'))).toBe('not_found');
    });

    it('has room for so much, and knows an item again by all of its hash', async () => {
      await store.media.announce('p', ITEM, USE, MOST);
      const other = { ...ITEM, id: 'b'.repeat(22), sha256: `${'b'.repeat(43)}=` };
      expect(await codeOf(store.media.announce('p', other, USE, MOST))).toBe('refused');
      expect(await codeOf(store.media.announce('q', other, USE, MOST))).toBe('ok');
      expect(await codeOf(store.media.announce('p', { ...other, bytes: 4 }, USE, MOST))).toBe('ok');
      now += 1;
      expect(await store.media.announce('p', ITEM, USE, MOST)).toMatchObject({ usedAt: now, storedAt: null });
      expect(await codeOf(store.media.announce('p', { ...ITEM, sha256: other.sha256 }, USE, MOST))).toBe(
        'conflict',
      );
      expect(await codeOf(store.media.announce('p', { ...ITEM, bytes: 5 }, USE, MOST))).toBe('conflict');
    });

    it('says why an upload failed until there is one', async () => {
      await store.media.announce('p', ITEM, USE, MOST);
      await store.media.report('p', ITEM.id, '403 expired');
      expect((await store.media.get('p', ITEM.id)).failure).toBe('403 expired');
      await store.media.finish('p', ITEM.id);
      await store.media.report('p', ITEM.id, 'late');
      expect((await store.media.get('p', ITEM.id)).failure).toBeNull();
    });

    it('goes with the last span that it was sent for', async () => {
      const [one, two] = [USE, { traceId: 't', spanId: 'other' }];
      const own = { ...ITEM, id: 'b'.repeat(22), bytes: 1 };
      for (const use of [one, one, two]) await store.media.announce('p', ITEM, use, MOST);
      await store.media.announce('p', own, one, MOST);
      await store.media.announce('p', own, { traceId: '', spanId: 'item' }, MOST);
      await store.media.announce('q', ITEM, one, MOST);
      await store.media.write('p', ITEM.id, 0, Uint8Array.of(1));
      const uses = await store.media.usesOf('p', ['t', 'none']);
      const byText = (all: readonly object[]) => all.map((use) => JSON.stringify(use)).toSorted();
      expect(byText(uses)).toEqual(
        byText([
          { id: ITEM.id, ...two },
          { id: ITEM.id, ...one },
          { id: own.id, ...one },
        ]),
      );
      const ofOne = uses.filter(({ spanId }) => spanId === 's');
      expect(await store.media.removeUses('p', ofOne)).toBe(0);
      expect(await store.media.usesOf('p', ['t'])).toEqual([{ id: ITEM.id, ...two }]);
      expect(await store.media.removeUses('p', [{ id: ITEM.id, ...two }])).toBe(1);
      expect(await codeOf(store.media.get('p', ITEM.id))).toBe('not_found');
      expect(await store.media.read('p', ITEM.id, 0)).toBeUndefined();
      // A dataset still has it; another project's is its own.
      expect(await codeOf(store.media.get('p', own.id))).toBe('ok');
      expect(await codeOf(store.media.get('q', ITEM.id))).toBe('ok');
      now += 10;
      await store.media.prune('q', { usedAt: now, announcedAt: now });
      expect(await store.media.usesOf('q', ['t'])).toEqual([]);
    });

    it('forgets what is past its days, what never came, and a project that is deleted', async () => {
      const { id: project } = await store.projects.create('default', 'Shop');
      const never = { ...ITEM, id: 'n'.repeat(22), bytes: 1 };
      for (const at of [project, 'p']) {
        await store.media.announce(at, ITEM, USE, MOST);
        await store.media.write(at, ITEM.id, 0, Uint8Array.of(1));
        await store.media.finish(at, ITEM.id);
        await store.media.announce(at, never, USE, MOST);
      }
      expect(await store.media.prune('p', { usedAt: now, announcedAt: now })).toBe(0);
      now += 10;
      expect(await store.media.prune('p', { usedAt: now - 20, announcedAt: now })).toBe(1);
      expect(await codeOf(store.media.get('p', never.id))).toBe('not_found');
      expect(await store.media.prune('p', { usedAt: now, announcedAt: now })).toBe(1);
      expect(await store.media.read('p', ITEM.id, 0)).toBeUndefined();
      expect(await codeOf(store.media.get(project, ITEM.id))).toBe('ok');
      await store.projects.remove('default', project);
      expect(await codeOf(store.media.get(project, ITEM.id))).toBe('not_found');
      expect(await store.media.read(project, ITEM.id, 0)).toBeUndefined();
    });
  });
}
