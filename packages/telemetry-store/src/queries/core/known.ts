import { canonicalFilter, type Filter, type FilterCondition, scaled } from '@candela/contract';
import { HIGHEST } from '../../rollups/highest.ts';
import { FAILED_HASHES, failedHash, isKept, VALUE_LISTS } from '../../rollups/value-hashes.ts';
import { type Join, JOINED } from './join.ts';
import type { Params } from './params.ts';

/** What a rollup that adds up the spans of something, a trace or a session, knows by itself of a filter on spans. */
export interface Known {
  /** A condition on the rows of one such thing, for `HAVING` unless it has but one, that all with a matching span fulfil. */
  readonly sql: (params: Params, join?: Join) => string;
  /** No other fulfils it. */
  readonly enough: boolean;
}

/** What the rollup knows of a single condition; undefined when nothing. */
type KnownCondition = (condition: FilterCondition) => Known | undefined;

/** What the rollup knows of a filter; undefined when nothing, and then only the spans can tell. */
export const knownOf = (filter: Filter): Known | undefined => known(canonicalFilter(filter, 'spans'));

function known(filter: Filter): Known | undefined {
  if ('and' in filter) {
    const errors = filter.and.filter(isError);
    const others = filter.and.filter((part) => !isError(part));
    if (errors.length === 0 || others.length === 0) return all(filter.and.map(known));
    const together = others.map((part) => anyOf(part, failedWith));
    if (together.every((part) => part === undefined)) return all(filter.and.map(known));
    return all(others.map((part, index) => together[index] ?? known(part)));
  }
  return 'or' in filter ? anyOf(filter, known) : 'not' in filter ? undefined : told(filter);
}

/** Two conditions may be met by different spans; one alone says the same of a span and of what it belongs to. */
function all(parts: readonly (Known | undefined)[]): Known | undefined {
  const some = parts.flatMap((part) => part ?? []);
  const [only] = some;
  return only === undefined || parts.length === 1 ? only : joined(some, 'AND', false);
}

/** What is known of each alternative of a filter; undefined where one may be met by whatever. */
function anyOf(filter: Filter, of: (one: Filter) => Known | undefined): Known | undefined {
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
  sql: (params, join) => `(${parts.map(({ sql }) => sql(params, join)).join(` ${word} `)})`,
  enough,
});

/** One of its spans failed: `status:error`. */
const failed: KnownCondition = (condition) =>
  isError(condition) ? { sql: (_, { sum } = JOINED) => `${sum('Errors')} > 0`, enough: true } : undefined;

/** One of its spans has that service, model, operation, agent, provider or name: those of a rollup with `VALUE_HASHES`. */
const listed: KnownCondition = (condition) =>
  among(condition, ({ column }, value) => [column, `cityHash64(${value})`]);

/** A failed one of its spans has. */
const failedWith = (filter: Filter): Known | undefined =>
  isCondition(filter)
    ? among(filter, (list, value) => [FAILED_HASHES.name, failedHash(list, value)])
    : undefined;

function among(
  { field, op, value }: FilterCondition,
  of: (list: (typeof VALUE_LISTS)[number], value: string) => readonly [column: string, hash: string],
): Known | undefined {
  const list = VALUE_LISTS.find((one) => one.field === field);
  if (list === undefined || op !== '=' || typeof value !== 'string' || !isKept(list, value)) return undefined;
  return {
    sql: (params, { max } = JOINED) =>
      `${max(`has(${of(list, params.bind(value, 'String')).join(', ')})`)} = 1`,
    enough: true,
  };
}

const LEAST: ReadonlySet<string> = new Set(['>', '>=', '=', 'in', 'between']);

/** One of its spans is beyond that limit: takes longer, costs more. The rollup keeps the highest number, 0 where no span has one. */
const beyond: KnownCondition = ({ field, op, value }) => {
  const highest = HIGHEST.find((one) => one.field === field);
  if (highest === undefined || !LEAST.has(op)) return undefined;
  const least = Math.min(...[value].flat().map(Number));
  const strictly = op === '>';
  if (!(strictly ? least >= 0 : least > 0)) return undefined;
  return {
    sql: (params, { max } = JOINED) =>
      `${max(highest.column)} ${strictly ? '>' : '>='} ${params.bind(scaled(least, highest.scale), 'Float64')}`,
    enough: strictly || op === '>=',
  };
};

/** All that the rollups of traces and of sessions know of a condition. */
const told: KnownCondition = (condition) => failed(condition) ?? listed(condition) ?? beyond(condition);
