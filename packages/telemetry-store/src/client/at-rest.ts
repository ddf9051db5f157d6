import type { Logger } from '@candela/kernel';

/** A partition that is better merged; its id is letters, digits and hyphens. */
export interface Untidy {
  readonly TableName: string;
  readonly PartitionId: string;
  /** Whether it is to become one part. */
  readonly Whole: boolean;
}

export interface AtRestParts {
  /** Rows of a statement about the engine's own tables. */
  readonly select: <T>(sql: string, signal: AbortSignal) => Promise<T[]>;
  /** Lets the engine merge what is best merged of a partition, once. */
  readonly merge: (untidy: Untidy, signal: AbortSignal) => Promise<void>;
  /** Indexes that inserts leave to the first merge. */
  readonly deferred: readonly string[];
  /** Builds indexes for the parts of a partition that have none. */
  readonly build: (
    table: string,
    partition: string,
    indexes: readonly string[],
    signal: AbortSignal,
  ) => Promise<void>;
  readonly logger: Logger;
  /** Without an insert for so long a store is at rest, milliseconds. */
  readonly afterMs?: number;
}

const AFTER_MS = 30_000;
/** Fewer are as good as merged: to merge two would rewrite much for little. */
const FEW_PARTS = 3;
/** What is merged takes seconds: a part of a group has 30 MB at most, and the engine itself merges from eight of them on. */
const MOST_BYTES = 2 ** 30;

/** So many of a small partition are worth a second of work, merged before or not: every list opens each of them. */
const SEVERAL_PARTS = 4;
const SMALL_BYTES = 2 ** 26;
/**
 * Of larger ones they are where the largest part does not hold nearly all: else it would be rewritten for every few that come. So a row is
 * rewritten again only when a third more has come. Larger ones would take a core for minutes.
 */
const LARGER_BYTES = 2 ** 32;
const NEARLY_ALL = 0.75;

/** Partitions with parts as inserts wrote them, or in several parts, the smallest first. */
const UNTIDY_SQL = `SELECT table AS TableName, partition_id AS PartitionId,
    sum(bytes_on_disk) AS Bytes, max(bytes_on_disk) AS Largest,
    toBool(count() >= ${SEVERAL_PARTS} AND (Bytes <= ${SMALL_BYTES} OR (Bytes <= ${LARGER_BYTES} AND Largest <= Bytes * ${NEARLY_ALL}))) AS Whole,
    countIf(level = 0) >= ${FEW_PARTS} AND sumIf(bytes_on_disk, level = 0) <= ${MOST_BYTES} AS Fresh
  FROM system.parts
  WHERE active AND database = currentDatabase()
  GROUP BY table, partition_id
  HAVING Fresh OR Whole
  ORDER BY Bytes, TableName, PartitionId`;

/** Of fewer young rows the texts are read in the time that a statement takes anyway: those of a granule. */
const FEW_ROWS = 8_192;

interface Young {
  readonly TableName: string;
  readonly PartitionId: string;
  readonly Indexes: string[];
  /** Names that stay the same when an index was built. */
  readonly Parts: string[];
}

/** Parts as inserts wrote them that nothing will be merged with soon, by partition, and the indexes that they may lack. */
const youngSql = (
  deferred: readonly string[],
): string => `SELECT table AS TableName, partition_id AS PartitionId,
    any(Indexes) AS Indexes, groupArray(concat(partition_id, '_', toString(min_block_number), '_', toString(max_block_number))) AS Parts
  FROM system.parts INNER JOIN (
    SELECT table, groupArray(name) AS Indexes FROM system.data_skipping_indices
    WHERE database = currentDatabase() AND name IN (${deferred.map((name) => `'${name}'`).join(', ')}) GROUP BY table
  ) AS indexes USING (table)
  WHERE active AND database = currentDatabase() AND level = 0
  GROUP BY table, partition_id HAVING sum(rows) >= ${FEW_ROWS} AND sum(bytes_on_disk) <= ${MOST_BYTES}`;

/**
 * Merges the parts of the last inserts once no more come, and partitions of some gigabytes into one. The engine waits for
 * eight of a size, so that every row is rewritten seldom; when the stream ends, up to seven of each size would stay as they are for days. Skip indexes are
 * built by the first merge, so all texts in them would be searched word by word, and every question opens every part.
 * Parts too few to be merged get their indexes by themselves.
 */
export class AtRest {
  readonly #parts: AtRestParts;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #inserts = 0;
  #tidying: Promise<void> | undefined;
  /** Parts whose indexes were built. */
  #built: ReadonlySet<string> = new Set();

  constructor(parts: AtRestParts) {
    this.#parts = parts;
  }

  /** Rows came: it is waited for the end of them. */
  inserted(): void {
    this.#inserts += 1;
    if (this.#end.signal.aborted) return;
    const wait = this.#parts.afterMs ?? AFTER_MS;
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#rest(), wait).unref();
    else this.#timer.refresh();
  }

  /** Waits for no merge: one that is cut off leaves the parts as they were. */
  async close(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#timer);
    await this.#tidying;
  }

  #rest(): void {
    if (this.#tidying !== undefined) {
      // What came meanwhile is looked at when that has ended.
      this.#timer?.refresh();
      return;
    }
    this.#tidying = this.#tidy()
      .catch((thrown: unknown) => {
        if (this.#end.signal.aborted) return;
        this.#parts.logger.warn({ err: thrown }, 'the parts of the last inserts could not be merged');
      })
      .finally(() => {
        this.#tidying = undefined;
      });
  }

  async #tidy(): Promise<void> {
    const { select, merge, build } = this.#parts;
    const { signal } = this.#end;
    const before = this.#inserts;
    for (const untidy of await select<Untidy>(UNTIDY_SQL, signal)) {
      // The engine has enough to merge again.
      if (this.#inserts !== before || signal.aborted) return;
      await merge(untidy, signal);
    }
    const young = await select<Young>(youngSql(this.#parts.deferred), signal);
    const built = new Set<string>();
    for (const { TableName, PartitionId, Indexes, Parts } of young) {
      const names = Parts.map((name) => `${TableName} ${name}`);
      if (!names.every((name) => this.#built.has(name))) {
        if (this.#inserts !== before || signal.aborted) return;
        await build(TableName, PartitionId, Indexes, signal);
      }
      for (const name of names) built.add(name);
    }
    this.#built = built;
  }
}
