import { StoreError } from '../../client/errors.ts';
import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import type { ReadStore } from '../core/stores.ts';

/** From when on it pays to know which traces are split, and until when. */
export const SPLIT_TUNING = {
  /** Rows of the rollup, at least. */
  manyRows: 200_000,
  /** Split traces, at most: with more of them joining all rows is as good. */
  mostSplit: 5_000,
  /** Rows that came since, at most: to look their traces up costs several times what joining them does. */
  mostFresh: 30_000,
};

/** What is looked at beyond an end that is not over: the questions of the next hours end later. */
const DAY = 86_400_000_000_000n;
/** How long a look that was of no use keeps from another one. */
const WAIT_MS = 30_000;
/** Tenants of a store that something is remembered of. */
const MOST_TENANTS = 50;
/** ClickHouse's code for more rows in the set of an `IN` than there may be. */
const SET_TOO_LARGE = 191;

/** What was seen of the rows of a tenant. */
export interface Look {
  readonly hours: Window;
  /** The parts in which they lay. */
  readonly parts: readonly string[];
  /** Hashes of the traces that had several of them. */
  readonly split: readonly string[];
}

interface Memory {
  look?: Look;
  /** Hours that a look at is of no use for a while. */
  useless?: { readonly hours: Window; readonly untilMs: number };
}

/**
 * Remembers which traces of a tenant are split: have several rows in their rollup, because an hour ended or an insert came
 * between their spans. Few are, once parts are merged; of the others one row is the whole trace, and the first of a
 * million in some order are found without joining rows by their hashes, for a third of the work.
 *
 * What a part holds never changes, so what was seen is true for as long as there is a part of that name. Rows in other
 * parts came since or were merged since, and their traces are taken for split. Only in a store that nobody else changes:
 * two servers, or a table before and after it was made anew, may have parts of one name.
 */
export class SplitTraces {
  readonly #tuning: typeof SPLIT_TUNING;
  readonly #stores = new WeakMap<ReadStore, Map<string, Memory>>();

  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(tuning: Partial<typeof SPLIT_TUNING> = {}, now: () => number = Date.now) {
    this.#now = now;
    this.#tuning = { ...SPLIT_TUNING, ...tuning };
  }

  /**
   * The answer of a statement that treats split traces apart, made from what is known of them; undefined where that does not
   * pay or cannot be known. `ask` may be called a second time. To its statement belongs the condition of {@link isSplit}, and
   * these settings behind it.
   * @param rollup the rows of the tenant in some hours, with parameters of their own
   */
  async apart<T>(
    runner: Runner,
    rollup: (hours: Window) => Scope,
    hours: Window,
    ask: (look: Look, settings: string) => Promise<T>,
  ): Promise<T | undefined> {
    const scope = rollup(hours);
    const store = await runner.storeOf(scope);
    if (store.ownParts === undefined) return undefined;
    const settings = `SETTINGS max_rows_in_set = ${this.#tuning.mostFresh}, set_overflow_mode = 'throw'`;
    const memory = this.#memoryOf(store, store.ownParts, scope);
    if (memory.look !== undefined && covers(memory.look.hours, hours)) {
      const answer = await unlessTooFresh(ask(memory.look, settings));
      if (answer !== undefined) return answer;
      delete memory.look;
    }
    if (memory.useless !== undefined && covers(memory.useless.hours, hours)) {
      if (performance.now() < memory.useless.untilMs) return undefined;
    }
    const open = hours.to > BigInt(this.#now()) * 1_000_000n;
    const wide = { from: hours.from, to: open ? hours.to + DAY : hours.to };
    const look = await this.#look(runner, rollup, wide);
    if (look === undefined) {
      memory.useless = { hours: wide, untilMs: performance.now() + WAIT_MS };
      return undefined;
    }
    memory.look = look;
    return unlessTooFresh(ask(look, settings));
  }

  async #look(runner: Runner, rollup: (hours: Window) => Scope, hours: Window): Promise<Look | undefined> {
    const { mostSplit } = this.#tuning;
    const all = rollup(hours);
    const found = await runner.run<{ Part: string; Rows: number }>(
      all,
      `SELECT _part AS Part, toFloat64(count()) AS Rows ${all.from} GROUP BY Part`,
    );
    if (found.reduce((sum, { Rows }) => sum + Rows, 0) < this.#tuning.manyRows) return undefined;
    const parts = found.map(({ Part }) => Part);
    // Those that were merged away meanwhile hold nothing any more, and what they held is not passed by under that name.
    const seen = rollup(hours);
    const those = seen.and(`_part IN ${seen.params.bind(parts, 'Array(String)')}`);
    const split = await runner.run<{ Hash: string }>(
      those,
      `SELECT toString(TraceHash) AS Hash ${those.from} GROUP BY TraceHash HAVING count() > 1 LIMIT ${mostSplit + 1}`,
    );
    if (split.length > mostSplit) return undefined;
    return { hours, parts, split: split.map(({ Hash }) => Hash) };
  }

  #memoryOf(store: ReadStore, ownParts: number, { context }: Scope): Memory {
    const memories = this.#stores.get(store) ?? new Map<string, Memory>();
    this.#stores.set(store, memories);
    const tenant = JSON.stringify([ownParts, context.projectId, context.environment]);
    const memory = memories.get(tenant) ?? {};
    // The one that was asked about longest ago goes first.
    memories.delete(tenant);
    memories.set(tenant, memory);
    const [oldest] = memories.keys();
    if (memories.size > MOST_TENANTS && oldest !== undefined) memories.delete(oldest);
    return memory;
  }
}

const covers = (outer: Window, inner: Window): boolean => outer.from <= inner.from && inner.to <= outer.to;

/** The condition that a row of the rollup is not its whole trace. @param scope the rows that are asked for */
export function isSplit(scope: Scope, { parts, split }: Look): string {
  const { params } = scope;
  const since = scope.and(`_part NOT IN ${params.bind(parts, 'Array(String)')}`);
  return `TraceHash IN ${params.hashes(split)} OR TraceHash GLOBAL IN (SELECT TraceHash ${since.from})`;
}

async function unlessTooFresh<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof StoreError && thrown.engineCode === SET_TOO_LARGE) return undefined;
    throw thrown;
  }
}
