import { rm, statfs } from 'node:fs/promises';
import type { Logger } from '@candela/kernel';
import type { ClickHouseClient } from '@clickhouse/client';
import { type Connection, connect } from './connect.ts';

/** How often the engine is asked between inserts: sooner than the sources of a merged part go (`old_parts_lifetime`). */
const EVERY_MS = 10_000;
/** With more room than this nothing ran out of it during one insert: the engine is then not asked after each. */
const AMPLE_BYTES = 1 << 30;
/** What had little room a moment ago is asked as well. */
const TIGHT_FOR_MS = 60_000;
/** Parts of so many seconds before are looked at: those that were being written when a write failed, and some more. */
const LOOK_BACK_SECONDS = 300;

/** What the engine counts of itself. It forgets at each start. */
const COUNT_SQL = `SELECT value AS Failed FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'`;
const YOUNG_PARTS_SQL = `SELECT database AS Database, table AS Name, name AS Part, path AS Folder, rows AS Rows,
    partition_id AS PartitionId, min_block_number AS First, max_block_number AS Last
  FROM system.parts
  WHERE active AND database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')
    AND modification_time >= now() - ${LOOK_BACK_SECONDS}
  ORDER BY Database, Name, Part`;
const MERGES_SQL = `SELECT concat(database, '.', table, ' ', result_part_name) AS Merge FROM system.merges`;
const ROWS_SQL = `SELECT sum(rows) AS Rows FROM system.parts
  WHERE active AND database = {database:String} AND table = {name:String} AND partition_id = {partition:String}
    AND min_block_number <= {last:Int64} AND max_block_number >= {first:Int64}`;

interface YoungPart {
  readonly Database: string;
  readonly Name: string;
  readonly Part: string;
  readonly Folder: string;
  readonly Rows: number;
  readonly PartitionId: string;
  readonly First: number;
  readonly Last: number;
}

/** Failed writes, of which start of the engine. */
interface Seen {
  readonly restarts: number;
  readonly failed: number;
}

/** `<partition>_<block>_<block>_0`: as an insert wrote it, neither merged nor changed since. */
const INSERTED = /_(\d+)_\1_0$/;

const quoted = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;

export interface FailedWritesParts {
  readonly connection: Connection;
  /** A folder on the disk of the engine. */
  readonly dir: string;
  readonly logger: Logger;
  readonly engine: {
    /** How often it was started anew: its counts begin at 0 then. */
    readonly restarts: number;
    /** Ends it and resolves when it is there again. */
    restart(): Promise<void>;
  };
  readonly everyMs?: number;
}

/**
 * The embedded engine takes a file that could not be written (the disk is full, or fails) for written: the part is in use,
 * its files are cut off, and at the next start its rows are gone. Nothing tells of it but a count of failed writes. So an
 * insert counts as stored only if that count stands where it stood before. Otherwise parts that are young are checked. One
 * that an insert wrote is dropped, with its token, and the insert is repeated from the log. One that was merged is given
 * up by a start of the engine, which then takes the parts it was made of: they are kept for a while.
 */
export class FailedWrites {
  readonly #parts: FailedWritesParts;
  readonly #client: ClickHouseClient;
  readonly #timer: NodeJS.Timeout;
  #tightAt = Number.NEGATIVE_INFINITY;
  #seen: Seen = { restarts: 0, failed: 0 };
  /** Merges that were under way when a write failed last: what they made is checked once they end. */
  #suspects: ReadonlySet<string> = new Set();
  /** Parts that may be damaged were not checked yet, or that failed: the next look does it. */
  #isUnchecked = false;
  #mending: Promise<void> | undefined;
  #nextMending: Promise<void> | undefined;

  constructor(parts: FailedWritesParts) {
    this.#parts = parts;
    this.#client = connect(parts.connection, 'default', 'rows');
    this.#timer = setInterval(() => {
      // An engine that cannot be asked now is asked again.
      this.#look().catch(() => undefined);
    }, parts.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  /** What the engine had counted when it was last asked; taken before a write, it is compared after it. */
  get seen(): Seen {
    return this.#seen;
  }
  /** Resolves once damaged parts are given up, where that is under way. */
  get mending(): Promise<void> | undefined {
    return this.#mending;
  }

