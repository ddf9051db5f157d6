import {
  type HierarchyNode,
  type SpanDetail,
  type SaidHit,
  type SpanRow,
  type Trace,
  type TraceHit,
  type TraceRow,
  RECORDS,
} from '@candela/contract';
import type { RequestContext, Signal } from '@candela/kernel';
import type { ReadStores } from './core/stores.ts';
import { aggregate, type AggregateInput, type AggregateResult } from './aggregate/aggregate.ts';
import { environmentsOf } from './environments.ts';
import { facets } from './aggregate/facets.ts';
import type { FacetsAnswer, FacetsInput } from './aggregate/facets-input.ts';
import { boundsOf, type QueryKind } from './core/limits.ts';
import { type QueryLimits, runner } from './core/run.ts';
import { withSnapshot } from './core/snapshot.ts';
import { SeenNumbers } from './core/seen-numbers.ts';
import type { LookedPage } from './core/page.ts';
import { searchSpans, type SpanSearchInput } from './spans/search-spans.ts';
import { searchInTrace } from './spans/search-in-trace.ts';
import { type ListedTrace, listedPreviews } from './spans/preview.ts';
import { searchTraces } from './spans/search-traces.ts';
import type { TraceSearchInput } from './spans/traces-by-figure.ts';
import { type SaidInput, saidHits } from './spans/said-hits.ts';
import { readSpan, type SpanIds } from './spans/span.ts';
import { readHierarchy, readTrace } from './spans/trace.ts';

export * from './activity/index.ts';
export * from './agents/index.ts';
export type { AggregateInput, AggregateResult } from './aggregate/aggregate.ts';
export type { Facet, FacetsAnswer, FacetsInput } from './aggregate/facets-input.ts';
export type { QueryLimits } from './core/run.ts';
export { type ReadStore, type StoreRoutes, tablesOf } from './core/stores.ts';
export type { Window } from './core/scope.ts';
export { type CodingAgentQueries, createCodingAgentQueries } from './coding-agents/index.ts';
export type { CodingSessionFacts } from './coding-agents/sessions.ts';
export { createExceptionQueries, type ExceptionQueries } from './exceptions/index.ts';
export { createHostQueries, type HostQueries } from './hosts/index.ts';
export { createLogQueries, type LogContext, type LogQueries } from './logs/index.ts';
export type { LookedPage, Page, SearchInput } from './core/page.ts';
export type { ListedTrace } from './spans/preview.ts';
export { toAttributes } from './core/attributes.ts';
export * from './export/index.ts';
export {
  createMetricQueries,
  type MetricAnswer,
  type MetricQueries,
  type MetricQuery,
  type MetricSeries,
} from './metrics/index.ts';
export * from './compare/index.ts';
export { createDurationQueries, type DurationQueries } from './durations/index.ts';
export * from './fields/index.ts';
export * from './rules/index.ts';
export { setPriceCorrections } from './core/prices.ts';
export { setSampled } from './core/sampled.ts';
export * from './scores/index.ts';
export * from './tail/index.ts';

/**
 * Every read of spans. The context comes first and decides whose rows are seen; the signal stops the query when
 * nobody waits for it any more. @throws bad_query, not_found, query_too_expensive, store_unavailable
 */
export interface TelemetryQueries {
  readonly limits: QueryLimits;
  searchTraces(
    context: RequestContext,
    input: TraceSearchInput,
    signal?: AbortSignal,
  ): Promise<LookedPage<TraceRow>>;
  /** First words of traces of a list, by id; those that have none are left out. */
  tracePreviews(
    context: RequestContext,
    traces: readonly ListedTrace[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, TraceRow['preview']>>;
  searchSpans(
    context: RequestContext,
    input: SpanSearchInput,
    signal?: AbortSignal,
  ): Promise<LookedPage<SpanRow>>;
  trace(
    context: RequestContext,
    input: { traceId: string; limit: number; cursor: string | undefined },
    signal?: AbortSignal,
  ): Promise<{ data: Trace; nextCursor: string | null }>;
  /** Spans of a trace that hold every term of a text. */
  searchInTrace(
    context: RequestContext,
    input: { traceId: string; q: string },
    signal?: AbortSignal,
  ): Promise<{ hits: TraceHit[]; truncated: boolean }>;
  /** Where the texts of a filter were said first in rows of a list. */
  said(context: RequestContext, input: SaidInput, signal?: AbortSignal): Promise<SaidHit[]>;
  span(context: RequestContext, ids: SpanIds, signal?: AbortSignal): Promise<SpanDetail>;
  hierarchy(
    context: RequestContext,
    spanId: string,
    signal?: AbortSignal,
  ): Promise<{ traceId: string; roots: HierarchyNode[]; orphans: number; truncated: boolean }>;
  aggregate(context: RequestContext, input: AggregateInput, signal?: AbortSignal): Promise<AggregateResult>;
  facets(context: RequestContext, input: FacetsInput, signal?: AbortSignal): Promise<FacetsAnswer>;
  /** Environments that have records of any signal. */
  environments(projectId: string): Promise<string[]>;
}

/** @param shares what is remembered between lists of traces by a figure @param groups between charts */
export function createTelemetryQueries(
  stores: ReadStores,
  limits: QueryLimits,
  shares: SeenNumbers = new SeenNumbers(),
  groups: SeenNumbers = new SeenNumbers(),
): TelemetryQueries {
  const on = (kind: QueryKind, signal: AbortSignal | undefined) => runner(stores, limits, kind, signal);
  const page = ({ patienceMs }: Pick<SpanSearchInput, 'patienceMs'>, signal: AbortSignal | undefined) =>
    runner(stores, limits, { kind: 'list', hurried: patienceMs !== undefined }, signal);
  return {
    limits,
    searchTraces: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) =>
        searchTraces(page(input, signal), seen, input, { shares }),
      ),
    tracePreviews: (context, traces, signal) => listedPreviews(on('list', signal), context, traces),
    searchSpans: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => searchSpans(page(input, signal), seen, input)),
    trace: (context, input, signal) => readTrace(on('lookup', signal), context, input),
    searchInTrace: (context, input, signal) => searchInTrace(on('lookup', signal), context, input),
    said: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => saidHits(on('list', signal), seen, input)),
    span: (context, ids, signal) => readSpan(on('lookup', signal), context, ids),
    hierarchy: (context, spanId, signal) => readHierarchy(on('lookup', signal), context, spanId),
    aggregate: (context, input, signal) =>
      withSnapshot(stores, context, signalOf(input), (seen) =>
        aggregate(on('chart', signal), seen, input, groups),
      ),
    facets: (context, input, signal) =>
      withSnapshot(stores, context, signalOf(input), (seen) => facets(on('facets', signal), seen, input)),
    environments: (projectId) => environmentsOf(stores, boundsOf(limits, 'fields'), projectId),
  };
}

/** Exceptions are with the spans that most of them are found on. */
const signalOf = ({ signal }: Pick<FacetsInput, 'signal'>): Signal => RECORDS[signal ?? 'spans'];
