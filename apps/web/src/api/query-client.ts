import { notifyManager, type Query, type QueryCache, QueryClient } from '@tanstack/react-query';
import { asksAgain, waitBefore } from './retry.ts';

// Before the browser goes on to the next event. The library would tell of it in a timer, which a second click of two may
// overtake: a button would still do what it is busy with, and everything would be sent twice.
notifyManager.setScheduler(queueMicrotask);

/** The answers of one project: another project begins with none, so that they never mix. */
export function newQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 120_000,
        refetchOnWindowFocus: false,
        // A browser that is offline may well reach the server, on this machine or in this house: only asking tells.
        networkMode: 'always',
        refetchOnReconnect: true,
        // Queries only read. What changes something is never sent again by itself.
        retry: asksAgain,
        retryDelay: (attempt, error) => waitBefore(attempt, error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  keepFailures(client.getQueryCache());
  return client;
}

/**
 * Keeps why a question has no answer while it is asked again, which the library forgets at once: what says so on a page
 * would go and come back with every try, and whoever stands on it with the keyboard would stand nowhere.
 */
function keepFailures(cache: QueryCache): void {
  const failures = new WeakMap<Query, Error>();
  cache.subscribe((event) => {
    const { query } = event;
    // Whoever comes back to it later has not seen it fail.
    if (event.type === 'observerRemoved' && query.getObserversCount() === 0) failures.delete(query);
    if (event.type !== 'updated') return;
    const { action } = event;
    if (action.type === 'success') failures.delete(query);
    if (action.type === 'error' && query.getObserversCount() > 0) failures.set(query, action.error);
    const error = failures.get(query);
    if (action.type === 'fetch' && query.state.data === undefined && error !== undefined)
      query.setState({ status: 'error', error });
  });
}
