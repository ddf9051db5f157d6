import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

/**
 * A list that is read page by page: `ask` gets the cursor of the page as a part of its request, nothing for the first.
 */
export const pagesOf = <Page extends { readonly nextCursor: string | null }, Key extends QueryKey>(
  queryKey: Key,
  ask: (page: { cursor?: string }, signal: AbortSignal) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => ask(pageParam === '' ? {} : { cursor: pageParam }, signal),
    getNextPageParam: (page: Page) => page.nextCursor,
  });
