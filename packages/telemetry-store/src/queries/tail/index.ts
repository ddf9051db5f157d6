import type { Filter, EventKind, LogRow, SpanRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { withSnapshot } from '../core/snapshot.ts';
import { type ReadStores, signalOfTable } from '../core/stores.ts';
import type { RowReader } from '../core/row-shape.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import { LOG_SHAPE } from '../logs/log-shape.ts';
import { SPAN_SHAPE } from '../spans/span-shape.ts';
import {
  type Arrival,
  type ArrivalsInput,
  type Arriving,
  countArrivals,
  newestArrival,
  readArrivals,
} from './arrivals.ts';

export type { Arrival, ArrivalsInput, Arriving } from './arrivals.ts';

/** What a live view of any signal shows. */
export type LiveRow = SpanRow | LogRow;

/** Every signal with a live view; the registry. */
const SHAPES: Record<EventKind, RowReader<LiveRow>> = {
  spans: SPAN_SHAPE,
  logs: LOG_SHAPE,
};

/** Rows by arrival: what live views poll. @throws bad_query, query_too_expensive, store_unavailable */
export interface TailQueries {
  /** The newest rows that arrived in a time, oldest arrival first. */
  arrivals(
    context: RequestContext,
    signal: EventKind,
    input: ArrivalsInput,
    abort?: AbortSignal,
  ): Promise<Arrival<LiveRow>[]>;
  /** How many arrived in each of these times. */
  count(
    context: RequestContext,
    signal: EventKind,
    input: { readonly filter: Filter | undefined; readonly during: readonly Arriving[] },
    abort?: AbortSignal,
  ): Promise<number[]>;
  /** The newest arrival in a time, of all rows of the tenant, epoch milliseconds; undefined: nothing arrived. */
  newest(
    context: RequestContext,
    signal: EventKind,
    during: Arriving,
    abort?: AbortSignal,
  ): Promise<number | undefined>;
}

/** Table whose inserts bring new rows of a signal. */
export const liveTable = (signal: EventKind): string => SHAPES[signal].source.table;

export function createTailQueries(stores: ReadStores, limits: QueryLimits): TailQueries {
  return {
    arrivals: (context, signal, input, abort) =>
      withSnapshot(stores, context, signalOfTable(liveTable(signal)), (seen) =>
        readArrivals(runner(stores, limits, 'tail', abort), seen, SHAPES[signal], input),
      ),
    count: (context, signal, input, abort) =>
      withSnapshot(stores, context, signalOfTable(liveTable(signal)), (seen) =>
        countArrivals(runner(stores, limits, 'tail', abort), seen, SHAPES[signal], input),
      ),
    newest: (context, signal, during, abort) =>
      newestArrival(runner(stores, limits, 'tail', abort), context, SHAPES[signal], during),
  };
}
