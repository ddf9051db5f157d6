import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@candela/kernel';
import { heldIn } from '../attribute-columns/statements.ts';
import type { TelemetryStore } from '../client/types.ts';
import { type MigrationTarget, renderMigration } from '../migrations/template.ts';
import { LOG_ITEMS, LOG_WORDS, SPAN_ITEMS, SPAN_WORDS } from '../schema/expressions.ts';

/**
 * Places of a word as differences in as few bits as they need: 53 bytes a span of the bench instead of 75, and read as fast.
 * The tokens are those of `hasToken`.
 */
const TYPES = {
  words: "text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking')",
  items: "text(tokenizer = 'array', posting_list_codec = 'bitpacking')",
} as const;

/** What is told: words of texts, or keys of attributes with their values. */
export type Indexed = keyof typeof TYPES;

const PREFIX = 'idx_text_';

interface IndexedTable {
  readonly table: string;
  readonly of: Indexed;
  /** What it is made of. */
  readonly made: string;
  /** Tells what the index is made of: one of another expression has another name, is not used, and is dropped. */
  readonly index: string;
}

const TABLES: readonly IndexedTable[] = (
  [
    ['otel_traces', 'words', SPAN_WORDS],
    ['otel_traces', 'items', SPAN_ITEMS],
    ['otel_logs', 'words', LOG_WORDS],
    ['otel_logs', 'items', LOG_ITEMS],
  ] as const
).map(([table, of, made]) => ({
  table,
  of,
  made,
  index: `${PREFIX}${createHash('sha256').update(`${made} ${TYPES[of]}`).digest('hex').slice(0, 8)}`,
}));
const isNamed = (index: string): boolean => TABLES.some((one) => one.index === index);

/** Names of the indexes: an insert leaves them to the first merge, as all indexes of words. */
export const TEXT_INDEXES: readonly string[] = TABLES.map(({ index }) => index);

/** Between two looks at whether it is built, milliseconds. */
const LOOK_MS = 2_000;
/** After a failure, doubled with each, milliseconds. */
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 600_000;

export interface TextIndexParts {
  readonly store: Pick<TelemetryStore, 'select' | 'command'>;
  readonly target: MigrationTarget;
  /** Whether there is to be one; one that is not wanted is dropped. */
  readonly wanted: boolean;
  readonly logger: Logger;
  /** So many rows without it are read in the time that a chart may take: those of the last inserts. */
  readonly fewRows?: number;
}

const FEW_ROWS = 300_000;

/**
 * The indexes that know of every word, and of every attribute with its value, in which rows it stands. Statements are written for it once the rows that were stored before have it
 * as well: until then texts are read, as without it.
 */
export class TextIndex {
  readonly #parts: TextIndexParts;
  readonly #end = new AbortController();
  readonly #ready = new Set<string>();
  #keeping: Promise<unknown> | undefined;

  constructor(parts: TextIndexParts) {
    this.#parts = parts;
  }

  /** Whether words of a table, or its items, are told by it. */
  tells(table: string, of: Indexed = 'words'): boolean {
    return this.#ready.has(`${table} ${of}`);
  }

  /** Begins to make it or to drop it, in the background. A store that cannot have one is read without. */
  keep(): void {
    const { target, logger, wanted } = this.#parts;
    if (wanted && target.cluster !== undefined) {
      logger.info(
        { cluster: target.cluster },
        'a text index on a cluster was not tried yet: words are looked for without it',
      );
      return;
    }
    this.#keeping = Promise.all(TABLES.map((of) => this.#keepOf(of)));
  }

