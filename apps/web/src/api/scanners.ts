import type { FindingView, RequestBodyOf, ROUTES, ScannerView } from '@candela/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call, openStream } from './client.ts';

const AGAIN_MS = 4_000;

/** Scanners of the environment; asked again while one of them scans. */
export const scannersQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['scanners', environment],
    queryFn: ({ signal }): Promise<ScannerView[]> =>
      call('listScanners', { environment, signal }).then((answer) => answer.data),
    refetchInterval: ({ state }) => (state.data?.some(isScanning) === true ? AGAIN_MS : false),
  });

/** Whether its last job waits or runs. */
export const isScanning = ({ lastJob }: ScannerView): boolean =>
  lastJob?.status === 'queued' || lastJob?.status === 'running';

export interface FindingFilter {
  readonly scannerId?: string | undefined;
  readonly status?: FindingView['status'] | undefined;
  readonly severity?: FindingView['severity'] | undefined;
  readonly detector?: string | undefined;
  readonly repository?: string | undefined;
}

/** Findings of the environment, worst first, page by page. */
export const findingsQuery = (environment: string | undefined, filter: FindingFilter) =>
  infiniteQueryOptions({
    queryKey: ['scanner-findings', environment, filter],
    queryFn: ({ signal, pageParam }) =>
      call('listFindings', {
        environment,
        signal,
        query: { ...filter, limit: 50, ...(pageParam === '' ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** Findings by day. */
export const trendQuery = (environment: string | undefined, filter: FindingFilter) =>
  queryOptions({
    queryKey: ['scanner-findings', 'trend', environment, filter],
    queryFn: ({ signal }) =>
      call('trendFindings', { environment, signal, query: { ...filter, days: 30 } }).then(({ data }) => data),
  });

/** Findings as a file. */
export const openFindings = (
  environment: string | undefined,
  filter: FindingFilter,
  format: 'csv' | 'sarif',
) => openStream('exportFindings', { environment, query: { ...filter, format } });

/** Jobs of a scanner, newest first; asked for anew when its last job changes. */
export const jobsQuery = (environment: string | undefined, { id, lastJob }: ScannerView) =>
  queryOptions({
    queryKey: ['scanners', 'jobs', environment, id, lastJob?.id, lastJob?.status],
    queryFn: ({ signal }) =>
      call('listScannerJobs', { environment, params: { id }, signal }).then(({ data }) => data),
    placeholderData: (before) => before,
  });

export const jobSarif = (environment: string | undefined, jobId: string) =>
  call('getScannerSarif', { environment, params: { jobId } });
export const jobBom = (environment: string | undefined, jobId: string) =>
  call('getScannerBom', { environment, params: { jobId } });

type NewScanner = RequestBodyOf<typeof ROUTES.createScanner>;
export const createScanner = (environment: string | undefined, body: NewScanner) =>
  call('createScanner', { environment, body });
export const updateScanner = (
  environment: string | undefined,
  id: string,
  body: RequestBodyOf<typeof ROUTES.updateScanner>,
) => call('updateScanner', { environment, params: { id }, body });
export const deleteScanner = (environment: string | undefined, id: string) =>
  call('deleteScanner', { environment, params: { id } });
/** Starts a scan and does not wait for it. */
export const startScan = (environment: string | undefined, id: string) =>
  call('startScan', { environment, params: { id }, body: {}, headers: { prefer: 'respond-async' } });
export const cancelScan = (environment: string | undefined, jobId: string) =>
  call('cancelScannerJob', { environment, params: { jobId } });
export const setFinding = (
  environment: string | undefined,
  fingerprint: string,
  body: RequestBodyOf<typeof ROUTES.updateFinding>,
) => call('updateFinding', { environment, params: { fingerprint }, body });
