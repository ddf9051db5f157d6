import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Envelope,
  type MasterKey,
  type MasterKeys,
  newMasterKey,
  parseMasterKey,
  parseMasterKeys,
  type Place,
} from './envelope.ts';
import { VAULT_KEY_FILE } from './key-file.ts';
import { openEnvelope } from './keyring.ts';

const HERE: Place = { table: 'connectors', column: 'secrets', id: 'row 1' };
const unreadable = expect.objectContaining({ code: 'secret_unreadable' });
const keys = (count: number): MasterKey[] => Array.from({ length: count }, () => newMasterKey().key);

describe('the envelope', () => {
  const [key] = keys(1) as [MasterKey];
  const envelope = new Envelope([key]);

  it('gives back what was sealed, and never seals alike twice', () => {
    for (const secret of ['', 'p', 'über 😀 \u0000', 'x'.repeat(100_000)]) {
      const sealed = envelope.seal(secret, HERE);
      expect(envelope.open(sealed, HERE)).toBe(secret);
      expect(envelope.seal(secret, HERE)).not.toBe(sealed);
      if (secret.length > 3) expect(sealed).not.toContain(secret.slice(0, 12));
    }
  });

  it('a value in another row, column or table is an error', () => {
    const sealed = envelope.seal('secret', HERE);
    for (const elsewhere of [{ id: 'row 2' }, { column: 'totp' }, { table: 'vault' }]) {
      expect(() => envelope.open(sealed, { ...HERE, ...elsewhere })).toThrow(unreadable);
    }
  });

  it('one changed bit, anywhere, is an error', () => {
    const sealed = envelope.seal('a secret of some length', HERE);
    for (const [part, text] of sealed.split('.').entries()) {
      if (part < 2) continue;
      const bytes = Buffer.from(text, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 7) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const parts = sealed.split('.');
        parts[part] = flipped.toString('base64url');
        expect(() => envelope.open(parts.join('.'), HERE)).toThrow(unreadable);
      }
    }
    for (const text of ['', 'secret', 'v1..', 'v1.a.b.c', `${sealed}.x`, sealed.replace('v1', 'v2')]) {
      expect(() => envelope.open(text, HERE)).toThrow(unreadable);
    }
  });

  it('the data key of one row does not open the value of another', () => {
    const one = envelope.seal('one', HERE).split('.');
    const two = envelope.seal('two', HERE).split('.');
    expect(() => envelope.open([one[0], one[1], one[2], two[3]].join('.'), HERE)).toThrow(unreadable);
  });

  it('goes over to a new master key while both are given, and then needs the old one no more', () => {
    const [next] = keys(1) as [MasterKey];
    const sealed = envelope.seal('kept', HERE);
    const both = new Envelope([next, key]);
    expect(both.open(sealed, HERE)).toBe('kept');
    expect(both.isOld(sealed)).toBe(true);
    const anew = both.rewrap(sealed, HERE);
    expect(both.isOld(anew)).toBe(false);
    expect(new Envelope([next]).open(anew, HERE)).toBe('kept');
    expect(() => new Envelope([next]).open(sealed, HERE)).toThrow(unreadable);
    expect(() => both.rewrap(sealed, { ...HERE, id: 'row 2' })).toThrow(unreadable);
  });

  it('reads keys in base64 and hexadecimal, and nothing shorter', () => {
    const text = Buffer.alloc(32, 7);
    const ids = ['base64', 'base64url', 'hex'].map(
      (form) => parseMasterKey(text.toString(form as 'hex'))?.id,
    );
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
    const both = [newMasterKey(), newMasterKey()];
    const list = both.map((made) => made.text).join(' ,\n');
    expect(parseMasterKeys(list)?.map(({ id }) => id)).toEqual(both.map(({ key }) => key.id));
    for (const none of ['', ' , ', `${list},password`]) expect(parseMasterKeys(none)).toBeUndefined();
    for (const wrong of ['', 'password', 'a'.repeat(42), 'a'.repeat(63), `${'a'.repeat(43)}==`]) {
      expect(parseMasterKey(wrong)).toBeUndefined();
    }
  });
});

describe('the master key of an installation', () => {
  let dataDir: string;
  let metadata: MetadataStore;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'candela-vault-'));
    metadata = await openMetadataStore({ dataDir, logger: silentLogger });
  });
  afterEach(async () => {
    await metadata.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const open = (given?: MasterKeys) => openEnvelope({ keys: given, dataDir, metadata, logger: silentLogger });
  const file = () => join(dataDir, VAULT_KEY_FILE);

  it('is made once, for its owner alone, and is the same after a restart', async () => {
    const sealed = (await open()).seal('secret', HERE);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    chmodSync(file(), 0o644);
    expect((await open()).open(sealed, HERE)).toBe('secret');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('another one, or none, stops the start with a sentence; the former one heals it', async () => {
    await open();
    const text = readFileSync(file(), 'utf8');
    writeFileSync(file(), newMasterKey().text);
    await expect(open()).rejects.toThrow(/secrets are sealed with [0-9a-f]{16}\. Give the former key/);
    await expect(open(keys(1) as [MasterKey])).rejects.toThrow(/^PLATFORM_VAULT_KEY holds the master key/);
    rmSync(file());
    await expect(open()).rejects.toThrow(/restore the file from a backup/);
    writeFileSync(file(), 'rubbish');
    await expect(open()).rejects.toThrow(/holds no master key/);
    writeFileSync(file(), text);
    expect((await open()).keyId).toMatch(/^[0-9a-f]{16}$/);
  });

  it('that still seals something may not be left out', async () => {
    const [former, next, other] = keys(3) as [MasterKey, MasterKey, MasterKey];
    const sealed = (await open([former])).seal('secret', HERE);
    await open([next, former]);
    await open([next]);
    await metadata.change(undefined, ({ serverKeys }) => serverKeys.keepFirst('cookies', sealed));
    await expect(open([next])).rejects.toThrow(`secrets are sealed with ${former.id}`);
    await expect(open([next, other])).rejects.toThrow(`secrets are sealed with ${former.id}`);
    expect((await open([next, former])).keyId).toBe(next.id);
  });

  it('is changed by giving both, the new one first', async () => {
    const [former, next] = keys(2) as [MasterKey, MasterKey];
    const sealed = (await open([former])).seal('secret', HERE);
    const both = await open([next, former]);
    const anew = both.rewrap(both.isOld(sealed) ? sealed : '', HERE);
    expect((await open([next])).open(anew, HERE)).toBe('secret');
  });
});
