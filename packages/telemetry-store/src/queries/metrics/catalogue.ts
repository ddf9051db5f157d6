import { createHash } from 'node:crypto';
import { METRIC_LIMITS, type MetricRow, type MetricType } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { METRIC_SERIES_ROWS } from './metric-fields.ts';
import { newestWithin, type Shape } from './newest.ts';
import { seriesIn } from './series-scope.ts';
import { DELTA, meaningOf, pointUnitOf, shownVariant, temporalityOf } from './variant.ts';

export interface CatalogueInput {
  readonly window: Window;
  readonly q?: string | undefined;
  readonly type?: MetricType | undefined;
  readonly unit?: string | undefined;
  readonly service?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface FacetValue {
  readonly value: string;
  readonly count: number;
}

export interface Catalogue {
  readonly data: MetricRow[];
  readonly nextCursor: string | null;
  readonly total: number;
  readonly atLeast: boolean;
  readonly facets: { types: FacetValue[]; units: FacetValue[]; services: FacetValue[] };
}

interface NameRow extends Shape {
  readonly Temporalities: number[];
  readonly Description: string;
  readonly Services: string[];
  readonly Environments: string[];
  readonly Series: number;
  readonly AllPoints: number;
}

/** Names of services and environments that are kept of one shape of a metric. */
const MAX_NAMES = 1_000;
const SHOWN_NAMES = 20;
const SHOWN_FACETS = 50;

/**
 * Every metric that reported in the window, by name, with its newest value there. The whole catalogue (at most 10,000 shapes)
 * is read from the rows of series, and searched and counted here, so that the numbers of all facets are of the same moment.
 * Series and points are counted by these rows: those of a day of arrival whose first and last point reach into the window.
 */
export async function catalogue(
  runner: Runner,
  context: RequestContext,
  input: CatalogueInput,
): Promise<Catalogue> {
  const { q, type, unit, service } = input;
  const list = listName('metrics', context, q, type, unit, service);
  const after = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 2);
  const window = after === undefined ? input.window : { from: after.from, to: after.to };
  const tenant = Scope.of(context, METRIC_SERIES_ROWS);
  const scope = seriesIn(tenant, window);
  const isBeyond = `LastNs >= ${scope.params.bind(window.to, 'Int64')}`;
  const found = await runner.run<NameRow>(
    scope,
    `SELECT toString(MetricName) AS Name, Kind, MetricUnit AS Unit, Monotonic,
  Kind = 'sum' AND Monotonic = 0 AND Temporality = ${DELTA} AS Change, groupUniqArray(3)(Temporality) AS Temporalities, max(MetricDescription) AS Description,
  arraySort(groupUniqArray(${MAX_NAMES})(toString(ServiceName))) AS Services,
  arraySort(groupUniqArray(${MAX_NAMES})(toString(Environment))) AS Environments,
  uniqExact(SeriesId) AS Series, sum(Points) AS AllPoints, max((intDiv(LastPoint.1, 1000000), LastPoint.2)) AS Last,
  max(${isBeyond}) AS Beyond, sumIf(Points / greatest(1, (LastNs - FirstNs) / 1e9), ${isBeyond}) AS PerSecond
${scope.from}
GROUP BY Name, Kind, Unit, Monotonic, Change
ORDER BY Name, Series DESC, Kind, Unit LIMIT ${METRIC_LIMITS.names + 1}`,
  );
  const atLeast = found.length > METRIC_LIMITS.names;
  const rows = await newestWithin(runner, tenant, window, found.slice(0, METRIC_LIMITS.names));
  const words = (input.q ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const metrics = [...Map.groupBy(rows, (row) => row.Name).values()].filter((shapes) =>
    words.every((word) =>
      shapes.some(
        (row) => row.Name.toLowerCase().includes(word) || row.Description.toLowerCase().includes(word),
      ),
    ),
  );
  const is = {
    types: (row: NameRow) => input.type === undefined || row.Kind === input.type,
    units: (row: NameRow) => input.unit === undefined || row.Unit === input.unit,
    services: (row: NameRow) => input.service === undefined || row.Services.includes(input.service),
  };
  const facet = (own: keyof typeof is, values: (row: NameRow) => readonly string[]): FacetValue[] => {
    const others = (Object.keys(is) as (keyof typeof is)[]).filter((key) => key !== own);
    const counts = new Map<string, number>();
    for (const shapes of metrics) {
      const of = shapes.filter((row) => others.every((key) => is[key](row)));
      for (const value of new Set(of.flatMap(values))) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, SHOWN_FACETS);
  };
  const matching = metrics.filter((shapes) =>
    shapes.some((row) => is.types(row) && is.units(row) && is.services(row)),
  );
  const rest = matching.slice(after === undefined ? 0 : placeAfter(matching, after.after));
  const page = rest.slice(0, input.limit).map(metricRow);
  const last = page.at(-1);
  return {
    data: page,
    nextCursor:
      rest.length > page.length && last !== undefined
        ? encodeCursor({ list, ...window, after: keysOf(last.name) })
        : null,
    total: matching.length,
    atLeast,
    facets: {
      types: facet('types', (row) => [row.Kind]),
      units: facet('units', (row) => [row.Unit]),
      services: facet('services', (row) => row.Services),
    },
  };
}

/** A name as a cursor holds it: its beginning, and its hash, since names can be longer than cursors. */
const keysOf = (name: string): [string, string] => [
  name.slice(0, 190),
  createHash('sha256').update(name).digest('base64url'),
];

/** Where the rows after that name begin, also when the name itself is gone by now. */
function placeAfter(
  metrics: readonly (readonly NameRow[])[],
  [start = '', hash = '']: readonly string[],
): number {
  const names = metrics.map(([row]) => row?.Name ?? '');
  const own = names.findIndex((name) => name.startsWith(start) && keysOf(name)[1] === hash);
  if (own >= 0) return own + 1;
  const next = names.findIndex((name) => name > start);
  return next < 0 ? names.length : next;
}

function metricRow(shapes: readonly NameRow[]): MetricRow {
  const [main] = shapes;
  if (main === undefined) throw new RangeError('A metric has a shape');
  const names = (of: (row: NameRow) => readonly string[]) => [...new Set(shapes.flatMap(of))].sort();
  const newest = shapes.reduce((best, row) => (row.Last[0] > best.Last[0] ? row : best), main);
  const services = names((row) => row.Services);
  const variants = shapes.map((row) => ({
    kind: row.Kind,
    unit: row.Unit,
    meaning: meaningOf(row.Kind, row.Temporalities[0] ?? 0, row.Monotonic === 1),
    temporality: temporalityOf(row.Kind, row.Temporalities),
    monotonic: row.Kind === 'sum' ? row.Monotonic === 1 : null,
    series: row.Series,
  }));
  const [first] = variants;
  return {
    name: main.Name,
    type: main.Kind,
    unit: main.Unit,
    pointUnit: pointUnitOf(main.Name, { kind: main.Kind, unit: main.Unit }),
    temporality: first?.temporality ?? null,
    monotonic: first?.monotonic ?? null,
    description: shapes.find((row) => row.Description !== '')?.Description ?? '',
    services: services.slice(0, SHOWN_NAMES),
    serviceCount: services.length,
    environments: names((row) => row.Environments).slice(0, SHOWN_NAMES),
    series: shapes.reduce((sum, row) => sum + row.Series, 0),
    points: shapes.reduce((sum, row) => sum + row.AllPoints, 0),
    lastTime: new Date(newest.Last[0]).toISOString(),
    lastValue: newest.Last[1],
    variants: variants.map(shownVariant),
  };
}
