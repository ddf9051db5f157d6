import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { among, type Key } from './latest.ts';

interface Asked {
  /** The column of the hash of its id, of a span as of the rollup. */
  readonly hash: 'SessionHash' | 'UserHash';
  readonly window: Window;
  /** Which spans it has at least one of. */
  readonly filter: Filter;
  /** Keys wanted. */
  readonly limit: number;
  /** See {@link shareOfMatching}. */
  readonly share: number;
  /** The first so many of all, whatever their spans are like. */
  readonly candidates: (limit: number) => Promise<readonly Key[]>;
  /** When these began. */
  readonly starts: (keys: readonly Key[]) => Promise<ReadonlyMap<string, string>>;
}

/** Candidates beyond those that the sample says are needed: a quarter, and a few. */
const SPARE = 10;
/** Of more candidates than this too few match: all spans are asked instead. */
const MAX_CANDIDATES = 256;
/**
 * Parts of the window of which the spans are asked about candidates, one after another; at last all that they take up. Of
 * those in between, where hardly any is expected not to match: one that does not has to be looked for everywhere anyway.
 */
const ROUNDS = [32n, 1n];
const HOPEFUL_ROUNDS = [32n, 8n, 1n];
const HOPEFUL_SHARE = 0.9;
const SECOND = 1_000_000_000n;

const candidatesFor = (limit: number, share: number): number => Math.ceil((limit / share) * 1.25) + SPARE;

/** Whether the first of all are likely to lead to so many keys of which this share matches. */
export const leadsToAPage = (limit: number, share: number): boolean =>
  candidatesFor(limit, share) <= MAX_CANDIDATES;

/**
 * The first keys of a list whose filter only the spans know, without asking all of them. Where a sample says that many
 * match, the candidates come in their order from the rollup alone, and the spans are asked about these: near their end
 * at first, for one matching span is enough. The answer is exact: nobody is left out before all of his spans were asked.
 * Undefined where this does not lead to a page, and all matching spans have to be read.
 */
export async function guessedKeys(
  runner: Runner,
  context: RequestContext,
  asked: Asked,
): Promise<readonly Key[] | undefined> {
  if (!leadsToAPage(asked.limit, asked.share)) return undefined;
  const count = candidatesFor(asked.limit, asked.share);
  let keys = await asked.candidates(count);
  const all = keys.length < count;
  const verdicts = new Map<string, boolean>();
  for (const part of asked.share < HOPEFUL_SHARE ? ROUNDS : HOPEFUL_ROUNDS) {
    const open = keys.filter(({ Hash }) => !verdicts.has(Hash));
    const matching = keys.filter(({ Hash }) => verdicts.get(Hash) === true).length;
    // What is left takes a look at everything: for most of a page that is no gain.
    if (part === 1n && matching < asked.limit / 2 && !all) return undefined;
    const windows = lastWindows(open, asked.window, part);
    const found = await matchingOf(runner, context, asked, open, windows);
    for (const { Hash } of open) if (found.has(Hash)) verdicts.set(Hash, true);
    keys = await begun(asked, reach(keys, verdicts, asked.limit), verdicts);
    const begins = new Map(keys.map(({ Hash, StartNs }) => [Hash, StartNs]));
    open.forEach(({ Hash }, index) => {
      const begin = begins.get(Hash);
      const during = windows[index];
      // All of its spans were asked.
      if (!found.has(Hash) && begin !== undefined && during !== undefined && during.from <= BigInt(begin))
        verdicts.set(Hash, false);
    });
    const page = pageOf(keys, verdicts, asked.limit);
    if (page !== undefined) return page.length === asked.limit || all ? page : undefined;
  }
  return undefined;
}

/** The same keys, those without a verdict with when they began. */
async function begun(
  asked: Asked,
  keys: readonly Key[],
  verdicts: ReadonlyMap<string, boolean>,
): Promise<readonly Key[]> {
  const open = keys.filter(({ Hash, StartNs }) => StartNs === undefined && !verdicts.has(Hash));
  if (open.length === 0) return keys;
  const starts = await asked.starts(open);
  return keys.map((key) => ({ ...key, StartNs: key.StartNs ?? starts.get(key.Hash) }));
}

/** Those up to the last one of a page, as far as it is known who matches: nobody behind can belong to it. */
function reach(keys: readonly Key[], verdicts: ReadonlyMap<string, boolean>, limit: number): readonly Key[] {
  let matching = 0;
  const last = keys.findIndex(({ Hash }) => verdicts.get(Hash) === true && ++matching === limit);
  return last === -1 ? keys : keys.slice(0, last + 1);
}

/** The first of them that match, at most so many; undefined while one in between is open. */
function pageOf(
  keys: readonly Key[],
  verdicts: ReadonlyMap<string, boolean>,
  limit: number,
): Key[] | undefined {
  const page: Key[] = [];
  for (const key of keys) {
    if (page.length === limit) return page;
    const verdict = verdicts.get(key.Hash);
    if (verdict === undefined) return undefined;
    if (verdict) page.push(key);
  }
  return page;
}

/** For each the end of its time, as long as they may be for taking up that part of the window together. */
function lastWindows(keys: readonly Key[], window: Window, part: bigint): Window[] {
  const times = keys.map(({ StartNs, LastNs }) => {
    const last = BigInt(LastNs) + 1n;
    return {
      from: StartNs === undefined ? window.from : BigInt(StartNs),
      to: last < window.to ? last : window.to,
    };
  });
  if (part === 1n) return times;
  const ending = (length: bigint) =>
    times.map(({ from, to }) => ({ from: to - length > from ? to - length : from, to }));
  let length = SECOND;
  while (
    length < window.to - window.from &&
    lengthOf(ending(length * 2n)) <= (window.to - window.from) / part
  )
    length *= 2n;
  return ending(length);
}

/** Windows without overlaps, in the order of time. */
function joined(windows: readonly Window[]): Window[] {
  const parts: { from: bigint; to: bigint }[] = [];
  for (const { from, to } of windows.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = parts.at(-1);
    if (last === undefined || last.to < from) parts.push({ from, to });
    else if (last.to < to) last.to = to;
  }
  return parts;
}

const lengthOf = (windows: readonly Window[]): bigint =>
  joined(windows).reduce((sum, { from, to }) => sum + to - from, 0n);

/** Those of which a matching span began in one of the windows; of others that it did elsewhere may be told, too. */
async function matchingOf(
  runner: Runner,
  context: RequestContext,
  { hash, filter }: Asked,
  keys: readonly Key[],
  windows: readonly Window[],
): Promise<Set<string>> {
  const parts = joined(windows);
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return new Set();
  const near = Scope.of(context, SPANS).during({ from: first.from, to: last.to }).indexed(parts);
  const scope = near.matching(filter).and(among(near, hash, keys));
  const rows = await runner.run<{ Hash: string }>(
    scope,
    `SELECT toString(${hash}) AS Hash ${scope.from} GROUP BY ${hash}`,
  );
  return new Set(rows.map(({ Hash }) => Hash));
}
