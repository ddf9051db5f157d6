import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const JO = { projectId: 'p', userId: 'jo' };
const ADA = { projectId: 'p', userId: 'ada' };
const BOARD = {
  title: 'Board',
  description: '',
  tags: ['a'],
  folderId: null,
  ownerId: null,
  definition: '{}',
  widgetCount: 0,
};

/** What every dialect keeps of boards, folders and pins. */
export function describeBoards(name: string, makePlace: () => Promise<Place>): void {
  describe(`boards on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    beforeEach(async () => {
      place = await makePlace();
      store = await openMetadata({ dialect: place.dialect(), logger: silentLogger });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps a board, of its project alone, and tells the second editor', async () => {
      const made = await store.boards.create(JO, BOARD, 'jo');
      expect(await store.boards.get(ADA, made.id)).toMatchObject({
        title: 'Board',
        tags: ['a'],
        revision: 1,
      });
      expect(await codeOf(store.boards.get({ ...JO, projectId: 'q' }, made.id))).toBe('not_found');
      const changed = { revision: 1, board: { ...BOARD, title: 'New' }, by: 'ada' };
      expect(await store.boards.replace(ADA, made.id, changed)).toMatchObject({ title: 'New', revision: 2 });
      expect(await codeOf(store.boards.replace(JO, made.id, changed))).toBe('conflict');
    });

    it("a person's own board is theirs", async () => {
      const { id } = await store.boards.create(JO, { ...BOARD, ownerId: 'jo' }, 'jo');
      expect(await store.boards.list(ADA)).toEqual([]);
      expect(await codeOf(store.boards.get(ADA, id))).toBe('not_found');
      expect(await codeOf(store.boards.delete({ projectId: 'p', userId: undefined }, id))).toBe('not_found');
      expect(await store.boards.list(JO)).toHaveLength(1);
    });

    it('folders nest, never in themselves, and are deleted when they are empty', async () => {
      const top = await store.boards.createFolder('p', { name: 'Top', parentId: null });
      const below = await store.boards.createFolder('p', { name: 'Below', parentId: top.id });
      expect(await codeOf(store.boards.updateFolder('p', { ...top, parentId: below.id }))).toBe('refused');
      expect(await codeOf(store.boards.deleteFolder('p', top.id))).toBe('conflict');
      const { id } = await store.boards.create(JO, { ...BOARD, folderId: below.id }, 'jo');
      expect(await codeOf(store.boards.deleteFolder('p', below.id))).toBe('conflict');
      await store.boards.delete(JO, id);
      await store.boards.deleteFolder('p', below.id);
      await store.boards.deleteFolder('p', top.id);
      expect(await store.boards.folders('p')).toEqual([]);
      expect(await codeOf(store.boards.create(JO, { ...BOARD, folderId: top.id }, 'jo'))).toBe('not_found');
    });

    it("pins are a person's own, and pinning twice is pinning", async () => {
      await store.boards.pin('p', 'jo', 'seed:llm', true);
      await store.boards.pin('p', 'jo', 'seed:llm', true);
      expect(await store.boards.pins('p', 'jo')).toEqual(new Set(['seed:llm']));
      expect(await store.boards.pins('p', 'ada')).toEqual(new Set());
      await store.boards.pin('p', 'jo', 'seed:llm', false);
      expect(await store.boards.pins('p', 'jo')).toEqual(new Set());
    });
  });
}
