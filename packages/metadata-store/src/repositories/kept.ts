import { type Kysely, sql } from 'kysely';
import type { Access } from './access.ts';

/** What is kept by project and database configuration: its table, and what one and several are called; the registry. */
export const KEPT = [
  { table: 'vault_secrets', one: 'secret', several: 'secrets' },
  { table: 'prompts', one: 'prompt', several: 'prompts' },
  { table: 'prompt_protected_labels', one: 'protected label', several: 'protected labels' },
  { table: 'rules', one: 'rule', several: 'rules' },
  { table: 'contexts', one: 'context', several: 'contexts' },
  { table: 'model_configs', one: 'model', several: 'models' },
  { table: 'chat_settings', one: 'assistant setting', several: 'assistant settings' },
  // The rule that a budget switches lies there.
  { table: 'alerts', one: 'alert', several: 'alerts' },
] as const;

/** Things that belong to a database configuration: without it nobody would find them again. */
export interface Kept {
  /** How many of what, as words: `2 secrets`. */
  in(databaseConfigId: string): Promise<string[]>;
}

type AnyTables = Record<string, Record<string, string>>;

export function kept({ database }: Access): Kept {
  const tables = database as unknown as Kysely<AnyTables>;
  return {
    async in(databaseConfigId) {
      const words: string[] = [];
      for (const { table, one, several } of KEPT) {
        const row = await tables
          .selectFrom(table)
          .select(sql<number>`count(*)`.as('count'))
          .where('database_config_id', '=', databaseConfigId)
          .executeTakeFirst();
        const count = Number(row?.count ?? 0);
        if (count > 0) words.push(`${count} ${count === 1 ? one : several}`);
      }
      return words;
    },
  };
}
