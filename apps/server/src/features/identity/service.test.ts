import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CandelaError, type Clock, silentLogger, systemClock } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkOf } from './addresses.ts';
import { newApiKey, sha256 } from './keys/format.ts';
import { type AuthenticateInput, createIdentity, type IdentityConfig } from './service.ts';

const KEY = 'pk_abcdefgh_0123456789';

const dir = mkdtempSync(join(tmpdir(), 'candela-identity-'));
let metadata: MetadataStore;
beforeAll(async () => {
  metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger });
});
afterAll(async () => {
  await metadata.close();
  rmSync(dir, { recursive: true, force: true });
});

const CONFIG: IdentityConfig = {
  bootstrapApiKey: KEY,
  ingestAnonymous: true,
  host: '127.0.0.1',
  wrongKeysPerMinute: 60,
  publicUrl: undefined,
  sessionIdleMs: 1_000,
  sessionLifetimeMs: 1_000,
};

function identity(config: Partial<IdentityConfig> = {}, clock: Clock = systemClock) {
  return createIdentity({
    config: { ...CONFIG, ...config },
    metadata,
    logger: silentLogger,
    clock,
  });
}

function input(headers: Record<string, string>, more: Partial<AuthenticateInput> = {}): AuthenticateInput {
  return {
    headers: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
    remoteAddress: '192.0.2.7',
    endpoint: 'otlp',
    ...more,
  };
}

async function codeOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof CandelaError) return error.code;
    throw error;
  }
  return 'ok';
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('credentials', () => {
  it.each([
    `Bearer ${KEY}`,
    `bearer ${KEY}`,
    `BEARER   ${KEY}  `,
    `Bearer%20${KEY}`,
    `Bearer ${encodeURIComponent(KEY)}`,
    basic(`anything:${KEY}`),
    basic(`:${KEY}`),
  ])('accepts %s on the OTLP endpoint', async (authorization) => {
    const ctx = await identity().authenticate(input({ authorization }));
    expect(ctx.principal).toEqual({ kind: 'key', id: 'bootstrap' });
    expect(ctx.scopes.size).toBe(10);
    expect(ctx.environment).toBeUndefined();
  });

  it('takes Basic on the OTLP endpoint only', async () => {
    const authorization = basic(`x:${KEY}`);
    expect(await codeOf(() => identity().authenticate(input({ authorization }, { endpoint: 'api' })))).toBe(
      'unknown_credential',
    );
  });

  it.each([
    ['Bearer wrong', 'unknown_credential'],
    ['Bearer %E0%A4%A', 'unknown_credential'],
    [`Digest ${KEY}`, 'unknown_credential'],
    [KEY, 'unknown_credential'],
    [basic('no colon'), 'unknown_credential'],
    [`Bearer ${'x'.repeat(5_000)}`, 'unknown_credential'],
    ['Bearer ', 'no_credential'],
    ['', 'no_credential'],
  ])('refuses %j', async (authorization, code) => {
    expect(await codeOf(() => identity().authenticate(input({ authorization })))).toBe(code);
  });

  it('never falls back to anonymous when a wrong key was sent', async () => {
    const run = () =>
      identity().authenticate(input({ authorization: 'Bearer nope' }, { remoteAddress: '127.0.0.1' }));
    expect(await codeOf(run)).toBe('unknown_credential');
  });

  it('knows no key when none is configured', async () => {
    for (const authorization of [`Bearer ${KEY}`, `Bearer ${'\0'.repeat(32)}`]) {
      const run = () => identity({ bootstrapApiKey: undefined }).authenticate(input({ authorization }));
      expect(await codeOf(run)).toBe('unknown_credential');
    }
  });
});

