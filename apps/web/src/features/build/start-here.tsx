import type { ReactNode } from 'react';
import { type Snippet, SnippetBox } from '../../ui/snippet-box.tsx';

/** Instead of a list that has nothing yet: what it is for, and how applications use it. */
export function StartHere(props: { title: string; snippets: readonly Snippet[]; children: ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 px-6 py-12">
      <div>
        <h2 className="text-xl font-semibold">{props.title}</h2>
        <p className="text-muted">{props.children}</p>
      </div>
      <SnippetBox label="Ways to use it" snippets={props.snippets} />
    </div>
  );
}
