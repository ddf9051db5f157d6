import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';

/** One way to send data; it works as pasted. */
export interface Snippet {
  readonly label: string;
  readonly text: string;
  readonly note: string;
}

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
  const [chosen, setChosen] = useState(0);
  const { data: arrived } = useQuery({
    ...props.arrived,
    staleTime: 0,
    refetchInterval: (query) => (query.state.data === true ? false : 2_000),
  });
  const snippet = props.snippets[chosen] ?? props.snippets[0];
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4 px-6 py-12">
      <title>{`${props.page} · Candela`}</title>
      <div>
        <h1 className="text-xl font-semibold">{props.title}</h1>
        <p className="text-muted">{props.children}</p>
      </div>
      <div className="rounded-md border border-line bg-surface">
        <div className="flex items-center border-b border-line px-1">
          <TabList
            id="way"
            label="Ways to send"
            tabClassName="h-9 px-3"
            value={String(chosen)}
            onChoose={(value) => setChosen(Number(value))}
            tabs={props.snippets.map((entry, index) => ({ value: String(index), label: entry.label }))}
          />
          <CopyButton label="Copy the snippet" text={() => snippet?.text ?? ''} className="ml-auto h-6" />
        </div>
        <TabPanel id="way" value={String(chosen)} className="max-h-[27rem] overflow-auto p-3">
          <pre className="font-mono text-sm whitespace-pre">{snippet?.text}</pre>
        </TabPanel>
        <p className="border-t border-line px-3 py-2 text-sm text-muted">{snippet?.note}</p>
      </div>
      <p role="status" className="flex items-center gap-2 text-muted">
        <span className="skeleton size-2 rounded-full bg-accent-fill" aria-hidden />
        {arrived ? `The first ${props.noun} is here.` : `Waiting for the first ${props.noun} …`}
      </p>
    </div>
  );
}
