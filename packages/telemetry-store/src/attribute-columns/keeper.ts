import type { Logger } from '@candela/kernel';
import { isGone, StoreError } from '../client/errors.ts';
import type { StoreSnapshot, TelemetryStore } from '../client/types.ts';
import type { MigrationTarget } from '../migrations/template.ts';
import { ColumnChanges } from './changes.ts';
import { decide, isUnfinished, type KeyFacts } from './decide.ts';
import { KeptStore } from './kept-store.ts';
import { KnownColumns } from './known.ts';
import { Ledger } from './ledger.ts';
import { type AttributeKey, keyText, mayHaveColumn } from './names.ts';
import { type AskedSample, typeFor } from './sample.ts';
import {
  type ColumnType,
  heldIn,
  PLAIN_BYTES_SQL,
  sampleOfColumn,
  sampleOfKey,
  shareOfColumn,
  shareOfKey,
  type Statement,
} from './statements.ts';
import type { ColumnTuning } from './tuning.ts';
import { KeyUse } from './use.ts';

export interface KeeperParts {
  /** What is asked of it is no read of somebody's. */
  readonly store: Pick<TelemetryStore, 'select' | 'command'>;
  readonly target: MigrationTarget;
  readonly tuning: ColumnTuning;
  readonly logger: Logger;
}

/** A key that may get a column, with the bytes of its values a row, of rows with it and without. */
type NewlyFit = AttributeKey & { readonly type: ColumnType; readonly bytes: number };

/** How long what is known of the columns is taken for true; while they are filled; after a failure. */
const LEARN_MS = 30_000;
const LEARN_SOON_MS = 2_000;
const RETRY_MS = 600_000;
/** Keys of one statement and of one round that count. */
const MAX_COUNTED = 8;
const MAX_NOTED = 64;
/** A dictionary of so many times more values than a new one may have is dropped. */
const OUTGROWN = 4;

/** What the engine says when a read is given up: too many rows, too slow, too much memory. */
const TOO_MUCH = new Set([158, 159, 160, 241]);

/** Not all processes at the same moment. */
const about = (ms: number): number => ms * (0.75 + Math.random() / 2);

/**
 * The columns that a store gets for keys of attributes that somebody waited for: which there are, what is asked for, and their
 * adding and dropping. Everything happens along with reads: a store that nobody reads is left alone.
 */
export class AttributeColumns {
  readonly #parts: KeeperParts;
  readonly #end = new AbortController();
  readonly #store: KeptStore;
  readonly #ledger: Ledger;
  readonly #changes: ColumnChanges;
  readonly #use = new KeyUse();
  readonly #known: KnownColumns;
  #learned: Promise<void> | undefined;
  #learnAt = 0;
  #roundAt: number;
  /** Not before that: a round was just now, or failed. */
  #roundAfter = 0;
  #roundTimer: NodeJS.Timeout | undefined;
  #quietRounds = 0;
  #tending: Promise<void> | undefined;

