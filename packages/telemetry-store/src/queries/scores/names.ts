import type { ReadContext } from '../core/snapshot.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { SCORES } from './source.ts';

/** A name of scores, and how many there are of it. */
export interface ScoreName {
  readonly name: string;
  readonly scores: number;
}

/** The most frequent names of scores given since a point in time (nanoseconds), as fields of spans: `score.<name>`. */
export function scoreNames(
  runner: Runner,
  context: ReadContext,
  input: { readonly since: bigint; readonly limit: number },
): Promise<ScoreName[]> {
  const all = Scope.of(context, SCORES);
  const scope = all.and(`Timestamp >= ${all.params.time(input.since)}`).and(`ErrorType = ''`);
  return runner.run<ScoreName>(
    scope,
    `SELECT toString(Name) AS name, toFloat64(count()) AS scores ${scope.from}
     GROUP BY name ORDER BY scores DESC, name LIMIT ${input.limit}`,
  );
}
