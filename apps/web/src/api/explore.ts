import type {
  aggregate,
  ExportFormat,
  ExportKind,
  RequestBodyOf,
  SavedView,
  EventKind,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { windowSearch } from './activity.ts';
import { call, openStream } from './client.ts';
import { estimatedFirst } from './estimate.ts';
import type { CatalogueFilter } from './metrics.ts';
import { bounds, type Scope } from './telemetry.ts';

/** Any aggregate as a query; `body` is without window, filter and time: they come from the scope. */
export const aggregateQuery = (
  scope: Scope,
  body: Omit<RequestBodyOf<typeof aggregate>, 'from' | 'to' | 'q'>,
) =>
  queryOptions({
    queryKey: ['aggregate', scope, body],
    queryFn: estimatedFirst(
      (how, signal) =>
        call('aggregate', {
          environment: scope.environment,
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
      call('listViews', { query: { limit: 500, page }, signal }).then((answer) => answer.data),
  });

export const createView = (view: { page: string; name: string; search: string }): Promise<SavedView> =>
  call('createView', {
    body: view,
    headers: { 'idempotency-key': crypto.getRandomValues(new Uint32Array(4)).join('-') },
  }).then((answer) => answer.data);
export const updateView = (id: string, change: { name?: string; search?: string }): Promise<SavedView> =>
  call('updateView', { params: { id }, body: change }).then((answer) => answer.data);
export const deleteView = (id: string): Promise<unknown> => call('deleteView', { params: { id } });

export interface ExportOptions {
  readonly signal: ExportKind;
  readonly format: ExportFormat;
  readonly columns?: readonly string[];
  readonly limit: number;
  readonly metrics?: CatalogueFilter;
}

/** The body of an export. */
export const exportRequest = (scope: Scope, { columns, ...options }: ExportOptions) => ({
  ...bounds(scope),
  ...options,
  ...(columns === undefined ? {} : { columns: [...columns] }),
});

/** A file of the matching rows; the stream is read by whoever asked. */
export const openExport = (scope: Scope, options: ExportOptions, abort: AbortSignal) =>
  openStream('exportRows', {
    environment: scope.environment,
    signal: abort,
    body: exportRequest(scope, options),
  });

const question = (signal: EventKind, window: TimeWindow) => ({ signal, ...windowSearch(window) });

/** Attribute keys that begin with, or contain, what was typed. */
export const fieldsQuery = (scope: Scope, signal: EventKind, prefix: string) =>
  queryOptions({
    queryKey: ['fields', signal, scope.window, scope.environment, prefix],
    queryFn: ({ signal: abort }) =>
      call('listFields', {
        query: { ...question(signal, scope.window), prefix: prefix || undefined },
        environment: scope.environment,
        signal: abort,
      }).then((answer) => answer.data.fields),
  });

/** Values of a field or attribute that begin with, or contain, what was typed. */
export const fieldValuesQuery = (scope: Scope, signal: EventKind, field: string, prefix: string) =>
  queryOptions({
    queryKey: ['field-values', signal, scope.window, scope.environment, field, prefix],
    queryFn: ({ signal: abort }) =>
      call('listFieldValues', {
        query: { ...question(signal, scope.window), field, limit: 50, prefix: prefix || undefined },
        environment: scope.environment,
        signal: abort,
      }).then((answer) => answer.data.values),
  });

/** How the durations of spans are spread over time. */
export const durationsQuery = (scope: Scope, bucketSeconds: number) =>
  queryOptions({
    queryKey: ['durations', scope, bucketSeconds],
    queryFn: estimatedFirst(
      (how, signal) =>
        call('spanDurations', {
          environment: scope.environment,
          signal,
          body: { ...bounds(scope), bucketSeconds, ...how },
        }).then((answer) => answer.data),
      ({ sample }) => sample,
    ),
  });

/** What differs between the selection and the other rows of the scope, or the same selection of another window. */
export const compareQuery = (
  scope: Scope,
  signal: EventKind,
  selection: string,
  before: TimeWindow | undefined,
) =>
  queryOptions({
    queryKey: ['compare', signal, scope, selection, before],
    queryFn: ({ signal: abort }) =>
      call('compare', {
        environment: scope.environment,
        signal: abort,
        body: {
          signal,
          ...bounds(scope),
          ...(selection === '' ? {} : { selection }),
          ...(before === undefined ? {} : { against: { from: before.fromMs, to: before.toMs } }),
          limit: 40,
        },
      }).then((answer) => answer.data),
  });
