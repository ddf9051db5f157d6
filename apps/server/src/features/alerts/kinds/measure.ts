import { ALERT_LIMITS, type AlertQuery, isSumMeasure } from '@candela/contract';
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
  asked: Pick<Asked, 'context' | 'signal'> & { readonly from: number; readonly to: number },
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

const tooMany = (groups: number): string | undefined =>
  groups > ALERT_LIMITS.groups
    ? `${groups} groups exist; the ${ALERT_LIMITS.groups} largest are followed.`
    : undefined;

/** No data where too few rows are behind a value. */
export const valueOf = ({ value, samples }: Measurement, minSamples: number): number | null =>
  samples !== null && samples < minSamples ? null : value;
