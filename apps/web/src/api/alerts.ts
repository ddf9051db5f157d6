import type { AlertDraft, RequestBodyOf, ROUTES } from '@candela/contract';
import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query';
import { call } from './client.ts';

const AGAIN_MS = 15_000;
/** Everything that is asked of alerts begins so. */
export const ALERT_KEY = ['alerts'];

export const alertsQuery = () =>
  queryOptions({
    queryKey: [...ALERT_KEY, 'list'],
    queryFn: ({ signal }) => call('listAlerts', { signal }).then(({ data }) => data),
    refetchInterval: AGAIN_MS,
  });
export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: [...ALERT_KEY, 'one', id],
    queryFn: ({ signal }) => call('getAlert', { signal, params: { id } }).then(({ data }) => data),
    refetchInterval: AGAIN_MS,
  });
export const alertEventsQuery = (alertId?: string) =>
  infiniteQueryOptions({
    queryKey: [...ALERT_KEY, 'events', alertId],
    queryFn: ({ signal, pageParam }) =>
      call('listAlertEvents', {
        signal,
        query: {
          ...(alertId === undefined ? {} : { alertId }),
          ...(pageParam === '' ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
export const deliveriesQuery = () =>
  infiniteQueryOptions({
    queryKey: [...ALERT_KEY, 'deliveries'],
    queryFn: ({ signal, pageParam }) =>
      call('listDeliveries', { signal, query: pageParam === '' ? {} : { cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
export const silencesQuery = () =>
  queryOptions({
    queryKey: [...ALERT_KEY, 'silences'],
    queryFn: ({ signal }) => call('listSilences', { signal }).then(({ data }) => data),
  });
export const destinationsQuery = () =>
  queryOptions({
    queryKey: [...ALERT_KEY, 'destinations'],
    queryFn: ({ signal }) => call('listDestinations', { signal }).then(({ data }) => data),
  });

export const saveAlert = (
  environment: string | undefined,
  { id, revision, alert }: { id: string | undefined; revision: number | undefined; alert: AlertDraft },
) =>
  (id === undefined
    ? call('createAlert', { environment, body: alert })
    : call('updateAlert', {
        params: { id },
        body: { ...alert, ...(revision === undefined ? {} : { revision }) },
      })
  ).then(({ data }) => data);
export const deleteAlert = (id: string) => call('deleteAlert', { params: { id } });
export type AskedPreview = RequestBodyOf<typeof ROUTES.previewAlert>;
/** Evaluates the past once, when somebody asks: for seconds, so that it ends with the page that wants it. */
export const alertPreviewQuery = (environment: string | undefined, asked: AskedPreview | undefined) =>
  queryOptions({
    queryKey: ['alert-preview', environment, asked],
    queryFn:
      asked === undefined
        ? skipToken
        : ({ signal }) => call('previewAlert', { environment, body: asked, signal }).then(({ data }) => data),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
    retry: false,
  });
export const acknowledgeAlert = (about: { id: string; groupKey?: string; acknowledged: boolean }) => {
  const { id, ...body } = about;
  return call('acknowledgeAlert', { params: { id }, body });
};
export const createSilence = (body: RequestBodyOf<typeof ROUTES.createSilence>) =>
  call('createSilence', { body });
export const endSilence = (id: string) => call('endSilence', { params: { id } });
export type DestinationBody = RequestBodyOf<typeof ROUTES.createDestination>;
export const saveDestination = ({ id, body }: { id: string | undefined; body: DestinationBody }) =>
  (id === undefined
    ? call('createDestination', { body })
    : call('updateDestination', { params: { id }, body })
  ).then(({ data }) => data);
export const deleteDestination = (id: string) => call('deleteDestination', { params: { id } });
export const testDestination = (id: string) =>
  call('testDestination', { params: { id }, body: {} }).then(({ data }) => data);
