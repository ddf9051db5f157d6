import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const HERE = { projectId: 'p', environment: 'production' };
const THERE = { projectId: 'q', environment: 'production' };
const NEW = { kind: 'dataset', name: 'Golden', body: { a: 1 }, by: 'jo' } as const;

/** What every dialect keeps of evaluators, datasets, experiments and queues. */
export function describeJudging(name: string, makePlace: () => Promise<Place>): void {
  describe(`documents of evaluations on ${name}`, () => {
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

    it('a document is of its project, has one name, and tells the second editor', async () => {
      const made = await store.judging.create(HERE, NEW);
      expect(await store.judging.get(HERE, 'dataset', 'golden')).toEqual(made);
      expect(await codeOf(store.judging.get(THERE, 'dataset', made.id))).toBe('not_found');
      expect(await codeOf(store.judging.get(HERE, 'queue', made.id))).toBe('not_found');
      expect(await codeOf(store.judging.create(HERE, { ...NEW, name: 'GOLDEN' }))).toBe('conflict');
      const changed = await store.judging.update(made, { body: { a: 2 }, revision: 1 });
      expect(changed).toMatchObject({ body: { a: 2 }, revision: 2 });
      expect(await codeOf(store.judging.update(made, { body: {}, revision: 1 }))).toBe('conflict');
      await store.judging.delete(changed);
      expect(await store.judging.list(HERE, 'dataset')).toEqual([]);
    });

    it('items are kept as they were at each revision, in order', async () => {
      const { id } = await store.judging.create(HERE, NEW);
      const item = (key: string, value: number, status = 'ACTIVE') => ({ key, status, body: { value } });
      await store.judging.putItems(
        id,
        2,
        Array.from({ length: 250 }, (_, index) => item(`k${index}`, index)),
      );
      await store.judging.putItems(id, 3, [item('k1', 100), item('new', 1, 'ARCHIVED')]);
      const values = async (revision?: number) =>
        (await store.judging.items(id, { revision, limit: 1_000 })).map(
          ({ body }) => (body as { value: number }).value,
        );
      expect((await values(2)).slice(0, 3)).toEqual([0, 1, 2]);
      expect((await values()).slice(0, 3)).toEqual([0, 100, 2]);
      expect(await values(1)).toEqual([]);
      expect(await store.judging.counts(id)).toEqual({ ACTIVE: 250, ARCHIVED: 1 });
      const [second] = await store.judging.items(id, { after: 1, limit: 1 });
      expect(second).toMatchObject({ key: 'k1', position: 2, since: 3 });
      expect(await store.judging.setItem(id, 'k1', { status: 'done' }, -1)).toBe(false);
      expect(await store.judging.setItem(id, 'k1', { status: 'done' })).toBe(true);
      expect(await store.judging.item(id, 'k1')).toMatchObject({ status: 'done', body: { value: 100 } });
    });
  });
}
