import { canonicalFilter, type Filter, type FilterCondition, scaled } from '@candela/contract';
import { HIGHEST } from '../../rollups/highest.ts';
import { VALUE_LISTS } from '../../rollups/value-hashes.ts';
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
    const parts = filter.and.flatMap((part) => known(part) ?? []);
    // Two conditions may be met by different spans; one alone says the same of a span and of what it belongs to.
    const [only] = parts;
    if (only === undefined || filter.and.length === 1) return only;
    return joined(parts, 'AND', false);
  }
  if ('or' in filter) {
    const parts = filter.or.flatMap((part) => known(part) ?? []);
    return parts.length < filter.or.length
      ? undefined
      : joined(
          parts,
          'OR',
          parts.every(({ enough }) => enough),
        );
  }
  return 'not' in filter ? undefined : told(filter);
}

const joined = (parts: readonly Known[], word: 'AND' | 'OR', enough: boolean): Known => ({
  sql: (params, join) => `(${parts.map(({ sql }) => sql(params, join)).join(` ${word} `)})`,
  enough,
});

/** One of its spans failed: `status:error`. */
const failed: KnownCondition = ({ field, op, value }) =>
  field === 'status' && op === '=' && value === 'error'
    ? { sql: (_, { sum } = JOINED) => `${sum('Errors')} > 0`, enough: true }
    : undefined;

/** One of its spans has that service, model, operation, agent or provider: those of a rollup with `VALUE_HASHES`. */
const listed: KnownCondition = ({ field, op, value }) => {
  const list = VALUE_LISTS.find((one) => one.field === field);
  if (list === undefined || op !== '=' || typeof value !== 'string' || value === '') return undefined;
  return {
    sql: (params, { max } = JOINED) =>
      `${max(`has(${list.column}, cityHash64(${params.bind(value, 'String')}))`)} = 1`,
    enough: true,
  };
};

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
