import type { RequestContext } from '@candela/kernel';
import { alignedAround, LONGEST } from '../core/aligned.ts';
import { settledWindow } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { NOBODY } from './matching.ts';

/** Those that lie across the ends of a window are told up to so many. */
const MOST_ACROSS = 1_000;

/** What lies just outside of a window, in the buckets of the rollup in which it begins and ends. */
export interface Ends {
  /** The window up to the end of its last bucket, where nothing lies between its own end and that. */
  readonly settled: Window;
  /**
   * The window for these alone: its whole buckets where none of them has a span outside of it there, so that what the rollup keeps is all
   * there is to read; else as settled.
   */
  readonly of: (hashes: readonly string[]) => Window;
}

/** Which sessions or users have spans in the first and the last bucket of a window that lie outside of it. */
export async function endsOf(
  runner: Runner,
  context: RequestContext,
  { hash, window }: { readonly hash: 'SessionHash' | 'UserHash'; readonly window: Window },
): Promise<Ends> {
  const whole = alignedAround(window, LONGEST);
  const outside = [
    { from: whole.from, to: window.from },
    { from: window.to, to: whole.to },
  ].filter(({ from, to }) => from < to);
  if (outside.length === 0) return { settled: window, of: () => window };
  const scope = Scope.of(context, SPANS).duringAny(outside).and(`${hash} != ${NOBODY}`);
  const late = `Timestamp >= ${scope.params.time(window.to)}`;
  const found = await runner.run<{ Hash: string; Late: number }>(
    scope,
    `SELECT DISTINCT toString(${hash}) AS Hash, ${late} AS Late ${scope.from} LIMIT ${MOST_ACROSS + 1}`,
  );
  if (found.length > MOST_ACROSS) {
    const settled = await settledWindow(runner, context, window);
    return { settled, of: () => settled };
  }
  const across = new Set(found.map(({ Hash }) => Hash));
  const settled = found.some(({ Late }) => Late === 1) ? window : { from: window.from, to: whole.to };
  return { settled, of: (hashes) => (hashes.some((one) => across.has(one)) ? settled : whole) };
}
