import type { ResponseOf } from '../route.ts';
import type { aggregate } from '../telemetry/aggregate.ts';
import type { spanDurations } from '../telemetry/durations.ts';
import type { queryMetric, queryMetricHeatmap } from '../telemetry/metrics.ts';
import type { SqlResult } from '../chat/sql.ts';
import type { UsageFigures } from '../chat/usage.ts';
import type { ScoreAnalytics } from '../evaluations/scores.ts';
import type { Frame, ScoreMeasure, UsageMeasure } from './schemas.ts';

type Column = Frame['columns'][number];
type Row = Frame['rows'][number];

const column = (
  name: string,
  kind: Column['kind'],
  unit: string | null = null,
  previous = false,
): Column => ({
  name,
  kind,
  unit,
  previous,
});
const NOTHING = { stepSeconds: null, groups: null, sample: null, truncated: false, notes: [] } as const;

/** Units of what the aggregate measures; what is not here is a count. */
const UNITS: Readonly<Record<string, string>> = {
  error_rate: '1',
  duration_avg: 'ms',
  duration_p50: 'ms',
  duration_p90: 'ms',
  duration_p95: 'ms',
  duration_p99: 'ms',
  ttft_p50: 'ms',
  ttft_p95: 'ms',
  cost: 'USD',
};

/** Measures that are sums: without rows they are 0, where everything else is unknown. */
const NOT_SUMS = /^(?:error_rate|duration_|ttft_|cost$)/;
export const isSumMeasure = (measure: string): boolean => !NOT_SUMS.test(measure);

/** Unit of a measure of the aggregate route, as UCUM has it. */
export const unitOfMeasure = (measure: string): string => UNITS[measure] ?? '';

/** Times, groups and measures of an aggregate answer; with a period before, its column follows each measure. */
export function frameOfAggregate(
  asked: { readonly groupBy: readonly string[]; readonly measures: readonly string[] },
  { data }: ResponseOf<typeof aggregate>,
): Frame {
  const timed = data.bucketSeconds !== null;
  const compared = data.previous !== null;
  const columns = [
    ...(timed ? [column('time', 'time')] : []),
    ...asked.groupBy.map((field) => column(field, 'text')),
    ...asked.measures.flatMap((measure) => [
      column(measure, 'number', unitOfMeasure(measure)),
      ...(compared ? [column(`${measure} before`, 'number', unitOfMeasure(measure), true)] : []),
    ]),
  ];
  const rows = data.rows.map(
    (row): Row => [
      ...(timed ? [row.time === null ? null : Date.parse(row.time)] : []),
      ...row.group,
      ...asked.measures.flatMap((_measure, index) => [
        row.values[index] ?? null,
        ...(compared ? [row.previous?.[index] ?? null] : []),
      ]),
    ],
  );
  return {
    columns,
    rows,
    stepSeconds: data.bucketSeconds,
    groups: data.groups,
    sample: data.sample,
    truncated: data.groups > new Set(data.rows.map(({ group }) => group.join('\u001f'))).size,
    notes: [],
  };
}

/** Times, labels and values of a metric. */
export function frameOfMetric({ data }: ResponseOf<typeof queryMetric>): Frame {
  return {
    columns: [
      column('time', 'time'),
      ...data.groupBy.map((field) => column(field, 'text')),
      column(data.aggregation ?? 'value', 'number', data.valueUnit),
    ],
    rows: data.series.flatMap(({ labels, points }) =>
      points.map(([time, value]): Row => [time, ...labels, value]),
    ),
    stepSeconds: data.stepSeconds,
    groups: data.lines,
    sample: null,
    truncated: data.truncated,
    notes: data.notes,
  };
}

const HEAT = (unit: string): Column[] => [
  column('time', 'time'),
  column('low', 'number', unit),
  column('high', 'number', unit),
  column('count', 'number', ''),
];

/** Cells of a heat map of a metric: time, range and count. */
export function frameOfHeatmap({ data }: ResponseOf<typeof queryMetricHeatmap>): Frame {
  return {
    ...NOTHING,
    notes: data.notes,
    columns: HEAT(data.pointUnit),
    rows: data.cells.map(([time, range, count]) => [
      data.times[time] ?? null,
      data.ranges[range]?.low ?? null,
      data.ranges[range]?.high ?? null,
      count,
    ]),
    stepSeconds: data.stepSeconds,
  };
}

