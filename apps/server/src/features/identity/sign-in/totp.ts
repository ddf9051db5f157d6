import { createHash, randomBytes } from 'node:crypto';

const PERIOD_SECONDS = 30;
const SHAPE = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;
const ISSUER = 'Candela';
const SECRET_BYTES = 20;
/** Steps before and after the present one that are taken too: clocks differ. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** Without letters that look like digits or like each other. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Loaded at the first code: most sign-ins ask for none. */
const library = () => import('otpauth');

/** A new secret in base32 and its `otpauth://` address. */
export async function newTotp(label: string): Promise<{ readonly secret: string; readonly uri: string }> {
  const { Secret, TOTP } = await library();
  const secret = new Secret({ size: SECRET_BYTES });
  return { secret: secret.base32, uri: new TOTP({ ...SHAPE, issuer: ISSUER, label, secret }).toString() };
}

/** The time step that a code of six digits belongs to (RFC 6238); undefined: it is no code of now. */
export async function totpStep(secret: string, code: string, nowMs: number): Promise<number | undefined> {
  const token = code.replaceAll(/[ -]/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const { Secret, TOTP } = await library();
  const totp = new TOTP({ ...SHAPE, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / PERIOD_SECONDS) + delta;
}

function recoveryCode(): string {
  const letters: string[] = [];
  while (letters.length < 16) {
    for (const byte of randomBytes(24)) {
      // The largest multiple of the letters in a byte: all are equally likely.
      if (byte < 248 && letters.length < 16) letters.push(LETTERS[byte % LETTERS.length] ?? '');
    }
  }
  return [0, 4, 8, 12].map((at) => letters.slice(at, at + 4).join('')).join('-');
}

/** Ten codes of almost eighty bits; what is kept are their hashes. */
export function newRecoveryCodes(): { readonly codes: string[]; readonly hashes: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, recoveryCode);
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/** However it was typed: capitals, spaces and hyphens do not matter. */
export function hashRecoveryCode(code: string): string {
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[ -]/g, '')).digest('hex');
}
