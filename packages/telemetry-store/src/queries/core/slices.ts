import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { readsOf } from './long-work.ts';
import type { Runner } from './run.ts';
import { Scope, type Window } from './scope.ts';
import type { Source } from './source.ts';

const SECOND = 1_000_000_000n;
/** Much traffic fills a page from minutes. */
const FIRST = 120n * SECOND;
/**
 * Widths from there on: little traffic needs weeks. After a quiet night a whole day at once would be read for what the
 * four hours before it hold.
 */
const WIDER = [...[3_600n, 14_400n, 86_400n, 2_592_000n].map((seconds) => seconds * SECOND), undefined];

/**
 * Cuts a window into slices that grow away from where a list starts. The store finds the newest (or oldest) rows of
 * a slice without looking at the rest of it, but it opens every part that reaches into the slice: of a long window
 * that would be all of them.
 */
export function* slices(
  window: Window,
  newestFirst: boolean,
  widths: readonly (bigint | undefined)[] = [FIRST, ...WIDER],
): Generator<Window> {
  let rest = window;
  for (const width of widths) {
    if (rest.from >= rest.to) return;
    const [slice, beyond] = cut(rest, newestFirst, width);
    yield slice;
    rest = beyond;
  }
}

/** A part of a window in which a page looks for its next rows. */
export interface Slice extends Window {
  /** Settings for its statement; mostly none. */
  readonly settings: string;
}

interface Page {
  readonly window: Window;
  readonly newestFirst: boolean;
  readonly filter: Filter | undefined;
  /** Rows of a full page. */
  readonly wanted: number;
  /** Rows found up to now. */
  readonly found: () => number;
  readonly patience: Patience;
}

/** How long a page looks for more rows once it has some: with none given until it is full. */
export class Patience {
  readonly #from = performance.now();
  readonly #ms: number;

  private constructor(ms: number) {
    this.#ms = ms;
  }

  /**
   * Only where texts or attributes of every row are read is it worth while to end before a page is full: all else is found
   * so soon that a second request would take longer.
   */
  static of(
    context: RequestContext,
    source: Source,
    { filter, patienceMs }: { readonly filter: Filter | undefined; readonly patienceMs?: number | undefined },
  ): Patience {
    const reads = patienceMs === undefined ? undefined : readsOf(context, source, filter);
    const ends = patienceMs !== undefined && (reads?.readsTexts === true || reads?.readsMaps === true);
    return new Patience(ends ? patienceMs : Infinity);
  }

