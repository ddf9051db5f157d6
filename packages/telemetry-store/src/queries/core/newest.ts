import type { RequestContext } from '@candela/kernel';
import type { Runner } from './run.ts';
import { Scope, type Window } from './scope.ts';
import { slices } from './slices.ts';
import type { Source } from './source.ts';

/**
 * The end of a window that holds its newest rows: at least `rows` of them, or all there are. Reads the time and what
 * the conditions need; wide columns are read afterwards, from that part only.
 */
export async function newestPart(
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: {
    readonly window: Window;
    readonly rows: number;
    /** Narrows a scope to the rows that count. */
    readonly limit: (scope: Scope) => Scope;
  },
): Promise<Window> {
  let missing = input.rows;
  for (const part of slices(input.window, true)) {
    const scope = input.limit(Scope.of(context, source).during(part));
    const [found] = await runner.run<{ C: number; Ns: string }>(
      scope,
      `SELECT count() AS C, toString(toUnixTimestamp64Nano(min(T))) AS Ns FROM (
         SELECT ${source.time} AS T ${scope.from} ORDER BY ${source.time} DESC LIMIT ${missing})`,
    );
    missing -= found?.C ?? 0;
    if (missing <= 0) return { from: BigInt(found?.Ns ?? part.from), to: input.window.to };
  }
  return input.window;
}