describe('a session', () => {
  it('goes on by what its person does, not by what the platform asks by itself', async () => {
    const { id: userId } = await metadata.people.create({
      email: 'jo@example.com',
      name: 'Jo',
      passwordHash: null,
    });
    const clock = { shift: 0, now: () => Date.now() + clock.shift };
    const hour = 3_600_000;
    const { authenticate, sessions, settle } = identity(
      { sessionIdleMs: 3 * hour, sessionLifetimeMs: 100 * hour },
      clock,
    );
    const from = { userId, address: '', userAgent: '' };
    const { token } = await metadata.change(undefined, (repositories) => sessions.begin(repositories, from));
    const headers = { cookie: `candela_session=${token}` };
    const askAfter = async (hours: number, unattended: boolean) => {
      clock.shift += hours * hour;
      const asked = input(headers, { endpoint: 'api', on: 'account', unattended });
      return codeOf(() => authenticate(asked));
    };
    for (const unattended of [false, false, true]) expect(await askAfter(2, unattended)).toBe('ok');
    expect(await askAfter(2, true)).toBe('no_credential');
    await settle();
  });
});

describe('what no key is', () => {
  it('costs the same work whether it is unknown, revoked, expired or no key at all', async () => {
    const { projects, keys } = metadata;
    const project = await projects.create('default', 'Of keys');
    const make = (keyHash: string, expiresAt: number | null) =>
      keys.create(keyHash, {
        projectId: project.id,
        name: 'a key',
        prefix: 'pk_aaaaaaaa',
        scopes: ['vault'],
        environments: null,
        createdBy: null,
        expiresAt,
      });
    const texts = {
      unknown: newApiKey().apiKey,
      revoked: newApiKey().apiKey,
      expired: newApiKey().apiKey,
      malformed: 'pk_nope',
      foreign: 'sk-0123456789abcdef',
      long: 'x'.repeat(3_000),
    };
    await make(sha256(texts.expired), 1);
    const { id } = await make(sha256(texts.revoked), null);
    await keys.remove(project.id, id);
    const work: string[] = [];
    const counting = {
      ...metadata,
      keys: {
        ...keys,
        byHash: (hash: string) => {
          work.push('key');
          return keys.byHash(hash);
        },
      },
    };
    const service = createIdentity({
      config: { ...CONFIG, wrongKeysPerMinute: 1_000 },
      metadata: counting,
      logger: silentLogger,
      tokens: async () => {
        work.push('token');
        return undefined;
      },
    });
    for (const [kind, text] of Object.entries(texts)) {
      work.length = 0;
      const asked = input({ authorization: `Bearer ${text}` }, { endpoint: 'api' });
      expect([kind, await codeOf(() => service.authenticate(asked))]).toEqual([kind, 'unknown_credential']);
      expect([kind, work]).toEqual([kind, ['key', 'token']]);
      await codeOf(() => service.authenticate(asked));
      expect([kind, work]).toEqual([kind, ['key', 'token', 'token']]);
    }
  });
});

