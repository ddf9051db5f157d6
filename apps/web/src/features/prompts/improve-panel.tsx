import { useState } from 'react';
import { improvePromptIn } from '../../api/analysis.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { useShell } from '../shell/shell-search.ts';

/** Changes that the assistant's model suggests. Taking one changes the text in the editor, which is saved as a draft. */
export default function ImprovePanel(props: {
  promptId: string;
  text: string;
  onText: (text: string) => void;
}) {
  const { environment } = useShell();
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const improve = useApiMutation(improvePromptIn(environment, props.promptId), { touches: [] });
  const left = (improve.data?.suggestions ?? []).filter(
    ({ original }) => !taken.has(original) && props.text.split(original).length === 2,
  );
  return (
    <section aria-label="Improve it" className="flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex items-center gap-2">
        <h2 className="mr-auto font-medium">Improve it</h2>
        <Button
          busy={improve.isPending}
          disabled={props.text === ''}
          onClick={() => {
            setTaken(new Set());
            improve.mutate(props.text);
          }}
        >
          Suggest changes
        </Button>
      </div>
      <ErrorLine error={improve.error} />
      {improve.data !== undefined && left.length === 0 && (
        <p className="text-sm text-muted">
          {taken.size > 0 ? 'All suggestions are taken.' : 'There is nothing to suggest.'}
        </p>
      )}
      {left.map((suggestion) => (
        <article
          key={suggestion.original}
          className="flex flex-col gap-1 rounded-md border border-line p-2 text-sm"
        >
          <p className="text-muted">{suggestion.rationale}</p>
          <del className="whitespace-pre-wrap wrap-anywhere text-danger">{suggestion.original}</del>
          <ins className="whitespace-pre-wrap wrap-anywhere text-ok no-underline">
            {suggestion.replacement}
          </ins>
          <Button
            className="self-start"
            onClick={() => {
              // A replacement may hold signs that a pattern would read.
              props.onText(props.text.split(suggestion.original).join(suggestion.replacement));
              setTaken(new Set([...taken, suggestion.original]));
            }}
          >
            Take it over
          </Button>
        </article>
      ))}
    </section>
  );
}
