import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CandelaError, silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlatformScopes, type PlatformScopes } from './platform-scopes.ts';
import { SignalRoutes } from './signal-routes.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-places-'));
let store: MetadataStore;
let places: PlatformScopes;

const connect = (id: string, organisationId: string, projectId: string | null) =>
  store.connectors.create(organisationId, {
    id,
    projectId,
    name: id,
    kind: 'embedded',
    url: null,
    username: null,
    database: id.replaceAll('-', '_'),
    allowInsecure: false,
    secrets: null,
    hasPassword: false,
    hasCa: false,
    hasClientCertificate: false,
  });

beforeAll(async () => {
  store = await openMetadataStore({ dataDir: dir, logger: silentLogger });
  await connect('ours', 'org', 'p');
  await connect('shared', 'org', null);
  await connect('of-another-project', 'org', 'q');
  await connect('of-another-organisation', 'rival', null);
  await store.routing.set('p', [
    { environment: 'staging', signal: 'platform', connectorId: 'ours' },
    { environment: 'closed', signal: 'platform', connectorId: null },
    { environment: 'production', signal: 'traces', connectorId: 'shared' },
  ]);
  places = createPlatformScopes({ routes: new SignalRoutes(store), metadata: store });
});
afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The configuration, or the code of the refusal. */
async function resolve(more: { environment?: string; limits?: readonly string[]; named?: string } = {}) {
  const { environment = 'production', limits = null, named } = more;
  try {
    return await places.resolve({ organisationId: 'org', projectId: 'p', environment, limits, named });
  } catch (thrown) {
    if (thrown instanceof CandelaError) return thrown.code;
    throw thrown;
  }
}

describe('where prompts, secrets and rules are kept', () => {
  it('follows from what the environment is bound to', async () => {
    expect(await resolve()).toBe('embedded');
    expect(await resolve({ environment: 'staging' })).toBe('ours');
    expect(await resolve({ environment: 'closed' })).toBe('signal_unbound');
  });

  it('may be named where it is of the project', async () => {
    expect(await resolve({ named: 'ours' })).toBe('ours');
    expect(await resolve({ named: 'shared' })).toBe('shared');
    expect(await resolve({ named: 'embedded', environment: 'staging' })).toBe('embedded');
    for (const named of ['of-another-project', 'of-another-organisation', 'nobodys', '__proto__']) {
      expect([named, await resolve({ named })]).toEqual([named, 'forbidden']);
    }
  });

  it('is not reached around the environments of a limited key', async () => {
    const limits = ['staging', 'closed'];
    expect(await resolve({ environment: 'staging', limits, named: 'ours' })).toBe('ours');
    expect(await resolve({ environment: 'staging', limits, named: 'embedded' })).toBe('forbidden');
    expect(await resolve({ environment: 'staging', limits, named: 'shared' })).toBe('forbidden');
  });

  it('is forgotten when a connector goes', async () => {
    expect(await resolve({ named: 'shared' })).toBe('shared');
    await store.connectors.delete('org', 'shared');
    expect(await resolve({ named: 'shared' })).toBe('forbidden');
  });
});
