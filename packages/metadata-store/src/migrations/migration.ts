import type { CompiledQuery, Kysely } from 'kysely';

/** One step of the schema. Never changed once released: its statements are what its checksum is taken of. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** Built with the schema builder, so that every dialect gets its own spelling. */
  statements(database: Pick<Kysely<never>, 'schema'>): readonly { compile(): CompiledQuery }[];
}
