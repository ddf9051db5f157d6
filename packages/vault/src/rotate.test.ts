import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore, SEALED_COLUMNS, versionId } from '@candela/metadata-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Envelope, type MasterKeys, newMasterKey, parseMasterKeys } from './envelope.ts';
import { VAULT_KEY_FILE } from './key-file.ts';
import { openEnvelope } from './keyring.ts';
import { rotateMasterKey } from './rotate.ts';

const HERE = { projectId: 'p', databaseConfigId: 'embedded' };
const SECRETS = 45;
let dataDir: string;
let metadata: MetadataStore;
let said: string[];
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'candela-rotate-'));
  metadata = await openMetadataStore({ dataDir, logger: silentLogger });
  said = [];
});
afterEach(async () => {
  await metadata.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const open = (keys?: MasterKeys) => openEnvelope({ keys, dataDir, metadata, logger: silentLogger });
const rotate = (keys?: MasterKeys) =>
  rotateMasterKey({ keys, dataDir, metadata, logger: silentLogger, say: (line) => void said.push(line) });
const keysInFile = (): MasterKeys => {
  const keys = parseMasterKeys(readFileSync(join(dataDir, VAULT_KEY_FILE), 'utf8'));
  if (keys === undefined) throw new Error('The file holds no keys');
  return keys;
};
const versionPlace = (id: string) => ({ table: 'vault_versions', column: 'value', id });

/** Something in every sealed column; returns what opens all of it. */
async function fill(envelope: Envelope): Promise<(with_: Envelope) => Promise<string[]>> {
  const user = await metadata.people.create({ email: 'a@example.com', name: 'A', passwordHash: null });
  const totp = (column: string) => ({ table: 'users', column, id: user.id });
  await metadata.people.update(user.id, {
    totpSecret: envelope.seal('totp', totp('totp_secret')),
    totpPending: envelope.seal('pending', totp('totp_pending')),
  });
  const server = { table: 'server_keys', column: 'value', id: 'cookies' };
  await metadata.serverKeys.keepFirst('cookies', envelope.seal('cookies', server));
  const connector = { table: 'connectors', column: 'secrets', id: 'c' };
  await metadata.connectors.create('o', {
    id: 'c',
    projectId: null,
    name: 'c',
    kind: 'clickhouse',
    url: 'https://c',
    username: 'u',
    database: 'd',
    allowInsecure: false,
    secrets: envelope.seal('password', connector),
    hasPassword: true,
    hasCa: false,
    hasClientCertificate: false,
  });
  await metadata.change(undefined, async ({ vaultSecrets }) => {
    for (let n = 0; n < SECRETS; n += 1) {
      const id = `secret${n}`;
      const sealed = envelope.seal(`value ${n}`, versionPlace(versionId(id, 1)));
      const secret = { id, key: `S${n}`, tags: [], grants: null, bytes: 7, sealed };
      await vaultSecrets.create(HERE, secret, null);
    }
  });
  return async (other) => {
    const person = await metadata.people.byId(user.id);
    const opened = [
      other.open(person?.totpSecret ?? '', totp('totp_secret')),
      other.open(person?.totpPending ?? '', totp('totp_pending')),
      other.open((await metadata.serverKeys.get('cookies')) ?? '', server),
      other.open((await metadata.connectors.find('c'))?.secrets ?? '', connector),
    ];
    for (let n = 0; n < SECRETS; n += 1) {
      const { sealed } = await metadata.vaultSecrets.version(HERE, `secret${n}`, 1);
      opened.push(other.open(sealed, versionPlace(versionId(`secret${n}`, 1))));
    }
    return opened;
  };
}
const ALL = ['totp', 'pending', 'cookies', 'password'];
const WHOLE = [...ALL, ...Array.from({ length: SECRETS }, (_, n) => `value ${n}`)];

describe('changing the master key of the file', () => {
  it('seals every column anew, and gives the former key up', { timeout: 60_000 }, async () => {
    const running = await open();
    const former = running.keyId;
    const readAll = await fill(running);
    const done = await rotate();
    expect(done).toEqual({ keyId: done.keyId, changed: WHOLE.length, retired: [former], unreadable: [] });
    expect(done.keyId).not.toBe(former);
    expect(keysInFile().map(({ id }) => id)).toEqual([done.keyId]);
    expect(statSync(join(dataDir, VAULT_KEY_FILE)).mode & 0o777).toBe(0o600);
    expect(await metadata.vaultKeys.list()).toEqual([done.keyId]);
    expect(await metadata.sealed.count(former)).toBe(0);
    expect(await metadata.sealed.count(done.keyId)).toBe(WHOLE.length);
    for (const column of SEALED_COLUMNS) {
      const rest = await metadata.sealed.others(column, done.keyId, { limit: 1, after: undefined });
      expect([column, rest]).toEqual([column, []]);
    }
    // A platform that was running reads and seals on without a restart; so does one that starts.
    expect(await readAll(running)).toEqual(WHOLE);
    expect(running.keyId).toBe(done.keyId);
    expect(await readAll(await open())).toEqual(WHOLE);
    const { events } = await metadata.audit.list('default', { limit: 9, after: undefined });
    expect(events.map(({ action }) => action)).toEqual(['vault.rotate', 'vault.rotate']);
  });

  it('is finished where it was left', { timeout: 60_000 }, async () => {
    const running = await open();
    const former = running.keyId;
    const readAll = await fill(running);
    const { key, text } = newMasterKey();
    const file = join(dataDir, VAULT_KEY_FILE);
    // As a kill leaves it between the file and the store.
    writeFileSync(file, `${text}\n${readFileSync(file, 'utf8')}`);
    expect(await readAll(await open())).toEqual(WHOLE);
    expect(await rotate()).toMatchObject({ keyId: key.id, changed: WHOLE.length, retired: [former] });
    expect(said.join()).toMatch(/begun before/);
    // As a kill leaves it between the store and the file.
    writeFileSync(file, `${text}\n${newMasterKey().text}\n`);
    expect(await rotate()).toMatchObject({ keyId: key.id, changed: 0, retired: [] });
    expect(keysInFile().map(({ id }) => id)).toEqual([key.id]);
    expect(await readAll(await open())).toEqual(WHOLE);
  });

  it('keeps the former key while something cannot be opened, and names it', { timeout: 60_000 }, async () => {
    const running = await open();
    const former = running.keyId;
    await fill(running);
    const column = SEALED_COLUMNS.find(({ table }) => table === 'vault_versions') ?? SEALED_COLUMNS[0];
    const [one] = await metadata.sealed.others(column, 'none', { limit: 1, after: undefined });
    if (one === undefined) throw new Error('Nothing is sealed');
    await metadata.sealed.swap(column, one, `${one.text.slice(0, -4)}AAAA`);
    const done = await rotate();
    expect(done).toMatchObject({ changed: WHOLE.length - 1, retired: [] });
    expect(done.unreadable).toEqual([{ table: 'vault_versions', column: 'value', id: one.id }]);
    expect(keysInFile().map(({ id }) => id)).toEqual([done.keyId, former]);
    await metadata.vaultSecrets.delete(HERE, one.id.split('.')[0] ?? '');
    expect(await rotate()).toMatchObject({
      keyId: done.keyId,
      changed: 0,
      retired: [former],
      unreadable: [],
    });
    expect(keysInFile().map(({ id }) => id)).toEqual([done.keyId]);
  });

  it('lets nobody seal with a key that was given up', { timeout: 60_000 }, async () => {
    const running = await open();
    const late = running.seal('late', { table: 'server_keys', column: 'value', id: 'late' });
    await rotate();
    const keep = metadata.change(undefined, ({ serverKeys }) => serverKeys.keepFirst('late', late));
    await expect(keep).rejects.toMatchObject({ code: 'overloaded' });
    expect(await metadata.serverKeys.get('late')).toBeUndefined();
  });

  it('needs the file, and the right one', async () => {
    await expect(rotate()).rejects.toThrow(/There is no .*vault\.key/);
    await open();
    writeFileSync(join(dataDir, VAULT_KEY_FILE), newMasterKey().text);
    await expect(rotate()).rejects.toThrow(/but secrets are sealed with/);
  });
});

describe('changing the master key of the configuration', () => {
  it('goes over to the first one that every platform has', { timeout: 60_000 }, async () => {
    const [former, next] = [newMasterKey().key, newMasterKey().key];
    const running = await open([former]);
    const readAll = await fill(running);
    await expect(rotate([former])).rejects.toThrow(/openssl rand -base64 32/);
    await expect(rotate([next, former])).rejects.toThrow(
      `No platform was started with the master key ${next.id}`,
    );
    const both = await open([next, former]);
    expect(await rotate([next, former])).toMatchObject({ changed: WHOLE.length, retired: [former.id] });
    expect(await readAll(both)).toEqual(WHOLE);
    expect(await readAll(await open([next]))).toEqual(WHOLE);
    expect(existsSync(join(dataDir, VAULT_KEY_FILE))).toBe(false);
    await expect(open([former])).rejects.toThrow(/^PLATFORM_VAULT_KEY holds/);
  });
});
