import { canonicalFilter, type Filter, type FilterCondition, scaled } from '@candela/contract';
import { HIGHEST } from '../../rollups/highest.ts';
import { FAILED_HASHES, failedHash, isKept, VALUE_LISTS } from '../../rollups/value-hashes.ts';
import type { Params } from './params.ts';

/** What a rollup that adds up the spans of something, a trace or a session, knows by itself of a filter on spans. */
export interface Known {
  /** A condition on the rows of one such thing, for `HAVING` unless it has but one, that all with a matching span fulfil. */
  readonly sql: (params: Params) => string;
  /** No other fulfils it. */
  readonly enough: boolean;
}

/** What the rollup knows of a part of a filter; undefined when nothing. */
type Knows<Part extends Filter = Filter> = (part: Part) => Known | undefined;

/**
 * What the rollup knows of a filter; undefined when nothing, and then only the spans can tell.
 * @param repriced the rollup does not know the highest cost as people see it
 */
export const knownOf = (filter: Filter, repriced = false): Known | undefined => {
  const canonical = canonicalFilter(filter, 'spans');
  return repriced && asksCost(canonical) ? undefined : known(canonical);
};

const asksCost = (filter: Filter): boolean =>
  'and' in filter
    ? filter.and.some(asksCost)
    : 'or' in filter
      ? filter.or.some(asksCost)
      : 'not' in filter
        ? asksCost(filter.not)
        : filter.field === 'cost';

const known: Knows = (filter) => {
  if ('and' in filter) {
    const errors = filter.and.filter(isError);
    const others = filter.and.filter((part) => !isError(part));
    const each = (parts: readonly Filter[]) => parts.map((part) => known(part));
    if (errors.length === 0 || others.length === 0) return all(each(filter.and));
    const together = others.map((part) => anyOf(part, failedWith));
    if (together.every((part) => part === undefined)) return all(each(filter.and));
    return all(others.map((part, index) => together[index] ?? known(part)));
  }
  return 'or' in filter ? anyOf(filter, known) : 'not' in filter ? undefined : told(filter);
};

/** Two conditions may be met by different spans; one alone says the same of a span and of what it belongs to. */
function all(parts: readonly (Known | undefined)[]): Known | undefined {
  const some = parts.flatMap((part) => part ?? []);
  const [only] = some;
  return only === undefined || parts.length === 1 ? only : joined(some, 'AND', false);
}

/** What is known of each alternative of a filter; undefined where one may be met by whatever. */
function anyOf(filter: Filter, of: Knows): Known | undefined {
  if (!('or' in filter)) return of(filter);
  const parts = filter.or.flatMap((part) => anyOf(part, of) ?? []);
  return parts.length < filter.or.length
    ? undefined
    : joined(
        parts,
        'OR',
        parts.every(({ enough }) => enough),
      );
}

const isCondition = (filter: Filter): filter is FilterCondition =>
  !('and' in filter || 'or' in filter || 'not' in filter);

const isError = (filter: Filter): boolean =>
  isCondition(filter) && filter.field === 'status' && filter.op === '=' && filter.value === 'error';

const joined = (parts: readonly Known[], word: 'AND' | 'OR', enough: boolean): Known => ({
  sql: (params) => `(${parts.map(({ sql }) => sql(params)).join(` ${word} `)})`,
  enough,
});

/** One of its spans failed: `status:error`. */
const failed: Knows<FilterCondition> = (condition) =>
  isError(condition) ? { sql: () => 'sum(Errors) > 0', enough: true } : undefined;

/** One of its spans has that service, model, operation, agent, provider or name: those of a rollup with `VALUE_HASHES`. */
const listed: Knows<FilterCondition> = (condition) =>
  among(condition, ({ column }, value) => [column, `cityHash64(${value})`]);

/** A failed one of its spans has. */
const failedWith: Knows = (filter) =>
  isCondition(filter)
    ? among(filter, (list, value) => [FAILED_HASHES.name, failedHash(list, value)])
    : undefined;

function among(
  condition: FilterCondition,
  of: (list: (typeof VALUE_LISTS)[number], value: string) => readonly [column: string, hash: string],
): Known | undefined {
  const list = VALUE_LISTS.find((one) => one.field === condition.field);
  const values = valuesOf(condition);
  if (list === undefined || values === undefined || !values.every((value) => isKept(list, value)))
    return undefined;
  const [first] = values;
  if (first === undefined) return { sql: () => '0', enough: true };
  // All values as one of the statement: the engine plans for each.
  const hasOneOf = (params: Params): string => {
    if (values.length === 1) return `has(${of(list, params.bind(first, 'String')).join(', ')})`;
    const [column, hash] = of(list, 'value');
    return `hasAny(${column}, arrayMap(value -> ${hash}, ${params.bind(values, 'Array(String)')}))`;
  };
  return {
    sql: (params) => `max(${hasOneOf(params)}) = 1`,
    enough: true,
  };
}

/** The values of which a span has to have one; undefined where they are not known. */
function valuesOf({ op, value }: FilterCondition): readonly string[] | undefined {
  if (op !== '=' && op !== 'in') return undefined;
  const values: readonly unknown[] = [value].flat();
  return values.every((one) => typeof one === 'string') ? values : undefined;
}

const LEAST: ReadonlySet<string> = new Set(['>', '>=', '=', 'in', 'between']);

/** One of its spans is beyond that limit: takes longer, costs more. The rollup keeps the highest number, 0 where no span has one. */
const beyond: Knows<FilterCondition> = ({ field, op, value }) => {
  const highest = HIGHEST.find((one) => one.field === field);
  if (highest === undefined || !LEAST.has(op)) return undefined;
  const least = Math.min(...[value].flat().map(Number));
  const strictly = op === '>';
  if (!(strictly ? least >= 0 : least > 0)) return undefined;
  return {
    sql: (params) =>
      `max(${highest.column}) ${strictly ? '>' : '>='} ${params.bind(scaled(least, highest.scale), 'Float64')}`,
    enough: strictly || op === '>=',
  };
};

/** All that the rollups of traces and of sessions know of a condition. */
const told: Knows<FilterCondition> = (condition) =>
  failed(condition) ?? listed(condition) ?? beyond(condition);
