import { type Figure, figureOfGroup, type RollupColumn } from './rollup.ts';

interface ValueList {
  /** The field of spans, as filters name it. */
  readonly field: string;
  readonly column: string;
  /** What a span says of it, in the common stage. */
  readonly value: string;
}

/**
 * What the spans of something, a trace or a session, say: kept as sets of hashes, since only filters ask for it.
 * Reading and comparing hashes costs a fraction of texts.
 */
export const VALUE_LISTS: readonly ValueList[] = [
  { field: 'service', column: 'ServiceHashes', value: 'ServiceName' },
  { field: 'model', column: 'ModelHashes', value: 'Model' },
  { field: 'operation', column: 'OperationHashes', value: 'GenAiOperation' },
  { field: 'agent', column: 'AgentHashes', value: 'AgentName' },
  { field: 'provider', column: 'ProviderHashes', value: 'GenAiProvider' },
];

/** The same columns with what they are made of, in the common stage. */
export const VALUE_FIGURES: readonly (RollupColumn & Figure)[] = VALUE_LISTS.map(({ column, value }) => ({
  name: column,
  type: 'SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64))',
  of: `cityHash64(${value})`,
  when: `${value} != ''`,
}));

export const VALUE_HASHES: readonly RollupColumn[] = VALUE_FIGURES.map(({ name, type }) => ({ name, type }));

/** The same columns in a SELECT over rows of the common stage. */
export const VALUE_HASHES_SQL = VALUE_FIGURES.map(
  (figure) => `${figureOfGroup(figure, figure)} AS ${figure.name}`,
).join(',\n  ');
