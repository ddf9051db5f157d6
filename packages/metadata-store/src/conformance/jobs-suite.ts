import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

/** What every dialect keeps of jobs and of the work queue. */
export function describeJobs(name: string, makePlace: () => Promise<Place>): void {
  describe(`jobs on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let other: MetadataStore;
    let now = 1_000_000;
    beforeEach(async () => {
      now = 1_000_000;
      place = await makePlace();
      const dialect = place.dialect;
      const open = () =>
        openMetadata({ dialect: dialect(), logger: silentLogger, clock: { now: () => now } });
      store = await open();
      other = await open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
      await place.dispose();
    });
    const by = (owner: string) => ({ owner, leaseMs: 100, nextDueAt: now + 1_000 });

    it('gives a due job to one of many claims, and again only when it is due', async () => {
      await store.jobs.register('a', now);
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? store : other).jobs.claim('a', by(`${n}`))),
      );
      const runs = claims.filter((run) => run !== undefined);
      expect(runs).toHaveLength(1);
      const [run] = runs;
      if (run === undefined) return;
      expect(await store.jobs.end(run, { outcome: 'ok', error: null, stats: { removed: 2 } })).toBe(true);
      expect(await store.jobs.claim('a', by('x'))).toBeUndefined();
      now += 1_000;
      expect(await store.jobs.claim('a', by('x'))).toMatchObject({ trigger: 'schedule', owner: 'x' });
      expect(await store.jobs.runs('a', 10)).toMatchObject([
        { outcome: null, endedAt: null },
        { outcome: 'ok', stats: { removed: 2 } },
      ]);
    });

    it('hands a job over when its lease ends, and not before', async () => {
      await store.jobs.register('a', now);
      const first = await store.jobs.claim('a', by('one'));
      if (first === undefined) throw new Error('not claimed');
      now += 90;
      expect(await store.jobs.heartbeat(first, 100)).toBe(true);
      now += 90;
      expect(await other.jobs.claim('a', by('two'))).toBeUndefined();
      now += 20;
      const second = await other.jobs.claim('a', by('two'));
      expect(second).toMatchObject({ trigger: 'takeover', owner: 'two' });
      expect(await store.jobs.heartbeat(first, 100)).toBe(false);
      expect(await store.jobs.end(first, { outcome: 'ok', error: null, stats: null })).toBe(false);
      expect((await store.jobs.runs('a', 10)).map(({ outcome }) => outcome)).toContain('lost');
    });

    it('runs a triggered job, once more when it is under way', async () => {
      await store.jobs.register('a', null);
      expect(await store.jobs.claim('a', { ...by('x'), nextDueAt: null })).toBeUndefined();
      expect(await store.jobs.trigger('none', 'manual')).toBe(false);
      expect(await store.jobs.trigger('a', 'manual')).toBe(true);
      const run = await store.jobs.claim('a', { ...by('x'), nextDueAt: null });
      if (run === undefined) throw new Error('not claimed');
      expect(run.trigger).toBe('manual');
      await store.jobs.trigger('a', 'event');
      await store.jobs.end(run, { outcome: 'failed', error: 'why', stats: null });
      expect(await store.jobs.claim('a', { ...by('x'), nextDueAt: null })).toMatchObject({
        trigger: 'event',
      });
    });

    const claim = (owner: string, limit = 10) => ({ owner, leaseMs: 100, limit });

    it('takes an item of work once, and keeps its result', async () => {
      const items = [
        { key: 'k', payload: { n: 1 } },
        { key: 'l', group: 'g', payload: 'two\0' },
      ];
      expect(await store.work.enqueue('q', items)).toBe(2);
      expect(await store.work.enqueue('q', items)).toBe(0);
      expect(await store.work.enqueue('r', items)).toBe(2);
      const [one, two] = await store.work.claim('q', claim('x'));
      expect(await store.work.claim('q', claim('y'))).toEqual([]);
      expect([one?.attempts, two?.attempts]).toEqual([1, 1]);
      const byKey = new Map([one, two].map((item) => [item?.key, item?.payload]));
      expect(byKey).toEqual(
        new Map<string, unknown>([
          ['k', { n: 1 }],
          ['l', 'two\0'],
        ]),
      );
      expect(await store.work.complete(one?.id ?? '', 'y', 1)).toBe(false);
      expect(await store.work.complete(one?.id ?? '', 'x', { score: 0.5 })).toBe(true);
      expect(await store.work.complete(one?.id ?? '', 'x', 2)).toBe(false);
      expect(await store.work.get('q', one?.key ?? '')).toMatchObject({
        state: 'done',
        result: { score: 0.5 },
      });
      expect(await store.work.counts('q')).toEqual({ queued: 0, leased: 1, done: 1, failed: 0 });
      expect(await store.work.remove('q', { group: 'g' })).toBe(1);
      expect(await store.work.counts('r')).toMatchObject({ queued: 2 });
    });

    it('gives an item back at its time, and for good', async () => {
      await store.work.enqueue('q', [{ key: 'k', payload: null }]);
      const [first] = await store.work.claim('q', claim('x'));
      await store.work.fail(first?.id ?? '', 'x', { error: 'later', retryAt: now + 50 });
      expect(await store.work.claim('q', claim('x'))).toEqual([]);
      now += 50;
      const [second] = await store.work.claim('q', claim('y'));
      expect(second).toMatchObject({ attempts: 2, error: 'later' });
      now += 101;
      const [third] = await other.work.claim('q', claim('z'));
      expect(third?.attempts).toBe(3);
      expect(await store.work.heartbeat(second?.id ?? '', 'y', 100)).toBe(false);
      await other.work.fail(third?.id ?? '', 'z', { error: 'never', retryAt: null });
      expect(await store.work.claim('q', claim('x'))).toEqual([]);
      expect(await store.work.list('q', { state: 'failed', limit: 5 })).toMatchObject([{ error: 'never' }]);
      expect(await store.work.remove('q', { finishedBefore: now + 1 })).toBe(1);
    });

    it('shares a queue between claims without giving an item twice', async () => {
      await store.work.enqueue(
        'q',
        Array.from({ length: 250 }, (_, n) => ({ key: `${n}`, payload: n })),
      );
      const taken = await Promise.all(
        Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? store : other).work.claim('q', claim(`${n}`))),
      );
      const ids = taken.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThan(100);
    });

    it('refuses a payload that is too large', async () => {
      const big = { key: 'k', payload: 'x'.repeat(300_000) };
      expect(await codeOf(store.work.enqueue('q', [big]))).toBe('refused');
    });
  });
}
