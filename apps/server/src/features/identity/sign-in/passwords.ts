import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { fail } from '@candela/kernel';

/** OWASP's figures for scrypt with 32 MiB: cost 2^15, block size 8, three lanes one after another. */
const COST = { ln: 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** What a stored hash may ask for; a row that was tampered with cannot take the memory of the process. */
const BOUNDS = { ln: 17, r: 16, p: 8 } as const;
/** Each takes 32 MiB and a thread for a tenth of a second. */
const AT_ONCE = 2;
const WAITING = 50;

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

let running = 0;
const waiting: (() => void)[] = [];

/** Runs few at once and lets few wait: sign-in must not take the machine. @throws overloaded */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING) {
      throw fail('overloaded', { detail: 'Too many people sign in at once. Try again shortly.' });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The place goes to who waits longest, or is free again.
    if (next === undefined) running -= 1;
    else next();
  }
}

function derive(password: string, salt: Buffer, cost: { ln: number; r: number; p: number }): Promise<Buffer> {
  const options = { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 256 * 2 ** cost.ln * cost.r };
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        // The same word may be typed in two spellings that look alike.
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
          error === null ? resolve(hash) : reject(error),
        );
      }),
  );
}

/** `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, both base64url. @throws overloaded */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  const { ln, r, p } = COST;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

const NOBODY = `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Whether the password is the one of that hash. Without a hash (no such account, none set) as much is worked and the
 * answer is no, so that the time taken does not tell which accounts exist. @throws overloaded
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const match = STORED.exec(stored ?? NOBODY);
  if (match === null) return false;
  const [, ln, r, p, salt = '', hash = ''] = match;
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (cost.ln > BOUNDS.ln || cost.r > BOUNDS.r || cost.p > BOUNDS.p) return false;
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url')) && stored !== null;
}
