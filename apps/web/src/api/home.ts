import type { aggregate, RequestBodyOf, ResponseOf, searchExceptions } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { bounds, type Scope } from './telemetry.ts';

type AggregateBody = RequestBodyOf<typeof aggregate>;
export type AggregateData = ResponseOf<typeof aggregate>['data'];

/** What a figure asks of the aggregate endpoint, besides window and environment. */
export type FigureBody = Omit<AggregateBody, 'from' | 'to'>;

/** The whole request, as it is sent and as "Open as query" shows it. */
export const figureBody = (scope: Scope, body: FigureBody): AggregateBody => ({ ...bounds(scope), ...body });

/** Figures of the window, and of the period before when `comparePrevious` says so. */
export const figuresQuery = (scope: Scope, body: FigureBody) =>
  queryOptions({
    queryKey: ['figures', scope, body],
    queryFn: ({ signal }) =>
      call('aggregate', { environment: scope.environment, signal, body: figureBody(scope, body) }).then(
        (answer) => answer.data,
      ),
  });

/** More than are shown: those of one cause are one line. */
const NEWEST = 50;

export const newestExceptionsBody = (scope: Scope): RequestBodyOf<typeof searchExceptions> => ({
  ...bounds(scope),
  sort: '-firstSeen',
  limit: NEWEST,
});

/** The groups of exceptions that appeared last. */
export const newestExceptionsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ['newest-exceptions', scope],
    queryFn: ({ signal }) =>
      call('searchExceptions', { environment: scope.environment, signal, body: newestExceptionsBody(scope) }),
  });
