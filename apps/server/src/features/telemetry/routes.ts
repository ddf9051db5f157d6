import { defaultFacets } from '@candela/contract';
import type { Clock } from '@candela/kernel';
import type { TelemetryQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, isoOf, listedTrace, patienceOf, period, windowOf } from './service.ts';

type TelemetryHandlers = Pick<
  Handlers,
  | 'searchTraces'
  | 'tracePreviews'
  | 'searchSpans'
  | 'getTrace'
  | 'searchTrace'
  | 'findSaid'
  | 'getSpan'
  | 'getHierarchy'
  | 'aggregate'
  | 'facets'
>;

export function telemetryHandlers(queries: TelemetryQueries, clock: Clock): TelemetryHandlers {
  return {
    searchTraces: ({ context, body, signal }) =>
      queries.searchTraces(
        context,
        {
          window: windowOf(body, clock),
          filter: filterOf(body, 'spans'),
          sort: body.sort,
          limit: body.limit,
          cursor: body.cursor,
          patienceMs: patienceOf(body),
          previews: body.previews,
        },
        signal,
      ),
    tracePreviews: async ({ context, body, signal }) => {
      const found = await queries.tracePreviews(context, body.traces.map(listedTrace), signal);
      return { data: [...found].map(([traceId, preview]) => ({ traceId, preview })) };
    },
    searchSpans: ({ context, body, signal }) =>
      queries.searchSpans(
        context,
        {
          window: windowOf(body, clock),
          filter: filterOf(body, 'spans'),
          sort: body.sort,
          limit: body.limit,
          cursor: body.cursor,
          patienceMs: patienceOf(body),
          fields: body.fields,
        },
        signal,
      ),
    getTrace: ({ context, params, query, signal }) =>
      queries.trace(context, { traceId: params.traceId, limit: query.limit, cursor: query.cursor }, signal),
    searchTrace: async ({ context, params, query, signal }) => ({
      data: await queries.searchInTrace(context, { traceId: params.traceId, q: query.q }, signal),
    }),
    findSaid: async ({ context, body, signal }) => {
      const filter = filterOf(body, 'spans');
      if (filter === undefined) return { data: [] };
      const { of, ids } = body;
      return {
        data: await queries.said(
          context,
          { window: windowOf(body, clock), filter, of, ids, each: 1 },
          signal,
        ),
      };
    },
    getSpan: async ({ context, params, query, signal }) => {
      const startMs = query.start === undefined ? undefined : Date.parse(query.start);
      return { data: await queries.span(context, { ...params, startMs }, signal) };
    },
    getHierarchy: async ({ context, params, signal }) => ({
      data: await queries.hierarchy(context, params.spanId, signal),
    }),
    aggregate: async ({ context, body, signal }) => {
      const window = windowOf(body, clock);
      const { previous, ...result } = await queries.aggregate(
        context,
        {
          signal: body.signal,
          window,
          filter: filterOf(body, body.signal),
          groupBy: body.groupBy,
          measures: body.measures,
          bucketSeconds: body.bucketSeconds,
          limit: body.limit,
          early: body.early,
          comparePrevious:
            typeof body.comparePrevious === 'boolean'
              ? body.comparePrevious
              : windowOf(body.comparePrevious, clock),
        },
        signal,
      );
      return {
        data: {
          ...period(window),
          ...result,
          previous:
            previous === null
              ? null
              : { ...period(previous), since: previous.since === null ? null : isoOf(previous.since) },
          maxRowsToRead: queries.limits.maxRowsToRead,
        },
      };
    },
    facets: ({ context, body, signal }) =>
      queries.facets(
        context,
        {
          signal: body.signal,
          window: windowOf(body, clock),
          filter: filterOf(body, body.signal),
          fields: body.fields ?? defaultFacets(body.signal),
          search: body.search,
          limit: body.limit,
          early: body.early,
        },
        signal,
      ),
  };
}
