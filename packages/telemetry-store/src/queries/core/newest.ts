import type { RequestContext } from '@candela/kernel';
import type { Runner } from './run.ts';
import { Scope, type Window } from './scope.ts';
import { slices } from './slices.ts';
import type { Source } from './source.ts';

export interface NewestInput {
  readonly window: Window;
  readonly rows: number;
  /** Narrows a scope to the rows that count. */
  readonly limit: (scope: Scope) => Scope;
}

export interface NewestPart {
  /** The end of the window that holds them: from the time of the last one on, or all of it when there are fewer. */
  readonly window: Window;
  /** Rows found: as many as asked for, or all there are. */
  readonly rows: number;
}

/**
 * Where the newest rows of a window lie. Reads the time and what the conditions need; wide columns are read
 * afterwards, from that part only.
 */
export async function newestPart(
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: NewestInput,
): Promise<NewestPart> {
  let rows = 0;
  for (const part of slices(input.window, true)) {
    const scope = input.limit(Scope.of(context, source).during(part));
    const [found] = await runner.run<{ C: number; Ns: string }>(
      scope,
      `SELECT count() AS C, toString(toUnixTimestamp64Nano(min(T))) AS Ns FROM (
         SELECT ${source.time} AS T ${scope.from} ORDER BY ${source.time} DESC LIMIT ${input.rows - rows})`,
    );
    rows += found?.C ?? 0;
    if (rows >= input.rows)
      return { window: { from: BigInt(found?.Ns ?? part.from), to: input.window.to }, rows };
  }
  return { window: input.window, rows };
}

/** Rows of all kinds among which wide columns may be read. */
const WIDE_SCAN = 250_000;
const FEWEST = 200;

/**
 * As {@link newestPart}, for reads of maps: where matching rows lie far apart, each costs a whole granule of them, so
 * fewer are taken.
 */
export async function newestWidePart(
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: NewestInput,
): Promise<NewestPart> {
  const few = await newestPart(runner, context, source, { ...input, rows: Math.min(FEWEST, input.rows) });
  if (few.rows < FEWEST) return few;
  const scope = Scope.of(context, source).during(few.window);
  const [all] = await runner.run<{ C: number }>(scope, `SELECT count() AS C ${scope.from}`);
  const rows = Math.min(input.rows, Math.floor((FEWEST * WIDE_SCAN) / Math.max(1, all?.C ?? 1)));
  return rows <= FEWEST * 2 ? few : newestPart(runner, context, source, { ...input, rows });
}
