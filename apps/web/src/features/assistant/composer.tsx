import { useQuery } from '@tanstack/react-query';
import { ArrowUp, Square } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { type Reference, referencesQuery } from '../../api/references.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { Button } from '../../ui/button.tsx';
import { SuggestionList } from '../../ui/suggestion-list.tsx';
import { useShell } from '../shell/shell-search.ts';

const DEBOUNCE_MS = 150;

/** What stands between an `@` and the caret; undefined: no reference is being typed. */
const typedBefore = (text: string, caret: number): string | undefined =>
  /(?:^|\s)@([\w.:/-]{0,80})$/.exec(text.slice(0, caret))?.[1];

/** The box for the next question; `@` offers traces, prompts and rules. */
export function Composer(props: {
  text: string;
  edited: boolean;
  busy: boolean;
  onText: (text: string) => void;
  onAsk: () => void;
  onStop: () => void;
  onCancel: () => void;
}) {
  const { environment } = useShell();
  const box = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  const [closed, setClosed] = useState<string>();
  const typed = typedBefore(props.text, caret);
  const rested = useDebounced(typed, DEBOUNCE_MS);
  const { data } = useQuery({
    ...referencesQuery(environment, rested ?? ''),
    enabled: rested !== undefined,
  });
  const open = typed !== undefined && typed !== closed;
  const found = open && rested === typed ? (data ?? []) : [];
  const shown = found.length > 0;
  const ready = props.text.trim() !== '' && !props.busy;

  const moved = () => {
    setCaret(box.current?.selectionStart ?? 0);
    setActive(0);
  };
  const take = ({ kind, id: taken }: Reference) => {
    const start = caret - (typed?.length ?? 0) - 1;
    const before = `${props.text.slice(0, start)}@${kind}:${taken} `;
    props.onText(before + props.text.slice(caret).trimStart());
    setCaret(before.length);
    // The field has the new text after the next frame.
    requestAnimationFrame(() => box.current?.setSelectionRange(before.length, before.length));
  };
  /** @returns whether the list took the key */
  const walk = (key: string): boolean => {
    const chosen = found[active];
    if (key === 'ArrowDown') setActive((active + 1) % found.length);
    else if (key === 'ArrowUp') setActive((active + found.length - 1) % found.length);
    else if (key === 'Escape') setClosed(typed);
    else if ((key === 'Enter' || key === 'Tab') && chosen !== undefined) take(chosen);
    else return false;
    return true;
  };
  return (
    <form
      aria-label="Ask"
      className="border-t border-line p-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) props.onAsk();
      }}
    >
      <div className="mx-auto flex max-w-4xl flex-col gap-1">
        {props.edited && (
          <p className="flex items-center gap-2 text-sm text-muted">
            The question and everything after it will be replaced.
            <Button look="plain" className="h-6" onClick={props.onCancel}>
              Cancel
            </Button>
          </p>
        )}
        <div className="relative flex items-end gap-2 rounded-md border border-line bg-bg p-1 focus-within:border-accent-fill">
          <textarea
            ref={box}
            aria-label="Question"
            role="combobox"
            aria-autocomplete="list"
            aria-controls={id}
            aria-expanded={shown}
            aria-activedescendant={shown ? `${id}-${active}` : undefined}
            value={props.text}
            maxLength={20_000}
            rows={Math.min(8, Math.max(2, props.text.split('\n').length))}
            placeholder="Ask about your telemetry. @ names a trace, prompt or rule."
            className="min-w-0 grow resize-none bg-transparent px-2 py-1 outline-none placeholder:text-faint"
            onChange={(event) => {
              props.onText(event.target.value);
              setClosed(undefined);
              moved();
            }}
            onSelect={moved}
            onBlur={() => setClosed(typed)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (shown && walk(event.key)) {
                event.preventDefault();
                // Escape closes the list first, and only then what is around it.
                event.stopPropagation();
              } else if (event.key === 'Enter' && !event.shiftKey) {
                event.preventDefault();
                if (ready) props.onAsk();
              }
            }}
          />
          <SuggestionList
            id={id}
            label="References"
            open={shown}
            items={found}
            active={active}
            keyOf={(each) => `${each.kind}:${each.id}`}
            textOf={({ name }) => name}
            hintOf={({ kind }) => kind}
            onTake={take}
            className="bottom-full mb-1 max-h-72 w-full"
          />
          {props.busy ? (
            <Button aria-label="Stop" title="Stop" onClick={props.onStop}>
              <Square size={13} aria-hidden />
            </Button>
          ) : (
            <Button look="primary" type="submit" aria-label="Ask" title="Ask (Enter)" disabled={!ready}>
              <ArrowUp size={14} aria-hidden />
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}
