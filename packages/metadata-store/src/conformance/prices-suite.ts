import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewPrice } from '../repositories/custom-prices.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const PRICE: NewPrice = {
  projectId: 'p',
  provider: 'openai',
  names: ['gpt-4o', 'house-*'],
  rates: { input: 1.25, output: 10, tiers: { flex: { times: 0.5 } } },
  validFrom: '2026-01-01',
  validTo: null,
  note: 'by contract',
  by: 'ada@example.com',
};
const HERE = { organisationId: 'o', projectId: 'p' };
const BESIDE = { organisationId: 'o', projectId: 'q' };
const ELSEWHERE = { organisationId: 'other', projectId: 'p' };

/** What every dialect keeps of prices that people set. */
export function describePrices(name: string, makePlace: () => Promise<Place>): void {
  describe(`custom prices on ${name}`, () => {
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
        limits: { pricesPerScope: 2 },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps a price of a project there, and one of the organisation in all of its projects', async () => {
      const { by, ...given } = PRICE;
      const made = await store.prices.create(HERE, PRICE);
      const times = { createdBy: by, createdAt: now, updatedBy: by, updatedAt: now };
      expect(made).toEqual({ id: made.id, organisationId: 'o', ...given, version: 1, ...times });
      now += 1;
      const wide = await store.prices.create(HERE, { ...PRICE, projectId: null });
      expect(await store.prices.list(HERE)).toEqual([made, wide]);
      expect(await store.prices.list(BESIDE)).toEqual([wide]);
      expect(await store.prices.list(ELSEWHERE)).toEqual([]);
      expect(await codeOf(store.prices.get(BESIDE, made.id))).toBe('not_found');
      expect(await codeOf(store.prices.update(ELSEWHERE, wide.id, 1, PRICE))).toBe('not_found');
      expect(await codeOf(store.prices.delete(ELSEWHERE, wide.id))).toBe('not_found');
      await store.prices.delete(BESIDE, wide.id);
      expect(await store.prices.list(HERE)).toEqual([made]);
    });

    it('changes one of a version, and has room for so many', async () => {
      const made = await store.prices.create(HERE, PRICE);
      await store.prices.create(HERE, PRICE);
      expect(await codeOf(store.prices.create(HERE, PRICE))).toBe('refused');
      const wide = await store.prices.create(HERE, { ...PRICE, projectId: null });
      expect(await codeOf(store.prices.update(HERE, wide.id, 1, PRICE))).toBe('refused');
      now += 1;
      const changed = await store.prices.update(HERE, made.id, 1, { ...PRICE, names: ['x'], by: 'eve' });
      expect(changed).toMatchObject({ names: ['x'], version: 2, updatedBy: 'eve', updatedAt: now });
      expect(await codeOf(store.prices.update(HERE, made.id, 1, PRICE))).toBe('conflict');
    });

    it('gathers them by project, and leaves nothing of one that is deleted', async () => {
      const [shop, bank] = [
        await store.projects.create('default', 'Shop'),
        await store.projects.create('default', 'Bank'),
      ];
      const scope = { organisationId: 'default', projectId: shop.id };
      const own = await store.prices.create(scope, { ...PRICE, projectId: shop.id });
      const wide = await store.prices.create(scope, { ...PRICE, projectId: null });
      const gathered = await store.prices.byProject();
      expect(gathered.get(shop.id)).toEqual([own, wide]);
      expect(gathered.get(bank.id)).toEqual([wide]);
      await store.change(undefined, ({ projects }) => projects.remove('default', shop.id));
      expect(await codeOf(store.prices.get(scope, own.id))).toBe('not_found');
      expect((await store.prices.byProject()).get(bank.id)).toEqual([wide]);
    });
  });
}
