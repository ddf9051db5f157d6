import type { PromptMessage } from '@candela/contract/messages';
import { useState } from 'react';
import { improvePromptIn } from '../../api/analysis.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { useShell } from '../shell/shell-search.ts';

/**
 * Changes that the assistant's model suggests, of a text or of the messages of a chat. Taking one changes what is in the
 * editor, which is saved as a draft.
 */
export default function ImprovePanel(props: {
  promptId: string;
  text: string;
  messages: readonly PromptMessage[] | undefined;
  onText: (text: string) => void;
  onMessages: (messages: readonly PromptMessage[]) => void;
}) {
  const { environment } = useShell();
  const { messages } = props;
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const improve = useApiMutation(improvePromptIn(environment, props.promptId), { touches: [] });
  const texts = messages?.map(({ content }) => content) ?? [props.text];
  // What was changed meanwhile, so that the passage no longer stands there once, cannot be taken.
  const left = (improve.data?.suggestions ?? []).filter(
    ({ original, message = 0 }) =>
      !taken.has(original) && (texts[message] ?? '').split(original).length === 2,
  );
  const take = (suggestion: (typeof left)[number]) => {
    const { original, replacement, message = 0 } = suggestion;
    // A replacement may hold signs that a pattern would read.
    const changed = (texts[message] ?? '').split(original).join(replacement);
    if (messages === undefined) props.onText(changed);
    else props.onMessages(messages.map((one, at) => (at === message ? { ...one, content: changed } : one)));
    setTaken(new Set([...taken, original]));
  };
  return (
    <section aria-label="Improve it" className="flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex items-center gap-2">
        <h2 className="mr-auto font-medium">Improve it</h2>
        <Button
          busy={improve.isPending}
          disabled={texts.every((text) => text === '')}
          onClick={() => {
            setTaken(new Set());
            improve.mutate(messages === undefined ? { prompt: props.text } : { messages: [...messages] });
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
          <p className="text-muted">
            {messages !== undefined && `Message ${(suggestion.message ?? 0) + 1}: `}
            {suggestion.rationale}
          </p>
          <del className="whitespace-pre-wrap wrap-anywhere text-danger">{suggestion.original}</del>
          <ins className="whitespace-pre-wrap wrap-anywhere text-ok no-underline">
            {suggestion.replacement}
          </ins>
          <Button className="self-start" onClick={() => take(suggestion)}>
            Take it over
          </Button>
        </article>
      ))}
    </section>
  );
}
