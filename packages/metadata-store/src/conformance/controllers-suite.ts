import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const SCOPE = { projectId: 'p', environment: 'prod' } as const;
const REPORT = { ...SCOPE, name: 'host', cluster: 'c', keyId: 'k', facts: '{}', services: '[]' };
const ACTION = {
  projectId: 'p',
  workload: 'linux:systemd:shop.service',
  type: 'instrument',
  payload: '{"content":false}',
  dryRun: false,
  reason: 'über "why" \\ %_',
  createdBy: 'ada',
};
const DONE = { state: 'succeeded', error: null, snapshot: '--- a\n+++ b' } as const;

/** What every dialect keeps of controllers, their tokens, what is wanted, and actions with a lease. */
export function describeControllers(name: string, makePlace: () => Promise<Place>): void {
  describe(`controllers on ${name}`, () => {
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

    it('are known by name in their project, and come back with another key', async () => {
      const made = await store.controllers.enrol(REPORT);
      expect(made).toMatchObject({ ...REPORT, revoked: false, createdAt: now, lastSeenAt: now });
      expect(await store.controllers.get(SCOPE, made.id)).toEqual(made);
      for (const other of [
        { ...SCOPE, projectId: 'q' },
        { ...SCOPE, environment: 'staging' },
      ])
        expect(await codeOf(store.controllers.get(other, made.id))).toBe('not_found');
      expect(await store.controllers.byName('q', 'host')).toBeUndefined();
      now += 5;
      await store.controllers.heard(made.id, { facts: '{"a":1}', services: '[{}]' });
      expect(await store.controllers.byName('p', 'host')).toMatchObject({
        facts: '{"a":1}',
        lastSeenAt: now,
      });
      await store.controllers.revoke(made.id);
      expect(await store.controllers.enrol({ ...REPORT, keyId: 'k2' })).toMatchObject({
        id: made.id,
        keyId: 'k2',
        revoked: false,
        createdAt: 1_000_000,
      });
      await store.controllers.enrol({ ...REPORT, name: 'other', environment: 'staging' });
      expect((await store.controllers.list(SCOPE)).map((one) => one.name)).toEqual(['host']);
      expect(await store.controllers.list({ projectId: 'p', environment: undefined })).toHaveLength(2);
    });

    it('enrol with a token as often as it says, and not after its end', async () => {
      const token = (hash: string) =>
        store.controllers.createToken(hash, {
          organisationId: 'o',
          ...SCOPE,
          cluster: 'c',
          usesLeft: 3,
          createdBy: 'ada',
          expiresAt: now + 1_000,
        });
      const made = await token('h1');
      const uses = await Promise.all(Array.from({ length: 8 }, () => store.controllers.useToken('h1')));
      expect(uses.filter((one) => one !== undefined)).toHaveLength(3);
      expect(await store.controllers.tokens('p')).toMatchObject([{ id: made.id, uses: 3, usesLeft: 0 }]);
      const second = await token('h2');
      expect(await codeOf(store.controllers.revokeToken('q', second.id))).toBe('not_found');
      await store.controllers.revokeToken('p', second.id);
      expect(await store.controllers.useToken('h2')).toBeUndefined();
      await token('h3');
      now += 1_001;
      expect(await store.controllers.useToken('h3')).toBeUndefined();
      expect(await store.controllers.useToken('h4')).toBeUndefined();
      expect(await store.controllers.tokens('q')).toEqual([]);
    });

    it('keep the last wish of a workload, each feature for itself', async () => {
      const wish = {
        ...SCOPE,
        cluster: 'c',
        workload: 'w',
        feature: 'instrumentation',
        enabled: true,
        content: true,
        reason: 'r',
        changedBy: 'ada',
      } as const;
      await store.controllers.want(wish);
      now += 1;
      await store.controllers.want({ ...wish, enabled: false, content: false, reason: 'enough' });
      await store.controllers.want({ ...wish, feature: 'agent' });
      await store.controllers.want({ ...wish, projectId: 'q' });
      const wanted = await store.controllers.wanted(SCOPE);
      expect(wanted).toHaveLength(2);
      expect(wanted.find(({ feature }) => feature === 'instrumentation')).toEqual({
        ...wish,
        enabled: false,
        content: false,
        reason: 'enough',
        changedAt: now,
      });
      expect(await store.controllers.wanted({ ...SCOPE, environment: 'staging' })).toEqual([]);
    });

    it('lease an action to one asker at a time, again after the lease, and end it once', async () => {
      const { id: instanceId } = await store.controllers.enrol(REPORT);
      const action = await store.controllers.ask({ ...ACTION, instanceId, expiresAt: now + 10_000 });
      const leases = await Promise.all(
        Array.from({ length: 6 }, () => store.controllers.lease(instanceId, 100, 10)),
      );
      expect(leases.flat()).toMatchObject([{ id: action.id, state: 'leased', attempt: 1 }]);
      expect(await store.controllers.lease(instanceId, 100, 10)).toEqual([]);
      now += 101;
      expect(await store.controllers.lease(instanceId, 100, 10)).toMatchObject([{ attempt: 2 }]);
      expect(await store.controllers.end('other', action.id, DONE)).toBe(false);
      const ends = await Promise.all(
        Array.from({ length: 4 }, () => store.controllers.end(instanceId, action.id, DONE)),
      );
      expect(ends.filter(Boolean)).toHaveLength(1);
      expect(await store.controllers.end(instanceId, action.id, { ...DONE, state: 'failed' })).toBe(false);
      expect(await store.controllers.actions('p', { limit: 10 })).toEqual([
        expect.objectContaining({ ...ACTION, state: 'succeeded', finishedAt: now, snapshot: DONE.snapshot }),
      ]);
      expect(await store.controllers.actions('q', { limit: 10 })).toEqual([]);
    });

    it('give up what expired, what was asked anew, and all of one that was revoked', async () => {
      const { id: instanceId } = await store.controllers.enrol(REPORT);
      const ask = (workload: string) =>
        store.controllers.ask({ ...ACTION, workload, instanceId, expiresAt: now + 1_000 });
      await ask('a');
      now += 1;
      await ask('a');
      now += 1_001;
      expect(await store.controllers.lease(instanceId, 100, 10)).toEqual([]);
      await ask('b');
      await store.controllers.revoke(instanceId);
      expect(await store.controllers.open(instanceId)).toEqual([]);
      const all = await store.controllers.actions('p', { instanceId, limit: 10 });
      expect(all.map(({ state }) => state)).toEqual(['superseded', 'expired', 'superseded']);
      expect(await store.controllers.actions('p', { instanceId, workload: 'b', limit: 10 })).toHaveLength(1);
      await ask('c');
      now += 31 * 86_400_000;
      await ask('d');
      const left = await store.controllers.actions('p', { limit: 10 });
      expect(left.map(({ workload }) => workload)).toEqual(['d']);
      for (let n = 0; n < 5; n += 1) await ask(`e${n}`);
      expect(await store.controllers.lease(instanceId, 100, 2)).toHaveLength(2);
    });

    it('of one matter take the place of each other, and a plan that of plans', async () => {
      const { id: instanceId } = await store.controllers.enrol(REPORT);
      const ask = async (type: string, dryRun = false) => {
        now += 1;
        const asked = { ...ACTION, instanceId, type, dryRun, expiresAt: now + 1_000 };
        return (await store.controllers.ask(asked)).id;
      };
      const files = await ask('enable_sdk');
      const tap = await ask('instrument');
      await ask('enable_sdk', true);
      const plan = await ask('disable_sdk', true);
      const open = async () => (await store.controllers.open(instanceId)).map(({ id }) => id);
      expect(new Set(await open())).toEqual(new Set([files, tap, plan]));
      const off = await ask('uninstrument');
      const back = await ask('disable_sdk');
      expect(new Set(await open())).toEqual(new Set([off, back]));
    });

    it('are told what their project set', async () => {
      expect(await store.controllers.config('p')).toBeUndefined();
      await store.controllers.setConfig('p', '{"a":1}');
      await store.controllers.setConfig('p', '{"a":2}');
      expect(await store.controllers.config('p')).toBe('{"a":2}');
      expect(await store.controllers.config('q')).toBeUndefined();
    });

    it('of others: collectors by their uid, versions of what they were given, each settled once', async () => {
      const report = {
        ...SCOPE,
        instanceUid: 'ab'.repeat(16),
        keyId: 'k',
        facts: '{"a":"ü"}',
        effective: '{}',
      };
      const [made] = await Promise.all([store.fleet.add(report), store.fleet.add(report)]);
      expect(made).toMatchObject({ ...report, createdAt: now });
      expect(await store.fleet.list(SCOPE)).toEqual([made]);
      expect(await store.fleet.byUid('q', report.instanceUid)).toBeUndefined();
      expect(await codeOf(store.fleet.get({ ...SCOPE, environment: 'staging' }, made.id))).toBe('not_found');
      now += 3;
      await store.fleet.heard(made.id, { facts: '{}', effective: '{"x":1}' });
      expect(await store.fleet.get(SCOPE, made.id)).toMatchObject({ effective: '{"x":1}', lastSeenAt: now });
      const push = (hash: string) =>
        store.change(undefined, ({ fleet }) =>
          fleet.push({
            id: crypto.randomUUID(),
            projectId: 'p',
            collectorId: made.id,
            hash,
            body: 'sealed',
            rollbackOf: null,
            reason: 'r',
            createdBy: 'ada',
          }),
        );
      const [first, second] = [await push('h1'), await push('h2')];
      expect([first.version, second.version]).toEqual([1, 2]);
      expect(await store.fleet.wanted(made.id)).toEqual(second);
      expect(await store.fleet.settle(first.id, { state: 'applied', error: null })).toBe(false);
      expect(await store.fleet.settle(second.id, { state: 'applying', error: null })).toBe(true);
      const failed = { state: 'failed', error: 'no exporter' } as const;
      const ends = await Promise.all([
        store.fleet.settle(second.id, failed),
        store.fleet.settle(second.id, failed),
      ]);
      expect(ends.filter(Boolean)).toHaveLength(1);
      expect((await store.fleet.configs(made.id)).map(({ state }) => state)).toEqual([
        'failed',
        'superseded',
      ]);
      for (let n = 3; n < 56; n += 1) await push(`h${n}`);
      expect((await store.fleet.configs(made.id)).map(({ version }) => version)).toHaveLength(50);
      expect(await codeOf(store.fleet.remove({ ...SCOPE, projectId: 'q' }, made.id))).toBe('not_found');
      await store.fleet.remove(SCOPE, made.id);
      expect(await store.fleet.configs(made.id)).toEqual([]);
    });
  });
}
