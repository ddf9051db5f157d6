import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Basis, basisOf } from '../core/basis.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { SeenNumbers } from '../core/seen-numbers.ts';
import { shareOfMatching } from '../spans/share.ts';
import { SPANS } from '../spans/span-fields.ts';
import { leadsToAPage } from './guess.ts';

/** The hash of what has no id, in SQL. */
export const NOBODY = "cityHash64('')";

/** Hashes of those that match are told up to so many: as a value of a statement they are less than a server takes in one, 128 KiB. */
const MOST_TOLD = 5_000;

/** So few are put in their order along with their figures: of more, the figures of a page alone are sooner read. */
export const FEW = 150;

interface Asked {
  /** The column of the hash of the ids of what is listed. */
  readonly hash: 'SessionHash' | 'UserHash';
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Whether only the spans know who matches. */
  readonly asksSpans: boolean;
  /** Whether a part of the list is better than all of it later. */
  readonly hurried: boolean;
  /** Rows of a page. */
  readonly limit: number;
  /** The name of the list in what is remembered. */
  readonly seen: string;
  /** Which part of all matched. */
  readonly shares: SeenNumbers;
}

interface Matching {
  readonly basis: Basis;
  /** Which part of all matches, about; undefined where that is of no use: the rollup knows, an index told, or only a part of the spans is asked. */
  readonly share?: number;
  /** The hashes of all that match, where they are few and known by now. */
  readonly matching?: readonly string[];
}

/** What the spans tell of who matches before the rollup is asked for an order. */
export async function whoMatches(runner: Runner, context: RequestContext, asked: Asked): Promise<Matching> {
  const { hash, window, filter, asksSpans, hurried, limit, seen, shares } = asked;
  const basis = await basisOf(runner, context, SPANS, { window, filter, hurried, limit });
  if (filter === undefined || !asksSpans || basis.share !== null) return { basis };
  const scope = Scope.of(context, SPANS).during(window).matching(filter);
  const { readsTexts, usesTextIndex } = scope.params;
  const many = `${seen} many`;
  const told = async (): Promise<readonly string[] | undefined> => {
    // Where there turn out to be more the spans are asked once more: that should not be all of their texts.
    if (readsTexts || shares.get(many) !== undefined) return undefined;
    // What has no id is among them: to leave it out costs a quarter more.
    const found = await runner.run<{ Hash: string }>(
      scope,
      `SELECT DISTINCT toString(${hash}) AS Hash ${scope.from} LIMIT ${MOST_TOLD + 1}`,
    );
    if (found.length <= MOST_TOLD) return found.map(({ Hash }) => Hash);
    shares.set(many, 1);
    return undefined;
  };
  let share = shares.get(seen);
  let matching: readonly string[] | undefined;
  if (share === undefined) {
    // An index of words is sooner asked than a sample, which reads texts. Where it tells more, their words may be those of many spans.
    matching = usesTextIndex ? await told() : undefined;
    if (matching !== undefined && matching.length <= FEW) return { basis, matching };
    const when = `${hash} != ${NOBODY}`;
    share = await shareOfMatching(runner, context, { window, filter, of: hash, when });
    shares.set(seen, share);
  }
  if (leadsToAPage(basis.limit + 1, share)) return { basis, share };
  matching ??= await told();
  return matching === undefined ? { basis, share } : { basis, share, matching };
}
