import { canonicalFieldName, requireField } from '@candela/contract';
import type { Params } from '../core/params.ts';
import type { Scope, Window } from '../core/scope.ts';
import { METRIC_SERIES_ROWS, metricMap } from './metric-fields.ts';

/** The rows of series that may have points in the window: those whose first and last point reach into it. */
export function seriesIn(scope: Scope, window: Window): Scope {
  const { params } = scope;
  return scope
    .over(METRIC_SERIES_ROWS)
    .and(`LastNs >= ${params.bind(window.from, 'Int64')} AND FirstNs < ${params.bind(window.to, 'Int64')}`);
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ['service', 'ServiceName'],
  ['environment', 'Environment'],
  ['scope_name', 'ScopeName'],
  ['metric', 'MetricName'],
]);

/** The text of a label in the rows of series; empty where a series has none. @throws bad_query */
export function labelSql(field: string, params: Params): string {
  const resolved = requireField(field, 'metrics');
  if (resolved.kind === 'key') return `${metricMap(resolved.source)}[${params.bind(resolved.key, 'String')}]`;
  const column = NAMED.get(resolved.name);
  if (column === undefined) throw new RangeError(`No label ${resolved.name}`);
  return `toString(${column})`;
}

/** How a label is called in answers. @throws bad_query */
export const labelName = (field: string): string => canonicalFieldName(requireField(field, 'metrics'));
