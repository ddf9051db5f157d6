import type { getIngestHealth, ResponseOf } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

export type IngestHealth = ResponseOf<typeof getIngestHealth>['data'];

const LIVE_MS = 2_000;

/** What is received, refused and waiting; asked again every two seconds while somebody looks. */
export const ingestHealthQuery = () =>
  queryOptions({
    queryKey: ['ingest-health'],
    staleTime: 0,
    refetchInterval: LIVE_MS,
    queryFn: ({ signal }) => call('getIngestHealth', { signal }).then((answer) => answer.data),
  });
