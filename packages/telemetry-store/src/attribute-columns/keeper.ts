import type { Logger } from '@candela/kernel';
import { StoreError } from '../client/errors.ts';
import type { AttributeRead, TelemetryStore } from '../client/types.ts';
import type { MigrationTarget } from '../migrations/template.ts';
import { type ChangeKind, decide, type DecisionBounds, type KeyFacts } from './decide.ts';
import { KnownColumns } from './known.ts';
import { type AttributeKey, columnName, keyText, mayHaveColumn } from './names.ts';
import { type Sample, typeFor } from './sample.ts';
import {
  addColumn,
  CHANGES_SQL,
  dropColumn,
  fillColumns,
  heldIn,
  NOTE_SQL,
  PARTITIONS_SQL,
  sampleOfColumn,
  sampleOfKey,
  SCORES_SQL,
  type Statement,
  type ColumnType,
} from './statements.ts';
import { type CountedKey, KeyUse } from './use.ts';

/** When keys get columns. */
export interface ColumnTuning extends DecisionBounds {
  /** A read of a key from its map counts when it takes so long, milliseconds. */
  readonly slowMs: number;
  /** Between two looks at what is asked for, milliseconds. */
  readonly roundMs: number;
  /** Values that a dictionary may have. */
  readonly maxValues: number;
  /** One of the columns is looked at again after so many rounds in which nothing else was to do. */
  readonly recheckRounds: number;
  /** Stored rows up to so many bytes get a column in the background, the newest first. */
  readonly maxFillBytes: number;
}

export const COLUMN_TUNING: ColumnTuning = {
  pool: 24,
  minScore: 3,
  pauseSeconds: 600,
  coolSeconds: 86_400,
  slowMs: 150,
  roundMs: 60_000,
  maxValues: 8_000,
  recheckRounds: 30,
  maxFillBytes: 64 * 2 ** 30,
};

export interface KeeperParts {
  /** Without keys to replace. */
  readonly store: Pick<TelemetryStore, 'select' | 'command'>;
  readonly target: MigrationTarget;
  readonly tuning: ColumnTuning;
  readonly logger: Logger;
}

/** How long what is known of the columns is taken for true; while they are filled; after a failure. */
const LEARN_MS = 30_000;
const LEARN_SOON_MS = 2_000;
const RETRY_MS = 600_000;
/** Keys of one statement and of one round that count. */
const MAX_COUNTED = 8;
const MAX_NOTED = 64;
/** A dictionary of so many times more values than a new one may have is dropped. */
const OUTGROWN = 4;

/** What the engine says of a column that is no more: unknown name, no such column, not found. */
const GONE = new Set([8, 10, 16, 47]);
/** What it says when a read is given up: too many rows, too slow, too much memory. */
const TOO_MUCH = new Set([158, 159, 160, 241]);

interface KeyRow {
  readonly TableName: string;
  readonly MapName: string;
  readonly Key: string;
}

const attributeOf = ({ TableName, MapName, Key }: KeyRow): AttributeKey => ({
  table: TableName,
  map: MapName,
  key: Key,
});

/**
 * The columns that a store gets for keys of attributes that people ask for: which there are, what is asked for, and
 * their adding and dropping. Everything happens along with reads: a store that nobody reads is left alone.
 */
