import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/** The answers of one project: another project begins with none, so that they never mix. */
export const newQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 120_000,
        refetchOnWindowFocus: false,
        // Only what may heal by itself: the server is restarting or busy.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 503),
        retryDelay: (attempt) => 500 * 2 ** attempt,
      },
    },
  });
