import { canonicalFilter, type Filter, type FilterCondition } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { alignedAround, LAST_BUCKET, LONGEST } from '../core/aligned.ts';
import { compileFilter, fieldOf } from '../core/filter.ts';
import { conditionName, isPattern, type Spelled } from '../core/known.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { COUNTED_SPANS_SOURCE } from './counted-spans-source.ts';

/** Patterns of one filter that are looked up, and values of each: of more the spans are asked. */
const MOST_PATTERNS = 4;
const MOST_VALUES = 100;

/**
 * The values of spans that patterns of a filter stand for, in the window and a little around it: `name:*cases` means those few
 * names, and of a name the rollups of traces and sessions know by themselves. Read from the rollup that counts spans by them.
 */
export async function spelledOut(
  runner: Runner,
  context: RequestContext,
  filter: Filter,
  window: Window,
): Promise<Spelled> {
  const patterns = patternsOf(canonicalFilter(filter, 'spans'));
  if (patterns.length === 0 || patterns.length > MOST_PATTERNS || window.to > LAST_BUCKET) return new Map();
  const found = await Promise.all(
    patterns.map(async (pattern) => {
      const values = await valuesOf(runner, context, pattern, window);
      return values.length > MOST_VALUES ? [] : [[conditionName(pattern), values] as const];
    }),
  );
  return new Map(found.flat());
}

/** Those that have to hold: of what must not match, values tell nothing. */
function patternsOf(filter: Filter): readonly FilterCondition[] {
  if ('and' in filter) return filter.and.flatMap(patternsOf);
  if ('or' in filter) return filter.or.flatMap(patternsOf);
  return 'not' in filter || !isPattern(filter) ? [] : [filter];
}

async function valuesOf(
  runner: Runner,
  context: RequestContext,
  pattern: FilterCondition,
  window: Window,
): Promise<readonly string[]> {
  const scope = Scope.of(context, COUNTED_SPANS_SOURCE).during(alignedAround(window, LONGEST));
  const field = fieldOf(COUNTED_SPANS_SOURCE, pattern.field);
  if (field.kind !== 'text') throw new RangeError(`${pattern.field} is no text`);
  const matching = scope.and(compileFilter(COUNTED_SPANS_SOURCE, pattern, scope.params));
  const rows = await runner.run<{ Value: string }>(
    matching,
    `SELECT DISTINCT ${field.show} AS Value ${matching.from} LIMIT ${MOST_VALUES + 1}`,
  );
  return rows.map(({ Value }) => Value);
}
