import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewDispute } from '../repositories/coding-disputes.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const DISPUTE: NewDispute = {
  projectId: 'p',
  sessionId: 's 1',
  agent: 'codex',
  current: 'personal',
  requested: 'work',
  rationale: 'The repository has moved.',
  createdBy: 'u',
  createdByName: 'ada@example.com',
};

/** What every dialect keeps of disputes over sessions of coding agents. */
export function describeDisputes(name: string, makePlace: () => Promise<Place>): void {
  describe(`disputes on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let now = 1_000_000;
    beforeEach(async () => {
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

    it('are opened once a session, closed once, and known in their project only', async () => {
      const disputes = store.codingDisputes;
      const made = await disputes.create(DISPUTE);
      expect(made).toMatchObject({ ...DISPUTE, status: 'open', createdAt: now, resolvedAt: null });
      expect(await codeOf(disputes.create(DISPUTE))).toBe('conflict');
      expect(await disputes.list('p', { limit: 10 })).toEqual([made]);
      expect(await disputes.list('p', { limit: 10, by: 'nobody' })).toEqual([]);
      expect(await disputes.list('p', { limit: 10, sessionId: 's 1' })).toEqual([made]);
      expect(await disputes.list('p', { limit: 10, sessionId: 's 2' })).toEqual([]);
      expect(await disputes.list('q', { limit: 10 })).toEqual([]);
      const accept = { status: 'accepted', byName: 'olga', resolution: 'seen' } as const;
      expect(await codeOf(disputes.close('q', made.id, accept))).toBe('not_found');
      expect(await disputes.accepted('p', ['s 1'])).toEqual([]);
      expect(await disputes.close('p', made.id, accept)).toMatchObject({
        status: 'accepted',
        resolvedByName: 'olga',
        resolvedAt: now,
        resolution: 'seen',
      });
      expect(await codeOf(disputes.close('p', made.id, accept))).toBe('conflict');
      expect(await disputes.accepted('p', ['s 1', 's 2'])).toMatchObject([{ requested: 'work' }]);
      expect(await disputes.accepted('q', ['s 1'])).toEqual([]);
    });

    it('are bounded by person and hour', async () => {
      for (let n = 0; n < 20; n += 1) await store.codingDisputes.create({ ...DISPUTE, sessionId: `x ${n}` });
      expect(await codeOf(store.codingDisputes.create(DISPUTE))).toBe('rate_limited');
      now += 3_600_001;
      expect(await store.codingDisputes.create(DISPUTE)).toMatchObject({ status: 'open' });
    });
  });
}
