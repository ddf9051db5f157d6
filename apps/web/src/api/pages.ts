import { type InfiniteData, infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';

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

/** Rows of a page of a search, more than a screen shows: the next one is fetched before its end is reached. */
export const SEARCH_PAGE = 50;

/** Those of the first full page, which may have come in two. */
export const firstPageOf = <Row>(pages: readonly { readonly data: readonly Row[] }[]): readonly Row[] =>
  pages.slice(0, (pages[0]?.data.length ?? 0) < SEARCH_PAGE ? 2 : 1).flatMap(({ data }) => data);

/** A page of a search, which may be made of a part of the rows where all of them take long. */
export interface SearchPage<Row> {
  readonly data: readonly Row[];
  readonly nextCursor: string | null;
  /** The part of the rows that it is made of; null or nothing: all. */
  readonly sample?: number | null;
}

/**
 * The pages of a search. Where nothing is shown yet, `ask` is told to be early: the first rows come while the rest is looked for.
 * What is only found in a part of the rows stands until the page itself is there.
 */
export const searchPagesOf = <Page extends SearchPage<unknown>, Key extends QueryKey>(
  queryKey: Key,
  ask: (page: { cursor?: string; early?: true }, signal: AbortSignal) => Promise<Page>,
) => {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: '',
    getNextPageParam: (page: Page) => page.nextCursor,
    queryFn: async ({ client, pageParam, signal }) => {
      if (pageParam !== '') return await ask({ cursor: pageParam }, signal);
      if (client.getQueryData<InfiniteData<Page>>(queryKey) === undefined) {
        const first = await ask({ early: true }, signal);
        if (partOf(first) === null) return first;
        // Of no age: whoever leaves before the page is there asks for it once more.
        client.setQueryData<InfiniteData<Page>>(
          queryKey,
          { pages: [first], pageParams: [''] },
          { updatedAt: 0 },
        );
      }
      return await ask({}, signal);
    },
  });
};

/** The part of the rows that a page is made of; null: all. */
export const partOf = ({ sample }: Pick<SearchPage<unknown>, 'sample'>): number | null => sample ?? null;

/** A filter of text fields as a part of a query: what is empty narrows nothing. */
export const given = <Filter extends object>(filter: Filter) =>
  Object.fromEntries(Object.entries(filter).filter(([, text]) => text !== '')) as {
    readonly [Key in keyof Filter]: Exclude<Filter[Key], ''> | undefined;
  };