export class AttributeColumns {
  readonly #parts: KeeperParts;
  readonly #use = new KeyUse();
  readonly #known: KnownColumns;
  #learned: Promise<void> | undefined;
  #learnAt = 0;
  #roundAt: number;
  #quietRounds = 0;
  #tending: Promise<void> | undefined;
  readonly #end = new AbortController();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#known = new KnownColumns(parts.target);
    this.#roundAt = performance.now() + parts.tuning.roundMs;
  }

  /** Runs a statement that reads keys of maps, with the columns there are. */
  async read<T>(
    sql: string,
    attributes: readonly AttributeRead[],
    run: (text: string) => Promise<T>,
  ): Promise<T> {
    const asked = attributes.filter(mayHaveColumn);
    if (asked.length === 0) return run(sql);
    // The first read waits for the columns to be known; what cannot be learned is not used.
    this.#learned ??= this.#learn();
    await this.#learned.catch(() => undefined);
    const text = this.#known.written(sql, asked);
    const startedAt = performance.now();
    let tooMuch = false;
    try {
      return await run(text);
    } catch (thrown) {
      const code = thrown instanceof StoreError ? thrown.engineCode : 0;
      tooMuch = TOO_MUCH.has(code);
      if (text === sql || !GONE.has(code)) throw thrown;
      // Another process dropped it since: the map holds all.
      this.#known.forget();
      this.#learnAt = 0;
      return await run(sql);
    } finally {
      this.#count(asked, tooMuch || performance.now() - startedAt >= this.#parts.tuning.slowMs);
      this.#tendIfDue();
    }
  }

  /** Looks at the columns and at what is asked for, and changes what is to be changed: at most one thing at a time. */
  async tend(): Promise<void> {
    await this.#tending;
    await this.#learn();
    await this.#round();
  }

  /** What is under way is cut off, as by a crash: whoever comes next goes on. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#tending;
  }

  /** A key with a column counts whenever it is asked for, others when the map made it slow. */
  #count(asked: readonly AttributeRead[], slow: boolean): void {
    const keys = new Map(asked.map((read) => [keyText(read), read]));
    for (const read of [...keys.values()].slice(0, MAX_COUNTED)) {
      if (slow || this.#known.isRead(read)) this.#use.count(read);
    }
  }

  #tendIfDue(): void {
    const now = performance.now();
    const round = this.#use.size > 0 && now >= this.#roundAt;
    if (this.#end.signal.aborted || this.#tending !== undefined || (now < this.#learnAt && !round)) return;
    const work = async (): Promise<void> => {
      await this.#learn();
      if (!round) return;
      // Not all processes at the same moment.
      this.#roundAt = performance.now() + this.#parts.tuning.roundMs * (0.75 + Math.random() / 2);
      await this.#round();
    };
    this.#tending = work()
      .catch((thrown: unknown) => {
        this.#roundAt = performance.now() + RETRY_MS;
        if (this.#end.signal.aborted) return;
        this.#parts.logger.warn(
          { err: thrown },
          'columns of attributes cannot be kept; reads go on without them',
        );
      })
      .finally(() => {
        this.#tending = undefined;
      });
  }

  async #learn(): Promise<void> {
    this.#learnAt = performance.now() + LEARN_MS;
    await this.#known.learn((sql, params) => this.#select(sql, params));
    if (!this.#known.settled) this.#learnAt = performance.now() + LEARN_SOON_MS;
  }

  async #round(): Promise<void> {
    const { tuning } = this.#parts;
    const asked = this.#use.take(MAX_NOTED);
    if (tuning.pool === 0) return;
    await this.#note('asked', asked);
    const facts = await this.#facts();
    const unfinished = facts.filter(
      ({ present, last, table }) => present && last?.kind === 'added' && !this.#known.isBusy(table),
    );
    if (unfinished.length > 0) {
      await this.#fill(unfinished);
      return;
    }
    const { candidates, room, victim } = decide(facts, tuning);
    const fitting: (AttributeKey & { readonly type: ColumnType })[] = [];
    for (const candidate of candidates) {
      if (fitting.length >= room || this.#end.signal.aborted) break;
      const type = await this.#typeFor(candidate);
      if (type === undefined) await this.#note('refused', [candidate]);
      else fitting.push({ ...candidate, type });
    }
    if (this.#end.signal.aborted) return;
    if (fitting.length === 0) await this.#recheck();
    else if (victim === undefined) await this.#add(fitting);
    else await this.#drop(victim);
  }

  async #facts(): Promise<KeyFacts[]> {
    const [scores, changes] = await Promise.all([
      this.#select<KeyRow & { Score: number }>(SCORES_SQL),
      this.#select<KeyRow & { Last: ChangeKind; Seconds: number }>(CHANGES_SQL),
    ]);
    const scored = new Map(scores.map((row) => [keyText(attributeOf(row)), Number(row.Score)]));
    const changed = new Map(changes.map((row) => [keyText(attributeOf(row)), row]));
    const all = new Map(
      [...scores, ...changes].map((row) => [keyText(attributeOf(row)), attributeOf(row)] as const),
    );
    for (const [text, { attribute }] of this.#known.present) all.set(text, attribute);
    return [...all].flatMap(([text, attribute]): KeyFacts[] => {
      if (!mayHaveColumn(attribute)) return [];
      const change = changed.get(text);
      return [
        {
          ...attribute,
          score: scored.get(text) ?? 0,
          present: this.#known.present.has(text),
          last: change === undefined ? undefined : { kind: change.Last, seconds: Number(change.Seconds) },
        },
      ];
    });
  }

  async #typeFor(attribute: AttributeKey): Promise<ColumnType | undefined> {
    for (const recent of [true, false]) {
      const sample = await this.#sample(sampleOfKey(attribute, recent));
      if (sample.rows > 0) return typeFor(sample, this.#parts.tuning.maxValues);
    }
    return undefined;
  }

  async #sample({ sql, params }: Statement): Promise<Sample> {
    const [found] = await this.#select<{ Rows: number; Many: number; Longest: number; Mean: number }>(
      sql,
      params,
    );
    return {
      rows: Number(found?.Rows ?? 0),
      many: Number(found?.Many ?? 0),
      longest: Number(found?.Longest ?? 0),
      mean: Number(found?.Mean ?? 0),
    };
  }

  async #add(attributes: readonly (AttributeKey & { readonly type: ColumnType })[]): Promise<void> {
    const { target, logger } = this.#parts;
    // Written down before, so that whoever comes after a crash knows that there may be something to fill.
    await this.#note('added', attributes);
    for (const attribute of attributes) {
      const column = columnName(attribute);
      if (column === undefined) continue;
      for (const statement of addColumn(target, attribute, column, attribute.type))
        await this.#run(statement);
      logger.info(
        { table: attribute.table, column },
        'a column was added for an attribute that is asked for',
      );
    }
    await this.#fill(attributes);
  }

  async #fill(attributes: readonly AttributeKey[]): Promise<void> {
    const { target } = this.#parts;
    for (const table of new Set(attributes.map((attribute) => attribute.table))) {
      const own = attributes.filter((attribute) => attribute.table === table);
      const columns = own.flatMap((attribute) => columnName(attribute) ?? []);
      const partitions = await this.#partitions(table);
      if (partitions?.length !== 0) await this.#run(fillColumns(target, table, columns, partitions));
    }
    await this.#note('filled', attributes);
    await this.#learn();
  }

  /** The newest partitions that are filled; undefined when all of them are. */
  async #partitions(table: string): Promise<string[] | undefined> {
    const { target, tuning } = this.#parts;
    const all = await this.#select<{ Id: string; Bytes: number }>(PARTITIONS_SQL, {
      table: heldIn(target, table),
    });
    let bytes = 0;
    const within = all.filter((partition) => {
      bytes += Number(partition.Bytes);
      return bytes <= tuning.maxFillBytes;
    });
    return within.length === all.length ? undefined : within.map(({ Id }) => Id);
  }

  async #drop(attribute: AttributeKey): Promise<void> {
    const { target, logger } = this.#parts;
    const column = columnName(attribute);
    // Work in the background may still read it.
    if (column === undefined || this.#known.isBusy(attribute.table)) return;
    await this.#note('dropped', [attribute]);
    this.#known.forget();
    for (const statement of dropColumn(target, attribute.table, column)) await this.#run(statement);
    logger.info({ table: attribute.table, column }, 'the column of an attribute was dropped');
    await this.#learn();
  }

  /** Now and then, one column: its key may have got more values than it had. */
  async #recheck(): Promise<void> {
    const { maxValues, recheckRounds } = this.#parts.tuning;
    this.#quietRounds += 1;
    if (this.#quietRounds % recheckRounds !== 0) return;
    const columns = [...this.#known.present.values()];
    const one = columns[(this.#quietRounds / recheckRounds) % Math.max(1, columns.length)];
    if (one === undefined) return;
    const sample = await this.#sample(sampleOfColumn(one.attribute.table, one.column));
    const type = typeFor(sample, maxValues * OUTGROWN);
    const fits = type !== undefined && (type === one.type || one.type === 'String');
    if (sample.rows > 0 && !fits) await this.#drop(one.attribute);
  }

  async #note(
    kind: ChangeKind | 'asked',
    keys: readonly (AttributeKey & Partial<CountedKey>)[],
  ): Promise<void> {
    if (keys.length === 0) return;
    const params = {
      kind,
      tables: keys.map(({ table }) => table),
      maps: keys.map(({ map }) => map),
      keys: keys.map(({ key }) => key),
      asks: keys.map(({ asks = 0 }) => asks),
    };
    await this.#run({ sql: NOTE_SQL, params });
  }

  #select<T>(sql: string, params: Record<string, unknown> = {}): Promise<T[]> {
    return this.#parts.store.select<T>(sql, params, { signal: this.#end.signal });
  }

  async #run({ sql, params }: Statement): Promise<void> {
    await this.#parts.store.command(sql, params, { signal: this.#end.signal });
  }
}
