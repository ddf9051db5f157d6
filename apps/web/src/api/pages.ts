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

/** Rows of a page of a search. */
export const SEARCH_PAGE = 100;

/** Those of the first full page, which may have come in two. */
export const firstPageOf = <Row>(pages: readonly { readonly data: readonly Row[] }[]): readonly Row[] =>
  pages.slice(0, (pages[0]?.data.length ?? 0) < SEARCH_PAGE ? 2 : 1).flatMap(({ data }) => data);

/** The page of a search as a part of its request: of the first one the first rows, while the rest is looked for. */
export const firstRowsEarly = (page: { readonly cursor?: string }) =>
  page.cursor === undefined ? { early: true } : page;