/** Cells of the durations of spans: time, range in milliseconds and count. */
export function frameOfDurations({ data }: ResponseOf<typeof spanDurations>): Frame {
  return {
    ...NOTHING,
    notes: [],
    columns: HEAT('ms'),
    rows: data.cells.map(({ time, lowMs, highMs, count }) => [Date.parse(time), lowMs, highMs, count]),
    stepSeconds: data.bucketSeconds,
    sample: data.sample,
  };
}

/** Text that is shown as it is asks nothing. */
export const frameOfText = (text: string): Frame => ({
  ...NOTHING,
  notes: [],
  columns: [column('text', 'text')],
  rows: [[text]],
});

/** The type within `Nullable` and `LowCardinality`. */
const innerType = (type: string): string => {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1];
  return inner === undefined ? type : innerType(inner);
};

/** What a column of a statement is, by the engine's name of its type. */
export function sqlColumnKind(type: string): Column['kind'] {
  const inner = innerType(type);
  if (inner.startsWith('Date')) return 'time';
  return /^(?:U?Int|Float|Decimal|BFloat)/.test(inner) ? 'number' : 'text';
}

function sqlCell(kind: Column['kind'], value: unknown): Row[number] {
  if (value === null || value === undefined) return null;
  if (kind === 'number') {
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  }
  if (kind === 'time') {
    // The engine writes UTC without saying so.
    const time = Date.parse(`${String(value).replace(' ', 'T')}${String(value).includes(':') ? 'Z' : ''}`);
    return Number.isFinite(time) ? time : null;
  }
  return typeof value === 'string' || typeof value === 'boolean' ? value : JSON.stringify(value);
}

/** The smallest distance of two times, in seconds; null: there are no two. */
function stepOf(values: readonly unknown[]): number | null {
  const times = [...new Set(values.filter((value) => typeof value === 'number'))].sort((a, b) => a - b);
  let least = Number.POSITIVE_INFINITY;
  for (const [index, time] of times.entries()) {
    if (index > 0) least = Math.min(least, time - (times[index - 1] ?? time));
  }
  return Number.isFinite(least) ? Math.max(1, least / 1_000) : null;
}

/** Columns and rows of a statement. */
export function frameOfSql({ columns, rows, truncated }: SqlResult): Frame {
  const kinds = columns.map(({ type }) => sqlColumnKind(type));
  const cells = rows.map((row) => row.map((value, index) => sqlCell(kinds[index] ?? 'text', value)));
  return {
    ...NOTHING,
    notes: [],
    truncated,
    stepSeconds: stepOf(cells.map((row) => row[kinds.indexOf('time')])),
    columns: columns.map(({ name }, index) => column(name, kinds[index] ?? 'text')),
    rows: cells,
  };
}

type ScoreFigures = Omit<ScoreAnalytics['groups'][number], 'key'>;
const SCORE_VALUES: { readonly [Measure in ScoreMeasure]: (figures: ScoreFigures) => number | null } = {
  pass_rate: ({ passRate }) => passRate,
  mean: ({ mean }) => mean,
  scores: ({ scores }) => scores,
  passed: ({ passed }) => passed,
  failed: ({ failed }) => failed,
  errors: ({ errors }) => errors,
  cost: ({ costUsd }) => costUsd,
};

/** A measure of a group of scores; null: nothing to measure. */
export const scoreValue = (measure: ScoreMeasure, figures: ScoreFigures): number | null =>
  SCORE_VALUES[measure](figures);

const UNITS_OF_OTHERS: Readonly<Record<string, string>> = { pass_rate: '1', cost: 'USD' };
const measured = (measures: readonly string[]): Column[] =>
  measures.map((name) => column(name, 'number', UNITS_OF_OTHERS[name] ?? ''));

