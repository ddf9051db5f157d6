import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import type { NewModel } from '../repositories/models.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

const HERE = { projectId: 'p', databaseConfigId: 'd' };
const ELSEWHERE = [
  { projectId: 'q', databaseConfigId: 'd' },
  { projectId: 'p', databaseConfigId: 'e' },
];
const MODEL: NewModel = {
  name: 'House model',
  provider: 'openai-compatible',
  model: 'llama3.3:70b',
  baseUrl: 'http://127.0.0.1:11434/v1',
  allowInsecure: true,
  secretId: null,
  settings: { temperature: 0.25, maxOutputTokens: 512 },
  by: 'ada@example.com',
};

/** What every dialect keeps of configured models. */
export function describeModels(name: string, makePlace: () => Promise<Place>): void {
  describe(`models on ${name}`, () => {
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
        limits: { modelsPerPlace: 3 },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps a model, and knows it in its place only', async () => {
      const { by, ...given } = MODEL;
      const made = await store.models.create(HERE, MODEL);
      const times = { createdBy: by, createdAt: now, updatedBy: by, updatedAt: now };
      expect(made).toEqual({ id: made.id, ...given, version: 1, ...times });
      expect(await store.models.get(HERE, made.id)).toEqual(made);
      for (const other of ELSEWHERE) {
        expect(await codeOf(store.models.get(other, made.id))).toBe('not_found');
        expect(await codeOf(store.models.update(other, made.id, 1, MODEL))).toBe('not_found');
        expect(await codeOf(store.models.delete(other, made.id))).toBe('not_found');
        expect(await store.models.list(other)).toEqual([]);
      }
      expect(await store.models.list(HERE)).toEqual([made]);
      await store.models.delete(HERE, made.id);
      expect(await store.models.list(HERE)).toEqual([]);
    });

    it('takes a name once a place, whatever its case, and as many as it may have', async () => {
      const first = await store.models.create(HERE, MODEL);
      expect(await codeOf(store.models.create(HERE, { ...MODEL, name: 'HOUSE MODEL' }))).toBe('conflict');
      for (const other of ELSEWHERE) expect(await codeOf(store.models.create(other, MODEL))).toBe('ok');
      const { id } = await store.models.create(HERE, { ...MODEL, name: 'b' });
      expect(await codeOf(store.models.update(HERE, id, 1, MODEL))).toBe('conflict');
      await store.models.create(HERE, { ...MODEL, name: 'a' });
      expect(await codeOf(store.models.create(HERE, { ...MODEL, name: 'c' }))).toBe('refused');
      const names = (await store.models.list(HERE)).map((model) => model.name);
      expect(names).toEqual(['a', 'b', first.name]);
    });

    it('takes a change of the version that was read, once', async () => {
      const { id } = await store.models.create(HERE, MODEL);
      now += 1;
      const change = { ...MODEL, secretId: 's1', baseUrl: null, by: 'bob@example.com' };
      const changed = await store.models.update(HERE, id, 1, change);
      expect(changed).toMatchObject({ secretId: 's1', baseUrl: null, version: 2, updatedAt: now });
      expect(changed).toMatchObject({ createdBy: MODEL.by, updatedBy: 'bob@example.com' });
      expect(await codeOf(store.models.update(HERE, id, 1, MODEL))).toBe('conflict');
      expect(await store.models.get(HERE, id)).toEqual(changed);
    });
  });
}
