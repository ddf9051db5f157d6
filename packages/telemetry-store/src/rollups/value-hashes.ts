import type { RollupColumn } from './rollup.ts';

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
];

export const VALUE_HASHES: readonly RollupColumn[] = VALUE_LISTS.map(({ column }) => ({
  name: column,
  type: 'SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64))',
}));

/** The same columns in a SELECT over rows of the common stage. */
export const VALUE_HASHES_SQL = VALUE_LISTS.map(
  ({ column, value }) => `groupUniqArrayIf(cityHash64(${value}), ${value} != '') AS ${column}`,
).join(',\n  ');
