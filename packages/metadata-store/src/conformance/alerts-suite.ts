import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

const PROJECT = { organisationId: 'o', projectId: 'p', environment: null, databaseConfigId: 'embedded' };
const alert = (name: string) => ({ name, kind: 'threshold', enabled: true, definition: '{}' });
const MESSAGE = { projectId: 'p', destinationId: 'd', waitMs: 30, intervalMs: 300 };

/** What every dialect keeps of alerts and their messages. */
export function describeAlerts(name: string, makePlace: () => Promise<Place>): void {
  describe(`alerts on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let other: MetadataStore;
    let now = 1_000_000;
    beforeEach(async () => {
      now = 1_000_000;
      place = await makePlace();
      const open = () =>
        openMetadata({ dialect: place.dialect(), logger: silentLogger, clock: { now: () => now } });
      store = await open();
      other = await open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
      await place.dispose();
    });
    const take = (from: MetadataStore, owner: string) =>
      from.alerts.takeDue({ owner, leaseMs: 100, limit: 1 });
    const settled = (alertId: string, owner: string, at: number) => ({
      alertId,
      owner,
      at,
      nextAt: at + 60_000,
      error: null,
      errorCount: 0,
      states: [{ groupKey: 'g', status: 'firing', state: JSON.stringify({ at }) }],
      gone: [],
    });

    it('gives a due alert to one of many, and lets an instant count once', async () => {
      const made = await store.alerts.create(PROJECT, alert('A'), 'ann');
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, n) => take(n % 2 === 0 ? store : other, `${n}`)),
      );
      expect(taken.flat().map(({ id }) => id)).toEqual([made.id]);
      const owner = String(taken.findIndex((list) => list.length > 0));
      expect(await store.alerts.settle('p', settled(made.id, 'somebody', now))).toBe(false);
      expect(await store.alerts.settle('p', settled(made.id, owner, now))).toBe(true);
      expect(await take(store, 'x')).toEqual([]);
      // Its lease ended while the first owner still worked: what that one writes counts no more.
      now += 60_000;
      expect(await take(store, 'slow')).toHaveLength(1);
      now += 200;
      expect(await take(other, 'next')).toHaveLength(1);
      expect(await store.alerts.settle('p', settled(made.id, 'slow', now))).toBe(false);
      expect(await other.alerts.settle('p', settled(made.id, 'next', now))).toBe(true);
      expect(await store.alerts.states('p', made.id)).toMatchObject([{ status: 'firing' }]);
      expect(await store.alerts.firing('p', 'threshold')).toHaveLength(1);
      expect(await store.alerts.states('other', made.id)).toEqual([]);
    });

    it('gives the alert of the shortest interval first where many are due at one instant', async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store.alerts.create(PROJECT, alert(`A ${n}`), 'ann')),
      );
      const due = now + 60_000;
      const often = all.at(-1)?.id ?? '';
      for (let left = all.length; left > 0; left -= 1) {
        const [{ id } = { id: '' }] = await take(store, 'x');
        const at = id === often ? now + 30_000 : now;
        await store.alerts.settle('p', { ...settled(id, 'x', at), nextAt: due });
      }
      now = due;
      expect(await take(store, 'x')).toMatchObject([{ id: often }]);
      expect(await take(store, 'x')).toHaveLength(1);
    });

    it('keeps an event of the history once', async () => {
      const event = { id: 'e', alertId: 'a', groupKey: 'g', status: 'firing', at: 5, details: '{}' };
      expect(await store.alerts.addEvents('p', [event])).toEqual(new Set(['e']));
      expect(await store.alerts.addEvents('p', [event, { ...event, id: 'f' }])).toEqual(new Set());
      expect(await store.alerts.events('p', { limit: 5 })).toHaveLength(1);
      expect(await store.alerts.events('other', { limit: 5 })).toEqual([]);
    });

    it('gathers events in a message until it is sent, and keeps its distance to the next', async () => {
      const message = { ...MESSAGE, alertId: 'a' };
      const [first] = await store.alertDeliveries.add({ ...message, events: ['1'] });
      expect(await other.alertDeliveries.add({ ...message, events: ['2'] })).toEqual([]);
      const id = first?.id ?? '';
      expect(await store.alertDeliveries.begin(id)).toMatchObject({ events: ['1', '2'], attempts: 1 });
      expect(first?.dueAt).toBe(now + 30);
      const [second] = await store.alertDeliveries.add({ ...message, events: ['3'] });
      expect(second?.dueAt).toBe(now + 330);
      // A process that died leaves it to be begun again, with the same events.
      expect(await store.alertDeliveries.begin(id)).toMatchObject({ events: ['1', '2'], attempts: 2 });
      await store.alertDeliveries.note(id, null, true);
      expect(await store.alertDeliveries.begin(id)).toBeUndefined();
      expect(
        (await store.alertDeliveries.list('p', { limit: 5 })).map(({ status }) => status).toSorted(),
      ).toEqual(['sent', 'waiting']);
    });

    it('refuses names that are taken and changes of another revision, and ends silences', async () => {
      const made = await store.alerts.create(PROJECT, alert('A'), 'ann');
      expect(await codeOf(store.alerts.create(PROJECT, alert('a'), 'ann'))).toBe('conflict');
      const change = { alert: alert('B'), by: 'bob', forget: true };
      await store.alerts.replace('p', made.id, { ...change, revision: 1 });
      expect(await codeOf(store.alerts.replace('p', made.id, { ...change, revision: 1 }))).toBe('conflict');
      expect(await codeOf(store.alerts.get('other', made.id))).toBe('not_found');
      const silence = await store.alertSilences.create('p', {
        matchers: '[]',
        comment: 'c',
        author: 'ann',
        startsAt: now,
        endsAt: now + 100,
      });
      expect(await store.alertSilences.active('p')).toHaveLength(1);
      await store.alertSilences.end('p', silence.id);
      expect(await store.alertSilences.active('p')).toEqual([]);
      await store.alerts.delete('p', made.id);
      expect(await store.alerts.list('p')).toEqual([]);
    });
  });
}
