import type { Filter, MetricMeaning, MetricType } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { METRIC_SERIES_ROWS, type MetricKind } from './metric-fields.ts';
import { seriesIn } from './series-scope.ts';
import { meaningOf, temporalityOf, type Variant } from './variant.ts';

export interface MetricSelection {
  readonly metric: string;
  readonly type?: MetricType | undefined;
  readonly unit?: string | undefined;
  readonly meaning?: MetricMeaning | undefined;
  readonly window: Window;
  readonly filter: Filter | undefined;
}

interface ShapeRow {
  readonly Kind: MetricKind;
  readonly MetricUnit: string;
  readonly Temporality: number;
  readonly Monotonic: number;
  readonly Series: number;
  readonly Points: number;
  readonly PerSecond: number;
  readonly Last: string;
  readonly Interval: number | null;
}

/** The shapes in which matching series use the name, the one with the most points first. */
export async function variantsOf(
  runner: Runner,
  context: RequestContext,
  selection: MetricSelection,
): Promise<Variant[]> {
  const { metric, window, filter } = selection;
  const scope = seriesIn(Scope.of(context, METRIC_SERIES_ROWS), window);
  const rows = await runner.run<ShapeRow>(
    scope,
    `SELECT Kind, MetricUnit, Temporality, Monotonic, count() AS Series, sum(N) AS Points,
  sum(N / greatest(1, (L - F) / 1e9)) AS PerSecond, toString(max(L)) AS Last,
  quantileExactIf(0.5)((L - F) / (N - 1) / 1e9, N > 1 AND L > F) AS Interval
FROM (
  SELECT Kind, MetricUnit, Temporality, Monotonic, SeriesId, sum(Points) AS N, min(FirstNs) AS F, max(LastNs) AS L
  ${scope.and(`MetricName = ${scope.params.bind(metric, 'String')}`).matching(filter).from}
  GROUP BY Kind, MetricUnit, Temporality, Monotonic, SeriesId
) GROUP BY Kind, MetricUnit, Temporality, Monotonic ORDER BY Points DESC, Kind, MetricUnit LIMIT 100`,
  );
  return joined(rows);
}

/** Shapes whose series can be added up are one: a counter's temporality does not set it apart. */
function joined(rows: readonly ShapeRow[]): Variant[] {
  const groups = new Map<string, { meaning: MetricMeaning; rows: ShapeRow[] }>();
  for (const row of rows) {
    const meaning = meaningOf(row.Kind, row.Temporality, row.Monotonic === 1);
    const key = JSON.stringify([row.Kind, row.MetricUnit, meaning]);
    const group = groups.get(key) ?? { meaning, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()]
    .map(({ meaning, rows: of }): Variant => {
      const [main] = of;
      if (main === undefined) throw new RangeError('A group has rows');
      return {
        kind: main.Kind,
        unit: main.MetricUnit,
        meaning,
        temporality: temporalityOf(
          main.Kind,
          of.map((row) => row.Temporality),
        ),
        monotonic: main.Kind === 'sum' ? main.Monotonic === 1 : null,
        series: of.reduce((sum, row) => sum + row.Series, 0),
        points: of.reduce((sum, row) => sum + row.Points, 0),
        perSecond: of.reduce((sum, row) => sum + row.PerSecond, 0),
        last: of.map((row) => BigInt(row.Last)).reduce((a, b) => (a > b ? a : b)),
        interval: main.Interval !== null && main.Interval > 0 ? main.Interval : null,
      };
    })
    .sort((a, b) => b.points - a.points);
}

/** The shape that a query is about: what was asked for, else the one with the most points. */
export function chosen(
  variants: readonly Variant[],
  { type, unit, meaning }: MetricSelection,
): Variant | undefined {
  return variants.find(
    (one) =>
      (type === undefined || one.kind === type) &&
      (unit === undefined || one.unit === unit) &&
      (meaning === undefined || one.meaning === meaning),
  );
}

/** Series that one query may add up. */
const MAX_SERIES = 400_000;
/** Points that one statement puts in order; more are read part by part. */
export const POINTS_AT_ONCE = 4_000_000;
/** Points that one query may read. */
const MAX_POINTS = 100_000_000;

/** @throws refused, naming the limit */
export function checkSize({ series, points }: Variant): void {
  const detail = (count: number, what: string, most: number) =>
    `The query would add up ${count.toLocaleString('en')} ${what}; at most ${most.toLocaleString('en')} are possible. Narrow the time range or the filter.`;
  if (series > MAX_SERIES) throw fail('refused', { detail: detail(series, 'series', MAX_SERIES) });
  if (points > MAX_POINTS) throw fail('refused', { detail: detail(points, 'points', MAX_POINTS) });
}