/** Scores by what they are grouped by, the largest groups first. `by` undefined: all of them in one row. */
export function frameOfScores(
  asked: {
    readonly measures: readonly ScoreMeasure[];
    readonly by: string | undefined;
    readonly limit: number;
  },
  groups: readonly ScoreAnalytics['groups'][number][],
): Frame {
  return {
    ...NOTHING,
    notes: [],
    columns: [...(asked.by === undefined ? [] : [column(asked.by, 'text')]), ...measured(asked.measures)],
    rows: groups
      .slice(0, asked.limit)
      .map(
        (group): Row => [
          ...(asked.by === undefined ? [] : [group.key]),
          ...asked.measures.map((measure) => scoreValue(measure, group)),
        ],
      ),
    groups: asked.by === undefined ? null : groups.length,
    truncated: groups.length > asked.limit,
  };
}

/** Scores over time, a series a group. `total`: groups that there are. */
export function frameOfScoreSeries(
  asked: { readonly measures: readonly ScoreMeasure[]; readonly by: string | undefined },
  series: readonly { readonly key: string; readonly data: Pick<ScoreAnalytics, 'series' | 'stepMs'> }[],
  total: number,
): Frame {
  const { by, measures } = asked;
  return {
    ...NOTHING,
    notes: [],
    columns: [
      column('time', 'time'),
      ...(by === undefined ? [] : [column(by, 'text')]),
      ...measured(measures),
    ],
    rows: series.flatMap(({ key, data }) =>
      data.series.map(
        (point): Row => [
          Date.parse(point.time),
          ...(by === undefined ? [] : [key]),
          ...measures.map((measure) => scoreValue(measure, point)),
        ],
      ),
    ),
    stepSeconds: (series[0]?.data.stepMs ?? 60_000) / 1_000,
    groups: by === undefined ? null : total,
    truncated: total > series.length,
  };
}

const USAGE_VALUES: { readonly [Measure in UsageMeasure]: keyof UsageFigures } = {
  calls: 'calls',
  failed: 'failed',
  input_tokens: 'inputTokens',
  output_tokens: 'outputTokens',
  cache_read_tokens: 'cacheReadTokens',
  cache_write_tokens: 'cacheWriteTokens',
  reasoning_tokens: 'reasoningTokens',
  cost: 'costUsd',
};
type UsageRow = UsageFigures & Readonly<Record<'feature' | 'provider' | 'model' | 'date', string | null>>;

/** What the platform asked of models, by what it is grouped by and by day. */
export function frameOfUsage(
  asked: {
    readonly measures: readonly UsageMeasure[];
    readonly groupBy: readonly ('feature' | 'provider' | 'model')[];
    readonly overTime: boolean;
    readonly limit: number;
  },
  data: { readonly totals: UsageFigures; readonly rows: readonly UsageRow[]; readonly truncated: boolean },
): Frame {
  const { measures, groupBy, overTime } = asked;
  const values = (figures: UsageFigures) => measures.map((measure) => figures[USAGE_VALUES[measure]]);
  const [first] = measures;
  const weigh = (figures: UsageFigures) => (first === undefined ? 0 : figures[USAGE_VALUES[first]]);
  const nameOf = (row: UsageRow) => JSON.stringify(groupBy.map((key) => row[key] ?? ''));
  const weights = new Map<string, number>();
  for (const row of data.rows) weights.set(nameOf(row), (weights.get(nameOf(row)) ?? 0) + weigh(row));
  const kept = [...weights]
    .sort((a, b) => b[1] - a[1])
    .slice(0, asked.limit)
    .map(([name]) => name);
  const isAll = groupBy.length === 0 && !overTime;
  const rows = isAll
    ? [values(data.totals)]
    : data.rows
        .filter((row) => kept.includes(nameOf(row)))
        .toSorted((a, b) => kept.indexOf(nameOf(a)) - kept.indexOf(nameOf(b)))
        .map(
          (row): Row => [
            ...(overTime ? [row.date === null ? null : Date.parse(row.date)] : []),
            ...groupBy.map((key) => row[key] ?? ''),
            ...values(row),
          ],
        );
  return {
    ...NOTHING,
    notes: [],
    columns: [
      ...(overTime ? [column('time', 'time')] : []),
      ...groupBy.map((key) => column(key, 'text')),
      ...measured(measures),
    ],
    rows,
    stepSeconds: overTime ? 86_400 : null,
    groups: groupBy.length === 0 ? null : weights.size,
    truncated: data.truncated || weights.size > kept.length,
  };
}
