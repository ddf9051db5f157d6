import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import { type MetricKind, metricPoints } from './metric-fields.ts';
import { LAST_VALUE, MONOTONIC } from '../../rollups/metric-series.ts';
import { DELTA } from './variant.ts';

/** What a metric reported last: milliseconds, and the value where it had one. */
export type Last = readonly [ms: number, value: number | null];

/** A shape that a name is used in, as the rows of series tell it. */
export interface Shape {
  readonly Name: string;
  readonly Kind: MetricKind;
  readonly Unit: string;
  readonly Monotonic: number;
  /** Whether it is a delta sum that can fall. */
  readonly Change: number;
  /** Whether it has points at or after the end of the window, so that its row says nothing about the newest one within. */
  readonly Beyond: number;
  /** Points in a second, about. */
  readonly PerSecond: number;
  readonly Last: Last;
}

/** Points that one statement looks through, about. */
const POINTS = 200_000;
/** By how much more each further statement looks through, for what was not found. */
const WIDER = 8;

/** Names in one part of a statement. All are named: who else reports may do so much more often. */
const NAMES = 500;

/**
 * Shapes with their newest point within the window; those without one are left out. Only points beyond the window are a reason
 * to read points: of the end of the window first, which settles what reports steadily, and ever more of the rest by name.
 * @param scope of the tenant
 */
export async function newestWithin<T extends Shape>(
  runner: Runner,
  scope: Scope,
  window: Window,
  shapes: readonly T[],
): Promise<T[]> {
  const found = new Map<string, Last>();
  let [open, to, seconds] = [shapes.filter(({ Beyond }) => Beyond === 1), window.to, 0];
  while (open.length > 0 && to > window.from) {
    const perSecond = open.reduce((sum, shape) => sum + shape.PerSecond, 0);
    seconds = Math.max(seconds * WIDER, POINTS / perSecond);
    const start = to - BigInt(Math.ceil(seconds)) * 1_000_000_000n;
    const from = start > window.from ? start : window.from;
    // A name brings along its other shapes, of which newer points are known.
    for (const shape of await newestOf(runner, scope, { from, to }, open))
      if (!found.has(keyOf(shape))) found.set(keyOf(shape), shape.Last);
    open = open.filter((shape) => !found.has(keyOf(shape)));
    to = from;
  }
  return shapes.flatMap((shape) => {
    if (shape.Beyond === 0) return [shape];
    const last = found.get(keyOf(shape));
    return last === undefined ? [] : [{ ...shape, Last: last }];
  });
}

type Known = Pick<Shape, 'Name' | 'Kind' | 'Unit' | 'Monotonic' | 'Change' | 'Last'>;

const keyOf = ({ Name, Kind, Unit, Monotonic, Change }: Omit<Known, 'Last'>): string =>
  JSON.stringify([Name, Kind, Unit, Monotonic, Change]);

function newestOf(runner: Runner, tenant: Scope, window: Window, shapes: readonly Shape[]): Promise<Known[]> {
  const lots = [...Map.groupBy(shapes, ({ Kind }) => Kind)].flatMap(([kind, of]) => {
    const names = [...new Set(of.map(({ Name }) => Name))];
    return Array.from({ length: Math.ceil(names.length / NAMES) }, (_, lot) => ({
      kind,
      names: names.slice(lot * NAMES, (lot + 1) * NAMES),
    }));
  });
  const parts = lots.map(({ kind, names }) => {
    const all = tenant.over(metricPoints(kind)).during(window);
    const points = all.and(`MetricName IN ${all.params.bind(names, 'Array(String)')}`);
    const change = kind === 'sum' ? `NOT IsMonotonic AND AggregationTemporality = ${DELTA}` : '0';
    return `SELECT toString(MetricName) AS Name, '${kind}' AS Kind, toString(MetricUnit) AS Unit,
  toUInt8(${MONOTONIC[kind]}) AS Monotonic, toUInt8(${change}) AS Change,
  max((intDiv(toUnixTimestamp64Nano(TimeUnix), 1000000), ${LAST_VALUE[kind]})) AS Last
${points.from} GROUP BY Name, Unit, Monotonic, Change`;
  });
  return runner.run<Known>(tenant, parts.join('\nUNION ALL\n'));
}
