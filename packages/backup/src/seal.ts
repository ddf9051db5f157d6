import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, scrypt } from 'node:crypto';
import { BackupError } from './targets/target.ts';

/** What makes the bytes of a repository unreadable to others, and names its chunks. */
export interface Seal {
  /** Name of a chunk: 64 hex digits, the same for the same bytes. */
  nameOf(bytes: Buffer): string;
  /** @param path where it will lie; a chunk that is moved elsewhere does not open */
  close(bytes: Buffer, path: string): Buffer;
  /** @throws BackupError where it was changed */
  open(sealed: Buffer, path: string): Buffer;
}

/** How a key is made of the passphrase: kept beside the data. */
export interface SealTerms {
  readonly kind: 'scrypt';
  /** Hex. */
  readonly salt: string;
  readonly cost: number;
  /** Sealed text that tells a wrong passphrase from a damaged file. Base64. */
  readonly check: string;
}

const COST = 2 ** 16;
const MOST_COST = 2 ** 20;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CHECK = 'candela-backup';
const CHECK_PATH = 'repository.json';

/** Of a repository without a passphrase: chunks lie open, and what was changed is known by its name. */
export const OPEN: Seal = {
  nameOf: (bytes) => createHash('sha256').update(bytes).digest('hex'),
  close: (bytes) => bytes,
  open: (bytes) => bytes,
};

export async function newSeal(passphrase: string): Promise<{ seal: Seal; terms: SealTerms }> {
  const salt = randomBytes(32);
  const seal = sealOf(await keysOf(passphrase, salt, COST));
  const check = seal.close(Buffer.from(CHECK), CHECK_PATH).toString('base64');
  return { seal, terms: { kind: 'scrypt', salt: salt.toString('hex'), cost: COST, check } };
}

/** @throws BackupError of a wrong passphrase */
export async function knownSeal(passphrase: string, terms: SealTerms): Promise<Seal> {
  const { salt, cost, check } = terms;
  if (!Number.isInteger(cost) || cost < 2 || cost > MOST_COST) {
    throw new BackupError('The repository asks for a key that this program would not make.');
  }
  const seal = sealOf(await keysOf(passphrase, Buffer.from(salt, 'hex'), cost));
  try {
    if (seal.open(Buffer.from(check, 'base64'), CHECK_PATH).toString() === CHECK) return seal;
  } catch {
    // Said below.
  }
  throw new BackupError(
    'The passphrase is not the one of this repository. Set PLATFORM_BACKUP_PASSPHRASE to the one that it was made with.',
  );
}

interface Keys {
  readonly seal: Buffer;
  readonly name: Buffer;
}

function keysOf(passphrase: string, salt: Buffer, cost: number): Promise<Keys> {
  return new Promise((resolve, reject) => {
    scrypt(
      passphrase.normalize('NFC'),
      salt,
      64,
      { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 },
      (error, key) => {
        if (error === null) resolve({ seal: key.subarray(0, 32), name: key.subarray(32) });
        else reject(error);
      },
    );
  });
}

function sealOf(keys: Keys): Seal {
  return {
    // Keyed: whoever sees the names must not learn whether a known file is among them.
    nameOf: (bytes) => createHmac('sha256', keys.name).update(bytes).digest('hex'),
    close(bytes, path) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keys.seal, iv).setAAD(Buffer.from(path));
      const body = cipher.update(bytes);
      return Buffer.concat([iv, body, cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, path) {
      try {
        if (sealed.length < IV_BYTES + TAG_BYTES) throw new RangeError('It is too short');
        const iv = sealed.subarray(0, IV_BYTES);
        const opener = createDecipheriv('aes-256-gcm', keys.seal, iv).setAAD(Buffer.from(path));
        opener.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
        const body = opener.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES));
        return Buffer.concat([body, opener.final()]);
      } catch (thrown) {
        throw new BackupError(`${path} was changed since it was stored, or is damaged.`, { cause: thrown });
      }
    },
  };
}
