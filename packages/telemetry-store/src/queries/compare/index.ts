import type { ComparedField, ComparedNumber, EventKind, Filter } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { withSnapshot } from '../core/snapshot.ts';
import { type ReadStores, signalOfTable } from '../core/stores.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import { FIELD_SOURCES } from '../fields/index.ts';
import { scoreNames } from '../scores/names.ts';
import { FAILURE, mayExplain, numberMayExplain, restatesFailure } from './outcome.ts';
import { type NumberField, rankFields, rankNumbers, type Totals } from './rank.ts';
import { comparedFields, sampleNumbers, sampleValues } from './sample.ts';
import { layStrata, type Sides } from './strata.ts';

export interface CompareInput extends Sides {
  readonly limit: number;
}

export interface Comparison {
  readonly selection: { readonly rows: number; readonly sampled: number };
  readonly rest: { readonly rows: number; readonly sampled: number };
  /** True when `rows` are estimated. */
  readonly estimated: boolean;
  readonly fields: ComparedField[];
  readonly numbers: ComparedNumber[];
}

/** Reads that compare. @throws bad_query, query_too_expensive, store_unavailable */
export interface CompareQueries {
  /** What differs between a selection of the matching rows and the rest of them, or those of another window. */
  compare(
    context: RequestContext,
    signal: EventKind,
    input: CompareInput,
    abort?: AbortSignal,
  ): Promise<Comparison>;
}

/** Names of scores that are compared, the most frequent. */
const MOST_SCORES = 20;

const TOKENS: readonly NumberField[] = [
  { field: 'input_tokens', unit: 'tokens' },
  { field: 'output_tokens', unit: 'tokens' },
  { field: 'cost', unit: 'usd' },
];
const NUMBERS: Record<EventKind, readonly NumberField[]> = {
  spans: [{ field: 'duration_ms', unit: 'ms' }, { field: 'ttft_ms', unit: 'ms' }, ...TOKENS],
  logs: TOKENS,
};

export function createCompareQueries(stores: ReadStores, limits: QueryLimits): CompareQueries {
  return {
    async compare(context, signal, input, abort) {
      const own = runner(stores, limits, 'compare', abort);
      const source = FIELD_SOURCES[signal];
      const { before, window, selection } = input;
      if (before !== undefined && before.from < window.to && window.from < before.to)
        throw fail('bad_query', {
          detail:
            'The period to compare with has times in common with the period itself: take one before or after it.',
        });
      return withSnapshot(stores, context, signalOfTable(source.table), async (store) => {
        const seen = { ...store, anyScores: before !== undefined };
        const { sides, strata } = await layStrata(own, seen, source, input);
        const rows = { selection: sum(strata.selection), rest: sum(strata.rest) };
        if (rows.selection + rows.rest === 0) {
          const none = { rows: 0, sampled: 0 };
          return { selection: none, rest: none, estimated: strata.estimated, fields: [], numbers: [] };
        }
        // What the selection is made by differs by definition, but not from the same selection at another time.
        const obvious = new Set(before !== undefined || selection === undefined ? [] : fieldsIn(selection));
        const failure = FAILURE.some((field) => obvious.has(field));
        const scores =
          source.signal === 'spans'
            ? await scoreNames(own, seen, { since: window.from, limit: MOST_SCORES })
            : [];
        const fields = [
          ...comparedFields(source, obvious),
          ...scores.map(({ name }) => `score.${name}`).filter((field) => !obvious.has(field)),
        ].filter((field) => mayExplain(field, failure));
        const numbers = NUMBERS[signal].filter(
          ({ field }) => !obvious.has(field) && numberMayExplain(field, failure),
        );
        const read = { sides, strata };
        const [values, sampled] = await Promise.all([
          sampleValues(own, seen, source, { ...read, fields }),
          sampleNumbers(own, seen, source, { ...read, fields: numbers.map(({ field }) => field) }),
        ]);
        const side = (selected: boolean) => {
          const mine = sampled.filter((row) => row.selected === selected);
          return { weight: sum(mine.map(({ weight }) => weight)), sampled: mine.length };
        };
        const totals: Totals = { selection: side(true), rest: side(false) };
        return {
          selection: { rows: rows.selection, sampled: totals.selection.sampled },
          rest: { rows: rows.rest, sampled: totals.rest.sampled },
          estimated: strata.estimated,
          fields: rankFields(
            values.filter(({ field }) => !obvious.has(field) && mayExplain(field, failure)),
            totals,
            input.limit,
            new Set(failure ? values.map(({ field }) => field).filter(restatesFailure) : []),
          ),
          numbers: rankNumbers(sampled, numbers),
        };
      });
    },
  };
}

function fieldsIn(filter: Filter): string[] {
  if ('and' in filter) return filter.and.flatMap(fieldsIn);
  if ('or' in filter) return filter.or.flatMap(fieldsIn);
  return 'not' in filter ? fieldsIn(filter.not) : [filter.field];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
