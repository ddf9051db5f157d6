import { type Clock, fail } from '@candela/kernel';
import type { MetadataStore, StoredUser } from '@candela/metadata-store';
import { hashRecoveryCode, totpStep } from './totp.ts';

/** Seals what must be read again; a sealed value opens only where it was sealed for. */
export interface Sealer {
  seal(
    plain: string,
    place: { readonly table: string; readonly column: string; readonly id: string },
  ): string;
  open(
    sealed: string,
    place: { readonly table: string; readonly column: string; readonly id: string },
  ): string;
}

export const secretPlace = (userId: string) => ({ table: 'users', column: 'totp_secret', id: userId });

/**
 * Takes a code of the authenticator or a recovery code, once: whoever comes second with the same one is refused, in
 * all replicas. @throws wrong_code
 */
export async function takeCode(
  parts: { readonly metadata: MetadataStore; readonly sealer: Sealer; readonly clock: Clock },
  user: StoredUser,
  code: string,
): Promise<'totp' | 'recovery'> {
  const { metadata, sealer, clock } = parts;
  if (user.totpSecret === null) throw fail('wrong_code');
  const step = await totpStep(sealer.open(user.totpSecret, secretPlace(user.id)), code, clock.now());
  if (step !== undefined) {
    if (!(await metadata.people.takeTotpStep(user.id, step))) throw fail('wrong_code');
    return 'totp';
  }
  const hash = hashRecoveryCode(code);
  if (!user.recoveryCodes.includes(hash)) throw fail('wrong_code');
  await metadata.change(undefined, async ({ people }) => {
    const now = await people.byId(user.id);
    if (now?.recoveryCodes.includes(hash) !== true) throw fail('wrong_code');
    await people.update(user.id, { recoveryCodes: now.recoveryCodes.filter((kept) => kept !== hash) });
  });
  return 'recovery';
}
