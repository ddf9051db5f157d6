import type {
  aggregate,
  compare,
  ExportFormat,
  ExportSignal,
  listFields,
  listFieldValues,
  listViews,
  RequestBodyOf,
  ResponseOf,
  SavedView,
  spanDurations,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { call, openStream } from './client.ts';
import { estimatedFirst } from './estimate.ts';
import type { CatalogueFilter } from './metrics.ts';
import { bounds, type Scope } from './telemetry.ts';

const HERE = { environment: undefined };

/** Any aggregate as a query; `body` is without window, filter and time: they come from the scope. */
export const aggregateQuery = (
  scope: Scope,
  body: Omit<RequestBodyOf<typeof aggregate>, 'from' | 'to' | 'q'>,
) =>
  queryOptions({
    queryKey: ['aggregate', scope, body],
    queryFn: estimatedFirst(
      (how, signal) =>
        call<ResponseOf<typeof aggregate>>('/api/telemetry/aggregate', scope, {
          signal,
          body: { ...bounds(scope), ...body, ...how },
        }),
      ({ data }) => data.sample,
    ),
  });

/** The saved views of a page, or of all pages; at most as many as one answer holds. */
export const viewsQuery = (page?: string) =>
  queryOptions({
    queryKey: ['views', page ?? ''],
    staleTime: 10_000,
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof listViews>>(
        `/api/telemetry/views?limit=500${page === undefined ? '' : `&page=${encodeURIComponent(page)}`}`,
        HERE,
        { signal },
      ).then((answer) => answer.data),
  });

const VIEWS = '/api/telemetry/views';
export const createView = (view: { page: string; name: string; search: string }): Promise<SavedView> =>
  call<{ data: SavedView }>(VIEWS, HERE, {
    body: view,
    headers: { 'idempotency-key': crypto.getRandomValues(new Uint32Array(4)).join('-') },
  }).then((answer) => answer.data);
export const updateView = (id: string, change: { name?: string; search?: string }): Promise<SavedView> =>
  call<{ data: SavedView }>(`${VIEWS}/${encodeURIComponent(id)}`, HERE, {
    method: 'PATCH',
    body: change,
  }).then((answer) => answer.data);
export const deleteView = (id: string): Promise<unknown> =>
  call(`${VIEWS}/${encodeURIComponent(id)}`, HERE, { method: 'DELETE' });

export interface ExportOptions {
  readonly signal: ExportSignal;
  readonly format: ExportFormat;
  readonly columns?: readonly string[];
  readonly limit: number;
  readonly metrics?: CatalogueFilter;
}

/** The body of an export. */
export const exportRequest = (scope: Scope, options: ExportOptions) => ({ ...bounds(scope), ...options });

/** A file of the matching rows; the stream is read by whoever asked. */
export const openExport = (scope: Scope, options: ExportOptions, abort: AbortSignal) =>
  openStream('/api/telemetry/export', scope, {
    signal: abort,
    body: exportRequest(scope, options),
    headers: { accept: '*/*' },
  });

type FieldSignal = 'spans' | 'logs';
const question = (signal: FieldSignal, window: TimeWindow, more: Record<string, string>) =>
  new URLSearchParams({
    signal,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
    ...more,
  });

/** Attribute keys that begin with, or contain, what was typed. */
export const fieldsQuery = (scope: Scope, signal: FieldSignal, prefix: string) =>
  queryOptions({
    queryKey: ['fields', signal, scope.window, scope.environment, prefix],
    queryFn: ({ signal: abort }) =>
      call<ResponseOf<typeof listFields>>(
        `/api/telemetry/fields?${question(signal, scope.window, prefix === '' ? {} : { prefix })}`,
        scope,
        { signal: abort },
      ).then((answer) => answer.data.fields),
  });

/** Values of a field or attribute that begin with, or contain, what was typed. */
export const fieldValuesQuery = (scope: Scope, signal: FieldSignal, field: string, prefix: string) =>
  queryOptions({
    queryKey: ['field-values', signal, scope.window, scope.environment, field, prefix],
    queryFn: ({ signal: abort }) =>
      call<ResponseOf<typeof listFieldValues>>(
        `/api/telemetry/fields/values?${question(signal, scope.window, { field, limit: '50', ...(prefix === '' ? {} : { prefix }) })}`,
        scope,
        { signal: abort },
      ).then((answer) => answer.data.values),
  });

/** How the durations of spans are spread over time. */
export const durationsQuery = (scope: Scope, bucketSeconds: number) =>
  queryOptions({
    queryKey: ['durations', scope, bucketSeconds],
    queryFn: estimatedFirst(
      (how, signal) =>
        call<ResponseOf<typeof spanDurations>>('/api/telemetry/spans/durations', scope, {
          signal,
          body: { ...bounds(scope), bucketSeconds, ...how } satisfies RequestBodyOf<typeof spanDurations>,
        }).then((answer) => answer.data),
      ({ sample }) => sample,
    ),
  });

/** What differs between the selection and the other rows of the scope, or the same selection of another window. */
export const compareQuery = (
  scope: Scope,
  signal: FieldSignal,
  selection: string,
  before: TimeWindow | undefined,
) =>
  queryOptions({
    queryKey: ['compare', signal, scope, selection, before],
    queryFn: ({ signal: abort }) =>
      call<ResponseOf<typeof compare>>('/api/telemetry/compare', scope, {
        signal: abort,
        body: {
          signal,
          ...bounds(scope),
          ...(selection === '' ? {} : { selection }),
          ...(before === undefined ? {} : { against: { from: before.fromMs, to: before.toMs } }),
          limit: 40,
        } satisfies RequestBodyOf<typeof compare>,
      }).then((answer) => answer.data),
  });
