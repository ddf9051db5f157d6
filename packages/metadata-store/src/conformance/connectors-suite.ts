import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import type { NewConnector } from '../repositories/connectors.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

const CONNECTOR: NewConnector = {
  id: 'c1',
  projectId: null,
  name: 'Big one',
  kind: 'clickhouse',
  url: 'https://clickhouse.example.com:8443',
  username: 'writer',
  database: 'candela',
  allowInsecure: false,
  secrets: 'sealed',
  hasPassword: true,
  hasCa: false,
  hasClientCertificate: false,
};

/** What every dialect keeps of connectors, their bindings, retention and key ids. */
export function describeConnectors(name: string, makePlace: () => Promise<Place>): void {
  describe(`connectors on ${name}`, () => {
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
        limits: { connectorsPerOrganisation: 3 },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps a connector, and knows it in its organisation only', async () => {
      const made = await store.connectors.create('o', CONNECTOR);
      expect(made).toEqual({ ...CONNECTOR, organisationId: 'o', version: 1, createdAt: now, updatedAt: now });
      expect(await store.connectors.get('o', 'c1')).toEqual(made);
      expect(await store.connectors.find('c1')).toEqual(made);
      expect(await codeOf(store.connectors.get('other', 'c1'))).toBe('not_found');
      expect(await codeOf(store.connectors.update('other', 'c1', 1, { name: 'mine' }))).toBe('not_found');
      expect(await codeOf(store.connectors.delete('other', 'c1'))).toBe('not_found');
      expect(await store.connectors.list('other')).toEqual([]);
    });

    it('takes a name once an organisation, whatever its case, and as many as it may have', async () => {
      await store.connectors.create('o', CONNECTOR);
      expect(await codeOf(store.connectors.create('o', { ...CONNECTOR, id: 'c2', name: 'BIG ONE' }))).toBe(
        'conflict',
      );
      expect(await codeOf(store.connectors.create('p', { ...CONNECTOR, id: 'c2' }))).toBe('ok');
      expect(await codeOf(store.connectors.create('o', { ...CONNECTOR, id: 'c3', name: 'a' }))).toBe('ok');
      expect(await codeOf(store.connectors.update('o', 'c3', 1, { name: 'big one' }))).toBe('conflict');
      expect(await codeOf(store.connectors.create('o', { ...CONNECTOR, id: 'c4', name: 'b' }))).toBe('ok');
      expect(await codeOf(store.connectors.create('o', { ...CONNECTOR, id: 'c5', name: 'c' }))).toBe(
        'refused',
      );
      expect((await store.connectors.list('o')).map(({ id }) => id)).toEqual(['c3', 'c4', 'c1']);
    });

    it('takes a change of the version that was read, once', async () => {
      await store.connectors.create('o', CONNECTOR);
      now += 1;
      const changed = await store.connectors.update('o', 'c1', 1, { name: 'New', hasPassword: false });
      expect(changed).toMatchObject({ name: 'New', hasPassword: false, version: 2, updatedAt: now });
      expect(await codeOf(store.connectors.update('o', 'c1', 1, { name: 'Old' }))).toBe('conflict');
      const at = { version: 2, url: CONNECTOR.url };
      expect(await store.connectors.get('o', 'c1')).toMatchObject({ name: 'New', ...at });
    });

    it('binds, binds anew and takes bindings away, project by project', async () => {
      await store.routing.set('p', [
        { environment: null, signal: 'traces', connectorId: 'c1' },
        { environment: 'staging', signal: 'traces', connectorId: 'c2' },
        { environment: null, signal: 'logs', connectorId: null },
      ]);
      await store.routing.set('q', [{ environment: null, signal: 'traces', connectorId: 'c1' }]);
      await store.routing.set('p', [
        { environment: 'staging', signal: 'traces', connectorId: 'c3' },
        { environment: null, signal: 'traces', connectorId: undefined },
      ]);
      expect(await store.routing.of('p')).toEqual([
        { projectId: 'p', environment: null, signal: 'logs', connectorId: null },
        { projectId: 'p', environment: 'staging', signal: 'traces', connectorId: 'c3' },
      ]);
      expect(await store.routing.boundTo('c1')).toEqual([
        { projectId: 'q', environment: null, signal: 'traces', connectorId: 'c1' },
      ]);
      expect(await store.routing.boundTo('c2')).toEqual([]);
    });

    it('keeps the days that projects chose, and the ids of master keys once each', async () => {
      await store.retention.set(
        'p',
        new Map([
          ['traces', 7],
          ['logs', 3],
        ]),
      );
      await store.retention.set(
        'p',
        new Map<string, number | null>([
          ['traces', 9],
          ['logs', null],
        ]),
      );
      expect(await store.retention.all()).toEqual([{ projectId: 'p', signal: 'traces', days: 9 }]);
      await store.vaultKeys.add('one');
      now += 1;
      await store.vaultKeys.add('two');
      await store.vaultKeys.add('one');
      expect(await store.vaultKeys.list()).toEqual(['one', 'two']);
      await store.vaultKeys.remove('one');
      expect(await store.vaultKeys.list()).toEqual(['two']);
    });
  });
}
