import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@candela/kernel';
import { heldIn } from '../attribute-columns/statements.ts';
import type { TelemetryStore, WordRead } from '../client/types.ts';
import { type MigrationTarget, renderMigration } from '../migrations/template.ts';
import { LOG_WORDS, SPAN_WORDS } from '../schema/expressions.ts';

/** The name of the index; left to the first merge, as all indexes of words. */
export const TEXT_INDEX = 'idx_text';

/** Tables whose words may be indexed, and what their words are made of. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['otel_traces', SPAN_WORDS],
  ['otel_logs', LOG_WORDS],
]);

/**
 * Places of a word as differences in as few bits as they need: 53 bytes a span of the bench instead of 75, and read as fast.
 * The tokens are those of `hasToken`.
 */
const TYPE = "text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking')";

/** So many rows without it are read in the time that a chart may take: those of the last inserts. */
const FEW_ROWS = 300_000;
/** Between two looks at whether it is built, milliseconds. */
const LOOK_MS = 2_000;

export interface TextIndexParts {
  readonly store: Pick<TelemetryStore, 'select' | 'command'>;
  readonly target: MigrationTarget;
  /** Whether there is to be one. */
  readonly wanted: boolean;
  readonly logger: Logger;
  /** Rows without the index that are read as soon. Default {@link FEW_ROWS}. */
  readonly fewRows?: number;
}

/**
 * The index that knows of every word in which rows it stands. Made when it is wanted, dropped when it is not, and used once the rows that
 * were stored before have it as well: until then texts are read, as without it.
 */
export class TextIndex {
  readonly #parts: TextIndexParts;
  readonly #end = new AbortController();
  readonly #ready = new Set<string>();
  #keeping: Promise<void> | undefined;

  constructor(parts: TextIndexParts) {
    this.#parts = parts;
  }

  /** Whether words of a table are told by it. */
  tells(table: string): boolean {
    return this.#ready.has(table);
  }

  /** A statement in which it tells the words that it can tell. */
  written(sql: string, words: readonly WordRead[]): string {
    return words
      .filter(({ table }) => this.#ready.has(table))
      .reduce((text, { read, indexed }) => text.replaceAll(read, indexed), sql);
  }

  /** Begins to make it or to drop it, in the background. A store that cannot have one is read without. */
  keep(): void {
    const { logger, wanted } = this.#parts;
    this.#keeping = this.#keep().catch((thrown: unknown) => {
      if (this.#end.signal.aborted) return;
      const failed = wanted
        ? 'the text index cannot be made: words are looked for without it'
        : 'the text index cannot be dropped: it takes room and is not used';
      logger.warn({ err: thrown }, failed);
    });
  }

  /** The engine goes on building by itself. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#keeping;
  }

  async #keep(): Promise<void> {
    const { wanted, logger } = this.#parts;
    const present = await this.#select<{ TableName: string }>(
      `SELECT table AS TableName FROM system.data_skipping_indices WHERE database = currentDatabase() AND name = '${TEXT_INDEX}'`,
    );
    for (const [table, words] of WORDS) {
      const isPresent = present.some(({ TableName }) => TableName === this.#held(table));
      if (wanted) {
        if (!isPresent)
          await this.#alter(table, `ADD INDEX IF NOT EXISTS ${TEXT_INDEX} ${words} TYPE ${TYPE}`);
        await this.#build(table, words);
      } else if (isPresent) {
        await this.#alter(table, `DROP INDEX IF EXISTS ${TEXT_INDEX} SETTINGS mutations_sync = 0`);
        logger.info({ table }, 'the text index was dropped');
      }
    }
  }

  /** Lets the engine build it for rows that were stored before, and waits until it has. */
  async #build(table: string, words: string): Promise<void> {
    const { logger, fewRows = FEW_ROWS } = this.#parts;
    let asked = false;
    while ((await this.#rowsWithout(table, words)) > fewRows) {
      const work = await this.#work(table);
      if (work?.Failure) throw new Error(work.Failure);
      if (work === undefined) {
        // It was built, and more came meanwhile than are merged: these get it with their first merge.
        if (asked) break;
        asked = true;
        logger.info({ table }, 'the text index is built for what is stored: until then texts are read');
        await this.#alter(table, `MATERIALIZE INDEX ${TEXT_INDEX} SETTINGS mutations_sync = 0`);
      }
      await sleep(LOOK_MS, undefined, { signal: this.#end.signal, ref: false });
    }
    this.#ready.add(table);
    logger.info({ table }, 'the text index tells words');
  }

  /** Rows that would be read for a word that nobody wrote: those of parts without the index. */
  async #rowsWithout(table: string, words: string): Promise<number> {
    const [row] = await this.#select<{ Rows: number }>(
      `SELECT sum(rows) AS Rows FROM (
         EXPLAIN ESTIMATE SELECT count() FROM ${this.#held(table)} WHERE hasToken(${words}, '${NOBODYS}')
         SETTINGS ignore_data_skipping_indices = 'idx_words', use_skip_indexes_on_data_read = 0)`,
    );
    return Number(row?.Rows ?? 0);
  }

  async #work(table: string): Promise<{ readonly Failure: string } | undefined> {
    const [work] = await this.#select<{ Failure: string }>(
      `SELECT latest_fail_reason AS Failure FROM system.mutations
       WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done AND position(command, '${TEXT_INDEX}') > 0`,
      { table: this.#held(table) },
    );
    return work;
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
}

/** A word of 32 letters by chance. */
const NOBODYS = 'zqxjkvbpyg0zqxjkvbpyg0wmfzqxjkvb';