  /** The engine goes on building by itself. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#keeping;
  }

  /** Until it is done: a store that is away for a moment, or a table without room, gets it later. */
  async #keepOf(of: IndexedTable): Promise<void> {
    const { logger, wanted } = this.#parts;
    const { table } = of;
    let said = '';
    for (let wait = RETRY_MS; !this.#end.signal.aborted; wait = Math.min(wait * 2, MOST_RETRY_MS)) {
      try {
        const present = await this.#present(table);
        await this.#drop(
          of,
          present.filter((name) => !wanted || !isNamed(name)),
        );
        if (wanted) await this.#make(of);
        return;
      } catch (thrown) {
        if (this.#end.signal.aborted) return;
        const failed = wanted
          ? 'the text index cannot be made: words are looked for without it'
          : 'the text index cannot be dropped: it takes room and is not used';
        const why = thrown instanceof Error ? thrown.message : '';
        if (why !== said) logger.warn({ table, err: thrown }, failed);
        said = why;
        await this.#pause(wait).catch(() => undefined);
      }
    }
  }

  async #drop({ table, of, index }: IndexedTable, names: readonly string[]): Promise<void> {
    const { logger } = this.#parts;
    if (names.includes(index)) this.#ready.delete(`${table} ${of}`);
    for (const name of names) {
      await this.#alter(table, `DROP INDEX IF EXISTS ${name} SETTINGS mutations_sync = 0`);
      logger.info({ table, index: name }, 'the text index was dropped');
    }
  }

  async #make(of: IndexedTable): Promise<void> {
    const { logger } = this.#parts;
    const { table, made, index } = of;
    const name = `${table} ${of.of}`;
    if (!(await this.#present(table)).includes(index)) {
      this.#ready.delete(name);
      await this.#alter(table, `ADD INDEX IF NOT EXISTS ${index} ${made} TYPE ${TYPES[of.of]}`);
      await this.#materialize(of);
    }
    if (this.#ready.has(name)) return;
    await this.#built(of);
    this.#ready.add(name);
    logger.debug({ table, of: of.of }, 'the text index tells');
  }

  async #materialize({ table, index }: IndexedTable): Promise<void> {
    this.#parts.logger.debug(
      { table },
      'the text index is built for what is stored: until then texts are read',
    );
    await this.#alter(table, `MATERIALIZE INDEX ${index} SETTINGS mutations_sync = 0`);
  }

  /** Waits until the engine has built it for rows that were stored before. */
  async #built(of: IndexedTable): Promise<void> {
    const { fewRows = FEW_ROWS } = this.#parts;
    let asked = false;
    for (;;) {
      const work = await this.#work(of);
      if (work === undefined) {
        if ((await this.#rowsWithout(of)) <= fewRows) return;
        if (asked) throw new Error('rows that were stored before did not get the index');
        asked = true;
        await this.#materialize(of);
      }
      await this.#pause(LOOK_MS);
      // The engine tries again by itself.
      if (work?.Failure) throw new Error(work.Failure);
    }
  }

  /** Rows that would be read for a word that nobody wrote: those of parts without the index. */
  async #rowsWithout({ table, of, made }: IndexedTable): Promise<number> {
    const asked = of === 'words' ? `hasToken(${made}, '${NOBODYS}')` : `has(${made}, '${NOBODYS}')`;
    const [row] = await this.#select<{ Rows: number }>(
      `SELECT sum(rows) AS Rows FROM (
         EXPLAIN ESTIMATE SELECT count() FROM ${this.#held(table)} WHERE ${asked}
         SETTINGS use_skip_indexes_on_data_read = 0)`,
    );
    return Number(row?.Rows ?? 0);
  }

  async #work({ table, index }: IndexedTable): Promise<{ readonly Failure: string } | undefined> {
    const [work] = await this.#select<{ Failure: string }>(
      `SELECT latest_fail_reason AS Failure FROM system.mutations
       WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done AND position(command, {index:String}) > 0`,
      { table: this.#held(table), index },
    );
    return work;
  }

  async #present(table: string): Promise<string[]> {
    const rows = await this.#select<{ Name: string }>(
      `SELECT name AS Name FROM system.data_skipping_indices
       WHERE database = currentDatabase() AND table = {table:String} AND startsWith(name, '${PREFIX}')`,
      { table: this.#held(table) },
    );
    return rows.map(({ Name }) => Name);
  }

  #select<T>(sql: string, params: Record<string, unknown> = {}): Promise<T[]> {
    return this.#parts.store.select<T>(sql, params, { signal: this.#end.signal });
  }

  async #alter(table: string, what: string): Promise<void> {
    const { store, target } = this.#parts;
    const [sql = ''] = renderMigration(`ALTER TABLE \${table:${table}}\${on_cluster} ${what};`, target);
    await store.command(sql, {}, { signal: this.#end.signal });
  }

  #held(table: string): string {
    return heldIn(this.#parts.target, table);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#end.signal, ref: false });
  }
}

/** A word of 32 letters by chance. */
const NOBODYS = 'zqxjkvbpyg0zqxjkvbpyg0wmfzqxjkvb';
