import {
  ALERT_LIMITS,
  type AlertQuery,
  frameOfSql,
  isSumMeasure,
  ROUTES,
  scoreValue,
} from '@candela/contract';
import { fail } from '@candela/kernel';
import { authorise } from '../../identity/access.ts';
import { calibrated } from './calibrated.ts';
import type { AlertSources, Asked, Labels } from './kind.ts';

/** What a query says of one group. */
export interface Measurement {
  readonly labels: Labels;
  readonly value: number | null;
  /** Rows behind it; null: metrics have none. */
  readonly samples: number | null;
}

export interface Measurements {
  readonly all: readonly Measurement[];
  readonly note: string | undefined;
}

/** Groups as texts, for looking up the same group of another window. */
export const keyOf = (labels: Labels): string => JSON.stringify(labels);

/** Measures a query over `[from, to)`, whole rows and never a sample, with the routes that people ask. */
export async function measure(
  sources: AlertSources,
  query: AlertQuery,
  asked: Pick<Asked, 'context' | 'signal' | 'allowUncalibrated'> & {
    readonly from: number;
    readonly to: number;
  },
): Promise<Measurements> {
  const { context, signal, to } = asked;
  const from = Math.min(asked.from, to - 1);
  if (query.kind === 'aggregate') {
    const { body } = query;
    const measured = body.measures[0] ?? 'count';
    const { data } = await sources.aggregate(
      context,
      {
        ...body,
        from,
        to,
        measures: measured === 'count' ? ['count'] : [measured, 'count'],
        bucketSeconds: undefined,
        limit: ALERT_LIMITS.groups,
        early: false,
        comparePrevious: false,
      },
      signal,
    );
    const all = data.rows.map(
      ({ group, values }): Measurement => ({
        labels: body.groupBy.map((field, at) => [field, group[at] ?? ''] as const),
        value: values[0] ?? null,
        samples: values.at(-1) ?? 0,
      }),
    );
    if (all.length === 0 && body.groupBy.length === 0)
      all.push({ labels: [], value: isSumMeasure(measured) ? 0 : null, samples: 0 });
    return { all, note: tooMany(data.groups) };
  }
  if (query.kind === 'scores') return measureScores(sources, query.body, { ...asked, from });
  if (query.kind === 'sql') return measureSql(sources, query.query, { context, signal, from, to });
  const { body } = query;
  const stepSeconds = Math.max(1, Math.round((to - from) / 1_000));
  const { data } = await sources.queryMetric(
    context,
    {
      ...body,
      from,
      to,
      stepSeconds,
      offsetMs: from % (stepSeconds * 1_000),
      limit: 100,
      exemplars: false,
    },
    signal,
  );
  return {
    all: data.series.map(({ labels, points }) => ({
      labels: data.groupBy.map((field, at) => [field, labels[at] ?? ''] as const),
      value: points.find(([time]) => time >= from && time < to)?.[1] ?? null,
      samples: null,
    })),
    note: data.lines > 100 ? `${data.lines} groups exist; the 100 largest are followed.` : undefined,
  };
}

type During = Pick<Asked, 'context' | 'signal'> & { readonly from: number; readonly to: number };

/** Scores of a window: of verdicts their number counts as rows, of everything else all scores do. */
async function measureScores(
  sources: AlertSources,
  body: Extract<AlertQuery, { kind: 'scores' }>['body'],
  asked: During & Pick<Asked, 'allowUncalibrated'>,
): Promise<Measurements> {
  const { context, signal, from, to } = asked;
  authorise(ROUTES.scoreAnalytics.permission, context);
  const { measures, groupBy, overTime: _time, limit: _most, ...selection } = body;
  const [by] = groupBy;
  const measured = measures[0] ?? 'pass_rate';
  const note = await calibrated(sources, selection, asked);
  const figures = { ...selection, from, to, by: by ?? ('name' as const) };
  const { data } = await sources.scoreAnalytics(context, figures, signal);
  const groups = by === undefined ? [{ key: '', ...data.totals }] : data.groups;
  return {
    all: groups.map((group) => ({
      labels: by === undefined ? [] : [[by, group.key] as const],
      value: scoreValue(measured, group),
      samples: measured === 'pass_rate' ? group.passed + group.failed : group.scores,
    })),
    note,
  };
}

/** Texts of a row that name its group. */
const SQL_LABELS = 3;

/** A statement over the rows of a window: the first number of a row is its value, its texts are its group. */
async function measureSql(
  sources: AlertSources,
  query: string,
  { context, signal, from, to }: During,
): Promise<Measurements> {
  authorise(ROUTES.executeSql.permission, context);
  const limit = ALERT_LIMITS.groups;
  const { data } = await sources.executeSql(context, { query, from, to, limit }, signal);
  const { columns, rows } = frameOfSql(data);
  const value = columns.findIndex(({ kind }) => kind === 'number');
  if (value === -1)
    throw fail('refused', { detail: 'The statement of an alert has a column of numbers: its value.' });
  const texts = columns.flatMap(({ kind }, at) => (kind === 'text' ? [at] : [])).slice(0, SQL_LABELS);
  const found = new Map<string, Measurement>();
  for (const row of rows) {
    const labels = texts.map((at) => [columns[at]?.name ?? '', String(row[at] ?? '')] as const);
    const number = row[value];
    const key = keyOf(labels);
    // Two rows of one group: the first one counts.
    if (!found.has(key))
      found.set(key, { labels, value: typeof number === 'number' ? number : null, samples: null });
  }
  return {
    all: [...found.values()],
    note: data.truncated ? `The statement has more than ${limit} rows; the first are followed.` : undefined,
  };
}

const tooMany = (groups: number): string | undefined =>
  groups > ALERT_LIMITS.groups
    ? `${groups} groups exist; the ${ALERT_LIMITS.groups} largest are followed.`
    : undefined;

/** No data where too few rows are behind a value. */
export const valueOf = ({ value, samples }: Measurement, minSamples: number): number | null =>
  samples !== null && samples < minSamples ? null : value;
