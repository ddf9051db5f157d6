import type { JobRunView, JobView } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** Jobs start and end by themselves. */
const AGAIN_MS = 5_000;
const RUNS_SHOWN = 20;

export const jobsQuery = () =>
  queryOptions({
    queryKey: ['jobs'],
    queryFn: ({ signal }): Promise<JobView[]> => call('listJobs', { signal }).then((answer) => answer.data),
    refetchInterval: AGAIN_MS,
  });

/** The newest runs of a job. */
export const jobRunsQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', id, 'runs'],
    queryFn: ({ signal }): Promise<JobRunView[]> =>
      call('listJobRuns', { params: { id }, query: { limit: RUNS_SHOWN }, signal }).then(
        (answer) => answer.data,
      ),
    refetchInterval: AGAIN_MS,
  });

export const runJobNow = (id: string) => call('runJob', { params: { id } });
