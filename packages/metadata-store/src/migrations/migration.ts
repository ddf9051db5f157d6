import { CompiledQuery, type Kysely } from 'kysely';
import type { DialectName } from '../dialects/dialect.ts';

interface Statement {
  compile(): CompiledQuery;
}

/** One step of the schema. Never changed once released: its statements are what its checksum is taken of. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /**
   * Built with the schema builder, so that every dialect gets its own spelling. What the builder has no word for
   * (triggers) is written for each dialect with {@link statement}.
   */
  statements(database: Pick<Kysely<never>, 'schema'>, dialect: DialectName): readonly Statement[];
}

/** One statement as text. */
export const statement = (text: string): Statement => ({ compile: () => CompiledQuery.raw(text) });