  constructor(parts: KeeperParts) {
    const { target, tuning } = parts;
    this.#parts = parts;
    this.#store = new KeptStore(parts.store, this.#end.signal);
    this.#known = new KnownColumns(target);
    this.#ledger = new Ledger(this.#store, target, tuning);
    this.#changes = new ColumnChanges({
      ...parts,
      store: this.#store,
      ledger: this.#ledger,
      known: this.#known,
      maxFillBytes: tuning.maxFillBytes,
    });
    this.#roundAt = performance.now() + tuning.roundMs;
  }

  /** Which keys have a column that reads may use. */
  async columns(): Promise<StoreSnapshot['columnOf']> {
    if (this.#learned === undefined || performance.now() >= this.#learnAt) this.#learned = this.#learn();
    // What cannot be learned is not used.
    await this.#learned.catch(() => undefined);
    return this.#known.columns();
  }

  /** Runs a statement that somebody waits for and that reads these keys. */
  async counting<T>(attributes: readonly AttributeKey[], run: () => Promise<T>): Promise<T> {
    const asked = attributes.filter(mayHaveColumn);
    if (asked.length === 0) return run();
    const startedAt = performance.now();
    let tooMuch = false;
    try {
      return await run();
    } catch (thrown) {
      const code = thrown instanceof StoreError ? thrown.engineCode : 0;
      tooMuch = TOO_MUCH.has(code);
      if (isGone(thrown)) {
        this.#known.forget();
        this.#learnAt = 0;
      }
      throw thrown;
    } finally {
      this.#count(asked, tooMuch ? Infinity : performance.now() - startedAt);
      this.#tendIfDue();
    }
  }

  /** Looks at columns and at what is asked for, and changes what is to be changed: one thing after the other. */
  async tend(): Promise<void> {
    await this.#tending;
    await this.#learn();
    await this.#round();
  }

  /** What is under way is cut off, as by a crash: whoever comes next goes on. */
  async close(): Promise<void> {
    clearTimeout(this.#roundTimer);
    this.#end.abort();
    await this.#tending;
  }

  /** A key with a column counts whenever it is asked for, others when the map made it slow. */
  #count(asked: readonly AttributeKey[], tookMs: number): void {
    const slow = tookMs >= this.#parts.tuning.slowMs;
    const keys = new Map(asked.map((read) => [keyText(read), read]));
    for (const read of [...keys.values()].slice(0, MAX_COUNTED)) {
      const fromColumn = this.#known.isRead(read);
      if (slow || fromColumn) this.#use.count(read);
      if (slow && !fromColumn) this.#tendSoon();
    }
  }

  #tendIfDue(): void {
    if (this.#use.size === 0 || performance.now() < this.#roundAt || this.#tending !== undefined) return;
    this.#inBackground(() => this.#tendNow());
  }

  /** Somebody waited for the map: perhaps nobody has to once more. Questions that come together are answered by one round. */
  #tendSoon(): void {
    const { pool, soonMs } = this.#parts.tuning;
    if (pool === 0 || this.#roundTimer !== undefined || this.#end.signal.aborted) return;
    const wait = Math.max(soonMs, this.#roundAfter - performance.now());
    this.#roundTimer = setTimeout(() => {
      this.#inBackground(() => {
        this.#roundTimer = undefined;
        return this.#tendNow();
      });
    }, about(wait)).unref();
  }

  async #tendNow(): Promise<void> {
    const { roundMs, soonPauseMs } = this.#parts.tuning;
    this.#roundAt = performance.now() + about(roundMs);
    this.#roundAfter = performance.now() + soonPauseMs;
    await this.#learn();
    await this.#round();
  }

  /** After what is under way by now. Failures are told and harm no read. */
  #inBackground(work: () => Promise<void>): void {
    if (this.#end.signal.aborted) return;
    const after = (this.#tending ?? Promise.resolve())
      .then(work)
      .catch((thrown: unknown) => {
        this.#roundAt = performance.now() + RETRY_MS;
        this.#roundAfter = this.#roundAt;
        if (this.#end.signal.aborted) return;
        this.#parts.logger.warn(
          { err: thrown },
          'columns of attributes cannot be kept; reads go on without them',
        );
      })
      .finally(() => {
        if (this.#tending === after) this.#tending = undefined;
      });
    this.#tending = after;
  }

  async #learn(): Promise<void> {
    this.#learnAt = performance.now() + LEARN_MS;
    await this.#known.learn((sql, params) => this.#store.select(sql, params));
    if (!this.#known.settled) this.#learnAt = performance.now() + LEARN_SOON_MS;
  }

  async #round(): Promise<void> {
    const { tuning } = this.#parts;
    const asked = this.#use.take(MAX_NOTED);
    if (tuning.pool === 0) return;
    await this.#ledger.note('asked', asked);
    const facts = await this.#facts();
    if (await this.#wentOn(facts)) return;
    const { candidates, room, victim } = decide(facts, tuning);
    const fitting: NewlyFit[] = [];
    for (const candidate of candidates) {
      if (fitting.length >= room || this.#store.hasEnded) break;
      const fit = await this.#typeFor(candidate, fitting);
      if (fit === undefined) await this.#ledger.note('refused', [candidate]);
      else fitting.push({ ...candidate, ...fit });
    }
    if (this.#store.hasEnded) return;
    if (fitting.length === 0) await this.#recheck();
    else if (victim === undefined) await this.#changes.add(fitting);
    else await this.#changes.drop(victim);
    if (fitting.length === 0) return;
    await this.#learn();
    // What made room did so for somebody who waits.
    if (victim !== undefined) this.#tendSoon();
  }

  #facts(): Promise<readonly KeyFacts[]> {
    return this.#ledger.facts(this.#known.present);
  }

  /** Goes on with what somebody began who ended before its end. */
  async #wentOn(facts: readonly KeyFacts[]): Promise<boolean> {
    const begun = facts.filter((fact) => isUnfinished(fact) && !this.#known.isBusy(fact.table));
    if (begun.length === 0) return false;
    await this.#changes.fill(begun);
    await this.#learn();
    return true;
  }

  /** @param others keys that get columns as well */
  async #typeFor(
    attribute: AttributeKey,
    others: readonly NewlyFit[],
  ): Promise<Pick<NewlyFit, 'type' | 'bytes'> | undefined> {
    for (const recent of [true, false]) {
      const sample = await this.#sample(sampleOfKey(attribute, recent), shareOfKey(attribute, recent));
      if (sample.rows === 0) continue;
      const type = typeFor(sample, this.#parts.tuning.maxValues);
      if (type === undefined) return undefined;
      const fit = { type, bytes: sample.mean * sample.share };
      return type === 'String' && !(await this.#hasRoomFor({ ...attribute, ...fit }, others))
        ? undefined
        : fit;
    }
    return undefined;
  }

  /** Whether the plain columns of a table stay within their bytes with one more. */
  async #hasRoomFor({ table, bytes }: NewlyFit, others: readonly NewlyFit[]): Promise<boolean> {
    const { target, tuning } = this.#parts;
    const [taken] = await this.#store.select<{ Bytes: number }>(PLAIN_BYTES_SQL, {
      table: heldIn(target, table),
    });
    const coming = others
      .filter((other) => other.table === table && other.type === 'String')
      .reduce((sum, other) => sum + other.bytes, 0);
    return Number(taken?.Bytes ?? 0) + coming + bytes <= tuning.plainBytes;
  }

  async #sample(values: Statement, rows: Statement): Promise<AskedSample> {
    const [found] = await this.#store.select<{ Rows: number; Many: number; Longest: number; Mean: number }>(
      values.sql,
      values.params,
    );
    const [part] = await this.#store.select<{ Share: number }>(rows.sql, rows.params);
    return {
      rows: Number(found?.Rows ?? 0),
      many: Number(found?.Many ?? 0),
      longest: Number(found?.Longest ?? 0),
      mean: Number(found?.Mean ?? 0),
      share: Number(part?.Share ?? 0),
    };
  }

  /** Now and then, one column: its key may have got more values than it had. */
  async #recheck(): Promise<void> {
    const { maxValues, recheckRounds } = this.#parts.tuning;
    this.#quietRounds += 1;
    if (this.#quietRounds % recheckRounds !== 0) return;
    const columns = [...this.#known.present.values()];
    const one = columns[(this.#quietRounds / recheckRounds) % Math.max(1, columns.length)];
    if (one === undefined) return;
    const of = [one.attribute.table, one.column] as const;
    const sample = await this.#sample(sampleOfColumn(...of), shareOfColumn(...of));
    const type = typeFor(sample, maxValues * OUTGROWN);
    const fits = type !== undefined && (type === one.type || one.type === 'String');
    if (sample.rows === 0 || fits) return;
    await this.#changes.drop(one.attribute);
    await this.#learn();
  }
}
