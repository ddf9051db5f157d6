import { fail } from '@candela/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/index.ts';
import type { Access } from './access.ts';

/** A column whose texts are sealed: each opens only as what is in this table, this column and the row of this id. */
export interface SealedColumn {
  readonly table: keyof Tables;
  readonly column: string;
  /** Column with the id of a row. */
  readonly id: string;
}

/** Every sealed column; the registry. Whoever seals anew finds here what there is. */
export const SEALED_COLUMNS = [
  { table: 'connectors', column: 'secrets', id: 'id' },
  { table: 'users', column: 'totp_secret', id: 'id' },
  { table: 'users', column: 'totp_pending', id: 'id' },
  { table: 'server_keys', column: 'value', id: 'name' },
  { table: 'scanners', column: 'token', id: 'id' },
  { table: 'alert_destinations', column: 'secret', id: 'id' },
  { table: 'alert_destinations', column: 'secret_before', id: 'id' },
  { table: 'vault_versions', column: 'value', id: 'id' },
  { table: 'fleet_configs', column: 'body', id: 'id' },
] as const satisfies readonly SealedColumn[];

export interface SealedText {
  readonly id: string;
  readonly text: string;
}

/** Sealed texts as such, whatever is in them: `v1.<id of the master key>.…` */
export interface Sealed {
  /** Texts that another master key than this one sealed, by id, at most `limit`, after an id. */
  others(
    column: SealedColumn,
    keyId: string,
    input: { readonly limit: number; readonly after: string | undefined },
  ): Promise<SealedText[]>;
  /** Replaces a text that is still the one that was read; false: it is another one by now. */
  swap(column: SealedColumn, from: SealedText, to: string): Promise<boolean>;
  /** How many texts a master key sealed, in all columns. */
  count(keyId: string): Promise<number>;
}

type AnyTables = Record<string, Record<string, string>>;
/** A pattern of LIKE; ids of keys are hexadecimal digits. */
const sealedBy = (keyId: string): string => `v1.${keyId}.%`;

export function sealed({ database }: Access): Sealed {
  // The columns are texts of the registry above, whose types do not meet in one query.
  const tables = database as unknown as Kysely<AnyTables>;
  return {
    async others({ table, column, id }, keyId, { limit, after }) {
      let query = tables
        .selectFrom(table)
        .select([`${id} as id`, `${column} as text`])
        .where(column, 'is not', null)
        .where(column, 'not like', sealedBy(keyId))
        .orderBy(id)
        .limit(limit);
      if (after !== undefined) query = query.where(id, '>', after);
      return (await query.execute()).map((row) => ({ id: String(row['id']), text: String(row['text']) }));
    },
    async swap({ table, column, id }, from, to) {
      const result = await tables
        .updateTable(table)
        .set({ [column]: to })
        .where(id, '=', from.id)
        .where(column, '=', from.text)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    async count(keyId) {
      let sum = 0;
      for (const { table, column } of SEALED_COLUMNS) {
        const row = await tables
          .selectFrom(table)
          .select(sql<number>`count(*)`.as('count'))
          .where(column, 'like', sealedBy(keyId))
          .executeTakeFirst();
        sum += Number(row?.count ?? 0);
      }
      return sum;
    },
  };
}

/**
 * Refuses a text that was sealed with a master key which has been given up meanwhile: once it is dropped nobody could
 * open the text again. Asked for in the change that writes the text: giving a key up is a change too, so that one of
 * the two sees the other.
 * @throws overloaded
 */
export async function requireLiveKey(
  database: Kysely<Tables>,
  text: string | null | undefined,
): Promise<void> {
  const keyId = /^v1\.([0-9a-f]{16})\./.exec(text ?? '')?.[1];
  if (keyId === undefined) return;
  const found = await database
    .selectFrom('vault_keys')
    .select('key_id')
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  if (found === undefined) {
    throw fail('overloaded', { detail: 'The master key of secrets is just being changed. Try again.' });
  }
}