  /**
   * Whether a write failed since then, or the engine began anew. What was damaged is given up before this resolves, and what
   * was inserted since has to be inserted again, by the same token: what was not damaged is not stored twice.
   */
  async failedSince(before: Seen): Promise<boolean> {
    if (await this.#isTight()) await this.#look();
    if (before === this.#seen) return false;
    // The part of this insert may have come into use after the others were checked.
    await this.#mendAnew();
    return true;
  }

  async #isTight(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#parts.dir);
    const now = performance.now();
    if (bavail * bsize < AMPLE_BYTES) this.#tightAt = now;
    return now - this.#tightAt < TIGHT_FOR_MS;
  }

  async #look(): Promise<void> {
    const { restarts } = this.#parts.engine;
    const [row] = await this.#rows<{ Failed: number }>(COUNT_SQL);
    const failed = Number(row?.Failed ?? 0);
    const last = this.#seen.restarts === restarts ? this.#seen.failed : 0;
    if (this.#seen.restarts !== restarts || failed !== this.#seen.failed) this.#seen = { restarts, failed };
    if (failed > last) {
      this.#isUnchecked = true;
      this.#suspects = await this.#merges();
    } else if (await this.#hasSuspectEnded()) this.#isUnchecked = true;
    if (this.#isUnchecked) {
      await this.#mendAnew();
      this.#isUnchecked = false;
    }
  }

  async #merges(): Promise<Set<string>> {
    return new Set((await this.#rows<{ Merge: string }>(MERGES_SQL)).map(({ Merge }) => Merge));
  }
  async #hasSuspectEnded(): Promise<boolean> {
    if (this.#suspects.size === 0) return false;
    const running = await this.#merges();
    const before = this.#suspects.size;
    this.#suspects = new Set([...this.#suspects].filter((merge) => running.has(merge)));
    return this.#suspects.size < before;
  }

  /** Checks young parts. Where that is under way it may have passed what came into use since: then once more, for all who wait. */
  #mendAnew(): Promise<void> {
    if (this.#mending !== undefined) {
      const again = () => {
        this.#nextMending = undefined;
        return this.#mendAnew();
      };
      this.#nextMending ??= this.#mending.then(again, again);
      return this.#nextMending;
    }
    this.#mending = this.#mend().finally(() => {
      this.#mending = undefined;
    });
    return this.#mending;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await (this.#nextMending ?? this.#mending)?.catch(() => undefined);
    await this.#client.close();
  }

  async #mend(): Promise<void> {
    const { logger } = this.#parts;
    const damaged: YoungPart[] = [];
    for (const part of await this.#rows<YoungPart>(YOUNG_PARTS_SQL))
      if (await this.#isDamaged(part)) damaged.push(part);
    if (damaged.length === 0) return;
    const merged = damaged.filter(({ Part }) => !INSERTED.test(Part));
    logger.error(
      {
        component: 'engine',
        parts: damaged.map(({ Name, Part }) => `${Name} ${Part}`),
        merged: merged.length,
      },
      'the engine could not write all files of these parts; they are given up and made again',
    );
    for (const part of damaged)
      if (INSERTED.test(part.Part)) {
        await this.#command(`ALTER TABLE ${nameOf(part)} DROP PART '${part.Part}'`);
        // The engine would keep it for a while, and a start within that time would report it as damaged.
        await rm(part.Folder, { recursive: true, force: true });
      }
    if (merged.length === 0) return;
    await this.#parts.engine.restart();
    for (const part of merged) await this.#forget(part);
  }

  /** Gone by now, by a merge or by retention, it is nobody's any more. */
  async #isDamaged(part: YoungPart): Promise<boolean> {
    try {
      const answers = await this.#rows<{ is_passed: number }>(
        `CHECK TABLE ${nameOf(part)} PART '${part.Part}' SETTINGS check_query_single_value_result = 0`,
      );
      return answers.some(({ is_passed: isPassed }) => isPassed === 0);
    } catch (thrown) {
      this.#parts.logger.debug({ component: 'engine', part: part.Part, err: thrown }, 'part not checked');
      return false;
    }
  }

  /** A merged part whose sources, or what became of them, hold all of its rows is no loss: what was set aside of it goes. */
  async #forget(part: YoungPart): Promise<void> {
    const { Database: database, Name: name, PartitionId: partition, First: first, Last: last } = part;
    const [sources] = await this.#rows<{ Rows: number }>(ROWS_SQL, {
      database,
      name,
      partition,
      first,
      last,
    });
    if (Number(sources?.Rows ?? 0) < Number(part.Rows)) return;
    await this.#command(
      `ALTER TABLE ${nameOf(part)} DROP DETACHED PART 'broken-on-start_${part.Part}' SETTINGS allow_drop_detached = 1`,
    );
  }

  async #rows<T>(query: string, params: Record<string, unknown> = {}): Promise<T[]> {
    const result = await this.#client.query({ query, query_params: params, format: 'JSONEachRow' });
    return result.json<T>();
  }

  async #command(query: string): Promise<void> {
    await this.#client.command({ query });
  }
}

const nameOf = ({ Database, Name }: YoungPart): string => `${quoted(Database)}.${quoted(Name)}`;
