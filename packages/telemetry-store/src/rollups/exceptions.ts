import { exceptionFingerprint } from '../schema/exception-fingerprint.ts';
import { THROWN_IN_LOG } from './log-stage.ts';
import { ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup, type RollupColumn, type RollupSource } from './rollup.ts';
import { SPAN_STAGE } from './span-stage.ts';

const LC = 'LowCardinality(String)';
const TEXT = 'SimpleAggregateFunction(max, String)';

/** Characters that are kept of a message and of a stack trace. */
export const MOST_MESSAGE = 2_000;
export const MOST_STACK = 16_000;
const MOST_TYPE = 300;

/** Facts of the record that an exception was found on, under their names there. */
const CARRIED = [
  'ServiceName',
  'TraceId',
  'SpanId',
  'GenAiProvider',
  'AgentName',
  'ToolName',
  'UserId',
  'SessionId',
] as const;
const carried = CARRIED.join(', ');

/**
 * Sorted only to have one block: the rows come in many small ones, and folding a message compiles its patterns anew for
 * each. (The engine would drop the sorting; inserts tell it not to.) Everything found on a record as columns; `Found` is
 * (time, type, message, stack trace, escaped, source).
 */
const columnsOf = (rows: string): string => `
SELECT ProjectId, Environment, ReceivedDay, RetentionDays, At AS Timestamp,
  ${exceptionFingerprint('Type', 'Said')} AS Fingerprint,
  if(SpanId = '', Own, cityHash64(TraceId, SpanId, Fingerprint)) AS Occurrence, Source, Type, ${carried}, SpanName,
  Model, Version, Said AS Message, Stack AS Stacktrace, Escaped, Records
FROM (
  SELECT * EXCEPT (Found), Found.1 AS At, substringUTF8(Found.2, 1, ${MOST_TYPE}) AS Type,
    substringUTF8(Found.3, 1, ${MOST_MESSAGE}) AS Said, substringUTF8(Found.4, 1, ${MOST_STACK}) AS Stack,
    toUInt8(Found.5) AS Escaped, Found.6 AS Source
  FROM (${rows})
  ORDER BY At
)`;

/** What spans of the common stage found. */
const ofSpans = (spans: string): string =>
  columnsOf(`
    SELECT ${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, ${carried}, Model, ThrowerVersion AS Version, SpanName,
      toUInt64(0) AS Own, toUInt64(0) AS Records, arrayJoin(Exceptions) AS Found
    FROM ${spans}
    WHERE Thrown`);

/** Log records that say what was thrown. */
const ofLogs = (rows: string): string =>
  columnsOf(`
    SELECT ${ROLLUP_HEAD_SQL}, ${carried}, if(GenAiResponseModel != '', GenAiResponseModel, GenAiRequestModel) AS Model,
      ResourceAttributes['service.version'] AS Version, '' AS SpanName,
      cityHash64(Timestamp, ObservedTimestamp, ReceivedAt, ServiceName, TraceId, Body,
        mapKeys(LogAttributes), mapValues(LogAttributes)) AS Own,
      toUInt64(SpanId = '') AS Records,
      (Timestamp,
        if(LogAttributes['exception.type'] != '', LogAttributes['exception.type'], toString(ErrorType)),
        LogAttributes['exception.message'], LogAttributes['exception.stacktrace'],
        lower(LogAttributes['exception.escaped']) = 'true', 'log') AS Found
    FROM ${rows}
    WHERE ${THROWN_IN_LOG}`);

/** Found once for both tables. */
const FOUND: Readonly<Record<string, Pick<RollupSource, 'stage' | 'when'>>> = {
  otel_traces: { stage: { name: 'staged_exceptions', from: SPAN_STAGE, select: ofSpans }, when: 'Thrown' },
  otel_logs: { stage: { name: 'staged_exceptions', select: ofLogs }, when: 'Thrown' },
};
const fromFound = (select: (exceptions: string) => string): Rollup['sources'] =>
  Object.fromEntries(Object.entries(FOUND).map(([source, found]) => [source, { ...found, select }]));

const COLUMNS: readonly RollupColumn[] = [
  ...ROLLUP_HEAD,
  { name: 'Timestamp', type: 'DateTime64(9)' },
  { name: 'Fingerprint', type: 'UInt64' },
  { name: 'Occurrence', type: 'UInt64' },
  { name: 'Source', type: LC },
  { name: 'Type', type: LC },
  { name: 'ServiceName', type: LC },
  { name: 'TraceId', type: 'String' },
  { name: 'SpanId', type: 'String' },
  { name: 'GenAiProvider', type: LC },
  { name: 'AgentName', type: LC },
  { name: 'ToolName', type: LC },
  { name: 'UserId', type: 'String' },
  { name: 'SessionId', type: 'String' },
  { name: 'SpanName', type: LC },
  { name: 'Model', type: LC },
  { name: 'Version', type: LC },
  { name: 'Message', type: TEXT },
  { name: 'Stacktrace', type: TEXT },
  { name: 'Escaped', type: 'SimpleAggregateFunction(max, UInt8)' },
  /** How many log records without a span the row is: equal ones are rows of one key. 0 for all others. */
  { name: 'Records', type: 'SimpleAggregateFunction(sum, UInt64)' },
];

/**
 * Exceptions one by one. One exception on a span counts once, however often it was recorded there: rows of the same
 * `Occurrence` are one. Log records without a span are one each (`Records`), also those that nothing tells apart.
 */
export const EXCEPTIONS: Rollup = {
  name: 'exceptions',
  columns: COLUMNS,
  sources: fromFound(
    (exceptions) => `SELECT ${COLUMNS.map(({ name }) => name).join(', ')} FROM ${exceptions}`,
  ),
};

const grouped = (exceptions: string): string => `
SELECT ProjectId, Environment, ReceivedDay, RetentionDays, Fingerprint,
  min(toUnixTimestamp64Nano(Timestamp)) AS FirstNs, max(toUnixTimestamp64Nano(Timestamp)) AS LastNs
FROM ${exceptions} GROUP BY ProjectId, Environment, ReceivedDay, RetentionDays, Fingerprint`;

/** When each group of exceptions was seen first and last, by day of arrival: what tells a new one from an old one. */
export const EXCEPTION_GROUPS: Rollup = {
  name: 'exception_groups',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'Fingerprint', type: 'UInt64' },
    { name: 'FirstNs', type: 'SimpleAggregateFunction(min, Int64)' },
    { name: 'LastNs', type: 'SimpleAggregateFunction(max, Int64)' },
  ],
  sources: fromFound(grouped),
};
