import { INPUT_TOKENS_SQL, OUTPUT_TOKENS_SQL } from '../queries/core/gen-ai.ts';
import { ENDED } from '../schema/tables.ts';
import { type Figure, figureOfGroup, type RollupColumn } from './rollup.ts';

interface Highest {
  /** The field of spans, as filters name it. */
  readonly field: string;
  readonly column: string;
  readonly type: 'UInt64' | 'Float64';
  /** What a filter's number is times, to be compared. */
  readonly scale: number;
  /** The number of a span by its columns, and its name in the common stage; 0 where it has none. */
  readonly value: string;
  readonly staged: string;
}

/**
 * The highest number of a field among the spans of something, a trace or a session: one of them is beyond a limit when
 * this is. In the unit of the column that filters on spans compare.
 */
export const HIGHEST: readonly Highest[] = [
  {
    field: 'duration_ms',
    column: 'LongestSpan',
    type: 'UInt64',
    scale: 1e6,
    value: `if(${ENDED}, Duration, 0)`,
    staged: 'EndedDuration',
  },
  {
    field: 'cost',
    column: 'DearestSpan',
    type: 'Float64',
    scale: 1,
    value: 'if(CostUsd > 0, assumeNotNull(CostUsd), 0)',
    staged: 'Price',
  },
  {
    field: 'input_tokens',
    column: 'MostInput',
    type: 'UInt64',
    scale: 1,
    value: INPUT_TOKENS_SQL,
    staged: 'AllInput',
  },
  {
    field: 'output_tokens',
    column: 'MostOutput',
    type: 'UInt64',
    scale: 1,
    value: OUTPUT_TOKENS_SQL,
    staged: 'AllOutput',
  },
];

/** What the common stage makes of a span for them. */
export const HIGHEST_STAGED: Readonly<Record<string, string>> = Object.fromEntries(
  HIGHEST.map(({ staged, value }) => [staged, value]),
);

/** The columns with what they are made of, in the common stage. */
export const HIGHEST_FIGURES: readonly (RollupColumn & Figure)[] = HIGHEST.map(
  ({ column, type, staged }) => ({
    name: column,
    type: `SimpleAggregateFunction(max, ${type})`,
    of: staged,
  }),
);

/** The same columns in a SELECT over rows of the common stage. */
export const HIGHEST_SQL = HIGHEST_FIGURES.map(
  (figure) => `${figureOfGroup(figure, figure)} AS ${figure.name}`,
).join(', ');
