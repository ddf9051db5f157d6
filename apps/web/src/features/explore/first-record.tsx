import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Snippet, SnippetBox } from '../../ui/snippet-box.tsx';

/** A project that has nothing of this kind yet: what to paste, and a page that turns live by itself. */
export function FirstRecord<Key extends QueryKey>(props: {
  /** Title of the tab, `Traces`. */
  page: string;
  /** `Send the first trace`. */
  title: string;
  /** What is waited for: `trace`. */
  noun: string;
  snippets: readonly Snippet[];
  /** Asked every two seconds until it says true; give the query whose answer the page itself waits for. */
  arrived: UseQueryOptions<boolean, Error, boolean, Key>;
  children: ReactNode;
}) {
  const { data: arrived } = useQuery({
    ...props.arrived,
    staleTime: 0,
    refetchInterval: (query) => (query.state.data === true ? false : 2_000),
  });
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4 px-6 py-12">
      <title>{`${props.page} · Candela`}</title>
      <div>
        <h1 className="text-xl font-semibold">{props.title}</h1>
        <p className="text-muted">{props.children}</p>
      </div>
      <SnippetBox label="Ways to send" snippets={props.snippets} />
      <p role="status" className="flex items-center gap-2 text-muted">
        <span className="skeleton size-2 rounded-full bg-accent-fill" aria-hidden />
        {arrived ? `The first ${props.noun} is here.` : `Waiting for the first ${props.noun} …`}
      </p>
    </div>
  );
}
