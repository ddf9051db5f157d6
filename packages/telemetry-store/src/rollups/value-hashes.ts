import { type Figure, figureOfGroup, type RollupColumn } from './rollup.ts';

interface ValueList {
  /** The field of spans, as filters name it. */
  readonly field: string;
  readonly column: string;
  /** What a span says of it, in the common stage. */
  readonly value: string;
  /** Only some values are kept: those of which there may be as many as spans are not. */
  readonly kept?: {
    /** The same twice: of a value in SQL, and of one. */
    readonly sql: string;
    readonly has: (value: string) => boolean;
  };
}

/** A name with a number or an id in it may be that of one span alone. A version has two digits at most, and so has a model. */
const THREE_DIGITS = '[0-9][^0-9]*[0-9][^0-9]*[0-9]';

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
  {
    field: 'name',
    column: 'NameHashes',
    value: 'SpanName',
    kept: {
      sql: `NOT match(SpanName, '${THREE_DIGITS}')`,
      has: (value) => !new RegExp(THREE_DIGITS).test(value),
    },
  },
];

/** Which spans say something of it that is kept. */
const says = ({ value, kept }: ValueList): string =>
  kept === undefined ? `${value} != ''` : `${value} != '' AND ${kept.sql}`;

/** Whether a value of a field is among those that are kept of it. */
export const isKept = ({ kept }: ValueList, value: string): boolean =>
  value !== '' && (kept === undefined || kept.has(value));

const TYPE = 'SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64))';

/** The columns with what they are made of, in the common stage. */
export const VALUE_FIGURES: readonly (RollupColumn & Figure)[] = VALUE_LISTS.map((list) => ({
  name: list.column,
  type: TYPE,
  of: `cityHash64(${list.value})`,
  when: says(list),
}));

export const VALUE_HASHES: readonly RollupColumn[] = VALUE_FIGURES.map(({ name, type }) => ({ name, type }));

/** The same columns in a SELECT over rows of the common stage. */
export const VALUE_HASHES_SQL = VALUE_FIGURES.map(
  (figure) => `${figureOfGroup(figure, figure)} AS ${figure.name}`,
).join(',\n  ');

/** The hash of a value among those of failed spans, which are of all fields together. @param value SQL, never empty */
export const failedHash = ({ field }: ValueList, value: string): string => `cityHash64('${field}', ${value})`;

/**
 * What its failed spans say. Of two conditions that one span has to meet, a list of each tells only that some span meets
 * either; that something failed, and where, is asked for together more than all else.
 */
export const FAILED_HASHES: RollupColumn & Figure = {
  name: 'FailedHashes',
  type: TYPE,
  of: `[${VALUE_LISTS.map((list) => `if(${says(list)}, ${failedHash(list, list.value)}, 0)`).join(', ')}]`,
  when: 'Failed',
  several: true,
};