describe('wrong keys', () => {
  const from = (remoteAddress: string, key = 'wrong', endpoint: 'otlp' | 'api' = 'otlp') =>
    input({ authorization: `Bearer ${key}` }, { remoteAddress, endpoint });

  it('from one address are told to wait, on both endpoints together; a right key and other addresses are not', async () => {
    let now = 1_000_000;
    const service = identity({ host: '0.0.0.0', wrongKeysPerMinute: 4 }, { now: () => now });
    const code = (asked: AuthenticateInput) => codeOf(() => service.authenticate(asked));
    for (let n = 0; n < 4; n += 1) {
      expect(await code(from('192.0.2.7', `k${n}`, n % 2 === 0 ? 'otlp' : 'api'))).toBe('unknown_credential');
    }
    expect(await code(from('192.0.2.7', 'wrong', 'otlp'))).toBe('rate_limited');
    expect(await code(from('::ffff:192.0.2.7', 'wrong', 'api'))).toBe('rate_limited');
    expect(await code(from('192.0.2.8'))).toBe('unknown_credential');
    expect(await code(from('192.0.2.7', KEY))).toBe('ok');
    now += 15_000;
    expect(await code(from('192.0.2.7'))).toBe('unknown_credential');
    expect(await code(from('192.0.2.7'))).toBe('rate_limited');
  });

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['64:ff9b::c000:207', '192.0.2.7'],
    ['', ''],
  ])('%j counts as %j', async (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('anonymous loopback', () => {
  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])(
    'may ingest and read from %s',
    async (address) => {
      for (const endpoint of ['otlp', 'api'] as const) {
        const ctx = await identity().authenticate(
          input({ host: 'localhost:4318' }, { remoteAddress: address, endpoint }),
        );
        expect(ctx.principal.kind).toBe('anonymous');
        expect([...ctx.scopes].sort()).toEqual(['ingest', 'telemetry']);
      }
    },
  );

  it.each(['192.0.2.7', '::ffff:10.0.0.1', 'fe80::1', '127.evil', '', '1127.0.0.1'])(
    'is refused from %j',
    async (address) => {
      expect(await codeOf(() => identity().authenticate(input({}, { remoteAddress: address })))).toBe(
        'no_credential',
      );
    },
  );

  it('is refused when switched off, but only for ingest', async () => {
    const closed = identity({ ingestAnonymous: false });
    expect(await codeOf(() => closed.authenticate(input({}, { remoteAddress: '::1' })))).toBe(
      'no_credential',
    );
    expect(
      await codeOf(() => closed.authenticate(input({}, { remoteAddress: '::1', endpoint: 'api' }))),
    ).toBe('ok');
  });

  it.each(['x-forwarded-for', 'forwarded', 'x-forwarded-host', 'x-real-ip', 'via'])(
    'is refused behind a proxy (%s)',
    async (header) => {
      const run = () =>
        identity().authenticate(input({ [header]: '127.0.0.1' }, { remoteAddress: '127.0.0.1' }));
      expect(await codeOf(run)).toBe('no_credential');
    },
  );

  it.each([
    ['localhost', 'ok'],
    ['LOCALHOST:3000', 'ok'],
    ['127.0.0.1:3000', 'ok'],
    ['[::1]:3000', 'ok'],
    ['candela.test', 'forbidden'],
    ['evil.test:3000', 'forbidden'],
    ['127.0.0.1.evil.test', 'forbidden'],
    ['localhost@evil.test', 'forbidden'],
    ['', 'forbidden'],
  ])('checks the Host header: %j gives %s', async (host, code) => {
    const run = () =>
      identity().authenticate(input({ host }, { remoteAddress: '127.0.0.1', endpoint: 'api' }));
    expect(await codeOf(run)).toBe(code);
  });

  it.each([
    [{ host: '127.0.0.1', publicUrl: 'http://localhost:8080' }, 'ok'],
    [{ host: '::1' }, 'ok'],
    [{ host: '127.0.0.1', publicUrl: 'https://candela.test' }, 'no_credential'],
    [{ host: '0.0.0.0' }, 'no_credential'],
    [{ host: '::' }, 'no_credential'],
    [{ host: '10.0.0.5', publicUrl: 'http://localhost:3000' }, 'no_credential'],
  ])('needs a key once the platform is open to others: %j gives %s', async (config, code) => {
    for (const endpoint of ['otlp', 'api'] as const) {
      const from = (headers: Record<string, string>) =>
        codeOf(() =>
          identity(config).authenticate(
            input({ host: 'localhost:3000', ...headers }, { remoteAddress: '127.0.0.1', endpoint }),
          ),
        );
      expect(await from({})).toBe(code);
      expect(await from({ authorization: `Bearer ${KEY}` })).toBe('ok');
    }
  });

  it('answers only to its own page', async () => {
    const from = (origin: string) =>
      codeOf(() =>
        identity().authenticate(
          input({ host: 'localhost:3000', origin }, { remoteAddress: '127.0.0.1', endpoint: 'api' }),
        ),
      );
    expect(await from('http://localhost:3000')).toBe('ok');
    expect(await from('http://localhost:9999')).toBe('forbidden');
    expect(await from('https://evil.test')).toBe('forbidden');
    expect(await from('null')).toBe('forbidden');
  });

  it('answers nothing that a page of another site asks for, whatever that page says', async () => {
    const from = (headers: Record<string, string>, endpoint: 'otlp' | 'api' = 'api') =>
      codeOf(() =>
        identity().authenticate(
          input({ host: 'localhost:3000', ...headers }, { remoteAddress: '127.0.0.1', endpoint }),
        ),
      );
    expect(await from({ 'sec-fetch-site': 'same-origin' })).toBe('ok');
    expect(await from({ 'sec-fetch-site': 'none' })).toBe('ok');
    expect(await from({ 'sec-fetch-site': 'cross-site' })).toBe('forbidden');
    // Another port of this machine is the same site and another page.
    expect(await from({ 'sec-fetch-site': 'same-site' })).toBe('forbidden');
    expect(await from({ 'sec-fetch-site': 'cross-site', authorization: `Bearer ${KEY}` })).toBe('ok');
    expect(await from({ 'sec-fetch-site': 'same-site', origin: 'http://localhost:5173' }, 'otlp')).toBe('ok');
  });

  it('takes browser telemetry from local pages, not from the web', async () => {
    const from = (origin: string) =>
      codeOf(() =>
        identity().authenticate(input({ host: 'localhost:4318', origin }, { remoteAddress: '127.0.0.1' })),
      );
    expect(await from('http://localhost:5173')).toBe('ok');
    expect(await from('https://evil.test')).toBe('forbidden');
  });
});

