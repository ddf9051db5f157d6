import type { RequestContext } from '@candela/kernel';
import { IS_HOST_METRIC_SQL } from '../../schema/host-points.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';

/** A derived table with keys of its own: nobody filters it by attributes. */
const derived = (table: string, time: string): Source => ({
  signal: 'metrics',
  table,
  time,
  fields: {},
  mapOf: () => {
    throw new RangeError(`${table} has no attributes`);
  },
  pairs: new Map(),
});

const POINTS = derived('host_points', 'TimeUnix');
const CALLS = derived('host_calls', 'Bucket');
const SERIES = derived('metric_series', 'LastNs');

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;

/** One host; of two with the same name in different environments the context says which. */
export interface HostKey {
  readonly environment: string;
  readonly host: string;
}

export const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);

/** Points of these metrics in the window, of all hosts or of one. */
export function points(
  context: RequestContext,
  metrics: readonly string[],
  window: Window,
  host?: HostKey,
): Scope {
  const scope = Scope.of(context, POINTS);
  const chosen = scope.and(`MetricName IN ${scope.params.bind(metrics, 'Array(String)')}`).during(window);
  return host === undefined ? chosen : ofHost(chosen, host);
}

export function ofHost(scope: Scope, { environment, host }: HostKey): Scope {
  const { params } = scope;
  return scope.and(
    `Environment = ${params.bind(environment, 'String')} AND Host = ${params.bind(host, 'String')}`,
  );
}

export const ofName = (scope: Scope, host: string): Scope =>
  scope.and(`Host = ${scope.params.bind(host, 'String')}`);

/** Model calls of hosts by minute. */
export const calls = (context: RequestContext): Scope => Scope.of(context, CALLS);

/**
 * Series of these metrics that had points in the window; rows are per series and day of arrival, each with its `Host`.
 * @param metrics undefined: all of hosts, hardware and processes
 */
export function seriesOf(
  context: RequestContext,
  metrics: readonly string[] | undefined,
  window: Window,
): Scope {
  const scope = Scope.of(context, SERIES);
  const { params } = scope;
  return (
    scope
      .and(
        metrics === undefined ? IS_HOST_METRIC_SQL : `MetricName IN ${params.bind(metrics, 'Array(String)')}`,
      )
      // What is late or has a slow clock arrives on another day than its time says: a day to spare on one side.
      .and(`ReceivedDay >= toDate(${params.time(window.from > DAY ? window.from - DAY : 0n)})`)
      .and(`FirstNs < ${params.bind(window.to, 'Int64')} AND LastNs >= ${params.bind(window.from, 'Int64')}`)
  );
}

export const isoOf = (nanos: bigint): string => new Date(Number(nanos / 1_000_000n)).toISOString();
