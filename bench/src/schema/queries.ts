import { CHARTED, type Layout } from './layouts.ts';

export interface Probe {
  /** Parameters of one run; each run gets other ones where it matters. */
  readonly params: (run: number, sample: Sample) => Record<string, unknown>;
  readonly sql: (layout: Layout, table: string) => string;
  readonly runs: number;
}

/** Values that exist in the data. */
export interface Sample {
  readonly traceIds: readonly string[];
  readonly sessionIds: readonly string[];
  readonly requestIds: readonly string[];
  readonly words: readonly string[];
  readonly from: number;
  readonly to: number;
}

const RANGE =
  "ProjectId = 'default' AND Timestamp >= fromUnixTimestamp({from:Int64}) AND Timestamp < fromUnixTimestamp({to:Int64})";
const LIST = 'TraceId, SpanId, SpanName, ServiceName, Timestamp, Duration, StatusCode';

const range = (_run: number, { from, to }: Sample): Record<string, unknown> => ({ from, to });
const pick = <T>(list: readonly T[], run: number): T => {
  const item = list[run % list.length];
  if (item === undefined) throw new Error('The sample is empty');
  return item;
};

/** The questions, over the whole time range of the data unless they name a trace or a session. */
export const PROBES: ReadonlyMap<string, Probe> = new Map<string, Probe>([
  [
    'latest 50 traces',
    {
      runs: 15,
      params: range,
      sql: (_layout, table) =>
        `SELECT ${LIST} FROM ${table} WHERE ${RANGE} AND ParentSpanId = '' ORDER BY Timestamp DESC LIMIT 50`,
    },
  ],
  [
    'trace by id',
    {
      runs: 40,
      params: (run, sample) => ({ trace: pick(sample.traceIds, run) }),
      sql: (_layout, table) =>
        `SELECT * FROM ${table} WHERE ProjectId = 'default' AND TraceId = {trace:String} ORDER BY Timestamp`,
    },
  ],
  [
    'attribute key=value',
    {
      runs: 15,
      params: (run, sample) => ({
        ...range(run, sample),
        value: pick(sample.requestIds, run),
      }),
      sql: (layout, table) =>
        `SELECT ${LIST} FROM ${table} WHERE ${RANGE} AND ${layout.attributeSearch('request.id')} ORDER BY Timestamp DESC LIMIT 50`,
    },
  ],
  [
    'word in messages',
    {
      runs: 15,
      params: (run, sample) => ({ ...range(run, sample), word: pick(sample.words, run) }),
      sql: (layout, table) =>
        `SELECT ${LIST} FROM ${table} WHERE ${RANGE} AND ${layout.tokenSearch} ORDER BY Timestamp DESC LIMIT 50`,
    },
  ],
  [
    'count by an attribute',
    {
      runs: 10,
      params: range,
      sql: (layout, table) =>
        `SELECT ${layout.attribute(CHARTED)} AS value, count() AS spans FROM ${table} WHERE ${RANGE} GROUP BY value ORDER BY spans DESC LIMIT 10`,
    },
  ],
  [
    'spans and errors by minute',
    {
      runs: 15,
      params: range,
      sql: (_layout, table) =>
        `SELECT toStartOfMinute(Timestamp) AS minute, count() AS spans, countIf(StatusCode = 'Error') AS errors FROM ${table} WHERE ${RANGE} GROUP BY minute ORDER BY minute`,
    },
  ],
  [
    'p95 by service',
    {
      runs: 15,
      params: range,
      sql: (_layout, table) =>
        `SELECT ServiceName, quantile(0.95)(Duration) AS p95 FROM ${table} WHERE ${RANGE} GROUP BY ServiceName`,
    },
  ],
  [
    'cost by model',
    {
      runs: 15,
      params: range,
      sql: (_layout, table) =>
        `SELECT GenAiRequestModel, sum(CostUsd) AS cost, sum(InputTokens) AS input, sum(OutputTokens) AS output FROM ${table} WHERE ${RANGE} AND CountsUsage = 1 GROUP BY GenAiRequestModel`,
    },
  ],
  [
    'session by id',
    {
      runs: 15,
      params: (run, sample) => ({ ...range(run, sample), session: pick(sample.sessionIds, run) }),
      sql: (_layout, table) =>
        `SELECT TraceId, min(Timestamp) AS start, sum(InputTokens) AS input, sum(CostUsd) AS cost FROM ${table} WHERE ${RANGE} AND SessionId = {session:String} GROUP BY TraceId ORDER BY start`,
    },
  ],
]);