describe('context headers', () => {
  const withKey = (headers: Record<string, string>, endpoint: 'otlp' | 'api' = 'otlp') =>
    input({ authorization: `Bearer ${KEY}`, ...headers }, { endpoint });

  it.each([
    [{ 'x-platform-project-id': 'default' }, 'ok'],
    [{ 'x-platform-project-id': 'other' }, 'forbidden'],
    [{ 'x-platform-project-id': 'DEFAULT' }, 'forbidden'],
    [{ 'x-platform-project-id': '' }, 'bad_request'],
    [{ 'x-platform-project-id': 'default, default' }, 'bad_request'],
    [{ 'x-platform-organisation-id': 'default' }, 'ok'],
    [{ 'x-platform-organisation-id': 'other' }, 'forbidden'],
    [{ 'x-platform-organisation-id': 'default,other' }, 'bad_request'],
    [{ 'x-platform-environment': 'staging' }, 'ok'],
    [{ 'x-platform-environment': 'Staging' }, 'bad_environment_name'],
    [{ 'x-platform-environment': '../etc' }, 'bad_environment_name'],
    [{ 'x-platform-environment': ' ' }, 'bad_request'],
    [{ 'x-platform-environment': 'a,b' }, 'bad_request'],
    [{ 'x-database-config-id': 'other' }, 'ok'],
    [{ 'x-platform-database-config-id': 'other' }, 'ok'],
  ])('%j gives %s', async (headers, code) => {
    expect(await codeOf(() => identity().authenticate(withKey(headers as Record<string, string>)))).toBe(
      code,
    );
  });

  it('takes the database configuration from nowhere but the key', async () => {
    const ctx = await identity().authenticate(
      withKey({ 'x-database-config-id': 'b', 'x-platform-database-config-id': 'b' }),
    );
    expect(ctx.databaseConfigId).toBe('embedded');
  });

  it('answers 404 for an environment nobody has sent', async () => {
    const service = identity();
    const asked = withKey({ 'x-platform-environment': 'staging' }, 'api');
    expect(await codeOf(() => service.authenticate(asked))).toBe('not_found');
    expect(await codeOf(() => service.authenticate({ ...asked, endpoint: 'otlp' }))).toBe('ok');
    service.learnEnvironments('default', ['staging']);
    expect((await service.authenticate(asked)).environment).toBe('staging');
    await service.directory.settle();
    expect(await service.directory.environments('default')).toEqual(['production', 'staging']);
    // Kept: another process knows it too.
    expect((await identity().authenticate(asked)).environment).toBe('staging');
  });

  it('says nothing of the key in an error', async () => {
    try {
      await identity().authenticate(input({ authorization: 'Bearer secret-value-1' }));
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toContain('secret-value-1');
    }
  });
});