  /** Milliseconds left, none at the least. */
  get left(): number {
    return Math.max(this.#ms - (performance.now() - this.#from), 0);
  }

  /**
   * Whether a page with these rows ends where its last slice did: `edge`, where the next one begins, in nanoseconds. Nothing
   * when it goes on, because it has none yet or there is time left, or when its window ends there anyway.
   */
  endsAt(slice: Window, window: Window, newestFirst: boolean, found: number): bigint | undefined {
    if (found === 0 || this.left > 0) return undefined;
    if (newestFirst) return slice.from > window.from ? slice.from : undefined;
    return slice.to < window.to ? slice.to : undefined;
  }
}

/**
 * Read in the order of time, a slice ends where the page is full, but in one thread and in small blocks. Where most of it has
 * to be looked at anyway, that takes a third more work and twice the time. The others let both cores read little, too.
 */
export const AT_ONCE = `SETTINGS optimize_read_in_order = 0,
  merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 1048576`;

/**
 * {@link slices} for a page of rows that match a filter, for `for await`. Where it reads long texts which no index spares, the first minutes that
 * have rows tell how rare matching ones are, what has no rows is passed by, and what follows is no longer than
 * the rest of the page needs and read at once.
 */
export async function* slicesOfPage(
  runner: Runner,
  context: RequestContext,
  source: Source,
  { window, newestFirst, filter, wanted, found, patience }: Page,
): AsyncGenerator<Slice> {
  const { readsTexts, usesTextIndex } = readsOf(context, source, filter);
  if (!readsTexts && usesTextIndex) {
    // The index tells the rows of all of the window at once, and where it is asked again and again, it is read again and again.
    yield { ...window, settings: '' };
    return;
  }
  if (!readsTexts) {
    for (const slice of slices(window, newestFirst)) yield { ...slice, settings: '' };
    return;
  }
  if (window.from >= window.to) return;
  let [slice, rest] = cut(window, newestFirst, FIRST);
  let began = performance.now();
  // Asked meanwhile: where it is needed after all, nobody waits for it, and it reads next to nothing.
  const beyond = firstTime(runner, context, source, rest, newestFirst);
  beyond.catch(() => undefined);
  yield { ...slice, settings: '' };
  if (found() === 0) {
    const start = await beyond;
    if (start === undefined) return;
    [slice, rest] = cut(startingAt(start, rest, newestFirst), newestFirst, FIRST);
    began = performance.now();
    yield { ...slice, settings: '' };
  }
  let looked = lengthOf(slice);
  let lastBegan = began;
  for (let short = 0; rest.from < rest.to; short += 1) {
    const now = performance.now();
    const took = { allMs: now - began, lastMs: now - lastBegan };
    lastBegan = now;
    const most = soonRead(looked, took, patience.left, found());
    const wider = most === FOREVER ? WIDER.find((one) => one === undefined || one > looked) : most;
    const width = found() === 0 ? wider : reachOf(looked, found(), wanted, short);
    [slice, rest] = cut(rest, newestFirst, width === undefined || width > most ? most : width);
    yield { ...slice, settings: AT_ONCE };
    looked += lengthOf(slice);
  }
}

const FOREVER = 2n ** 63n;
/** A slice that took less was passed by by the index, or held two granules of texts on a fast machine. */
const PASSED_BY_MS = 25;

/** How long something took: all slices until now, and the last of them. */
interface Took {
  readonly allMs: number;
  readonly lastMs: number;
}

/**
 * How long a slice can be to be read in the time that is left, by what took so long until now: twice as long as that at the
 * least. Where texts were read and none of them matched, the next may be in a part of what is left, too; where the index may
 * have told, it is looked for further away, but not so far that it takes long when texts were read after all.
 */
function soonRead(looked: bigint, { allMs, lastMs }: Took, leftMs: number, found: number): bigint {
  if (leftMs === Infinity) return FOREVER;
  const least = found > 0 ? 2n : lastMs < PASSED_BY_MS ? FURTHER * 2n : FURTHER;
  const times = Math.max(leftMs / Math.max(allMs, 1), Number(least));
  return (looked * BigInt(Math.ceil(times * 1_000))) / 1_000n;
}

const lengthOf = ({ from, to }: Window): bigint => to - from;

/** Few rows tell little: no slice is so many times longer than what they were found in. */
const FURTHER = 5n;

/**
 * How much further a page reaches that has found so many: the usual deviation is added. Reading too little costs
 * another statement, reading too much costs what it reads. Each time that it fell short the least it reaches doubles, so that
 * a page whose last row is far away takes few statements.
 */
function reachOf(looked: bigint, found: number, wanted: number, short: number): bigint {
  const missing = Math.max(wanted - found, 1);
  const share = (missing / found) * (1 + Math.sqrt(1 / found + 1 / missing));
  const reach = (looked * BigInt(Math.ceil(share * 1_000))) / 1_000n;
  const least = (looked << BigInt(short)) / 8n;
  const most = FURTHER * looked;
  const within = reach < most ? reach : most;
  return [FIRST, least, within].reduce((one, other) => (one > other ? one : other));
}

const startingAt = (time: bigint, { from, to }: Window, newestFirst: boolean): Window =>
  newestFirst ? { from, to: time + 1n } : { from: time, to };

/** The near end of a window, so long at most, and the rest. */
function cut({ from, to }: Window, newestFirst: boolean, width = to - from): readonly [Window, Window] {
  const part = to - from < width ? to - from : width;
  const edge = newestFirst ? to - part : from + part;
  const early = { from, to: edge };
  const late = { from: edge, to };
  return newestFirst ? [late, early] : [early, late];
}

/** When the first row of a window in the order of time was. */
async function firstTime(
  runner: Runner,
  context: RequestContext,
  source: Source,
  window: Window,
  newestFirst: boolean,
): Promise<bigint | undefined> {
  for (const slice of slices(window, newestFirst, WIDER)) {
    const scope = Scope.of(context, source).during(slice);
    const [row] = await runner.run<{ Ns: string }>(
      scope,
      `SELECT toString(toUnixTimestamp64Nano(Timestamp)) AS Ns ${scope.from}
       ORDER BY Timestamp ${newestFirst ? 'DESC' : 'ASC'} LIMIT 1`,
    );
    if (row !== undefined) return BigInt(row.Ns);
  }
  return undefined;
}
