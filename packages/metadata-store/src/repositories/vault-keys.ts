import type { Access } from './access.ts';

/** Ids of the master keys that secrets were sealed with. */
export interface VaultKeys {
  list(): Promise<string[]>;
  add(keyId: string): Promise<void>;
  remove(keyId: string): Promise<void>;
}

export function vaultKeys({ database, clock }: Access): VaultKeys {
  return {
    list: async () =>
      (await database.selectFrom('vault_keys').select('key_id').orderBy('created_at').execute()).map(
        (row) => row.key_id,
      ),
    async add(keyId) {
      await database
        .insertInto('vault_keys')
        .values({ key_id: keyId, created_at: clock.now() })
        .onConflict((conflict) => conflict.column('key_id').doNothing())
        .execute();
    },
    async remove(keyId) {
      await database.deleteFrom('vault_keys').where('key_id', '=', keyId).execute();
    },
  };
}
