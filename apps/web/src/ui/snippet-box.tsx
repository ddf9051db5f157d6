import { useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import { TabList, TabPanel } from './tabs.tsx';

/** One way to do something from outside; it works as pasted. */
export interface Snippet {
  readonly label: string;
  readonly text: string;
  readonly note: string;
}

/** Several ways beside each other, each to copy. */
export function SnippetBox(props: { label: string; snippets: readonly Snippet[] }) {
  const [chosen, setChosen] = useState(0);
  const snippet = props.snippets[chosen] ?? props.snippets[0];
  return (
    <div className="rounded-md border border-line bg-surface">
      <div className="flex items-center border-b border-line px-1">
        <TabList
          id="way"
          label={props.label}
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
  );
}
