import { QueryClient } from '@tanstack/react-query';
import { asksAgain, waitBefore } from './again.ts';

/** The answers of one project: another project begins with none, so that they never mix. */
export const newQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 120_000,
        refetchOnWindowFocus: false,
        // Queries only read. What changes something is never sent again by itself.
        retry: asksAgain,
        retryDelay: (attempt, error) => waitBefore(attempt, error),
      },
    },
  });
