import { useId, useRef, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { SuggestionList } from '../../ui/suggestion-list.tsx';
import type { Suggestion } from '../explore/suggest.ts';

/** A text field with a list of suggestions below it: arrows choose, Enter and Tab take, Escape lets go. */
export function SuggestInput(props: {
  label: string;
  placeholder: string;
  value: string;
  /** What is offered for the text with the cursor there. */
  suggest: (text: string, cursor: number) => readonly Suggestion[];
  /** The text after a suggestion was taken, and whether that finishes the input. */
  accept: (
    text: string,
    cursor: number,
    chosen: Suggestion,
  ) => { readonly text: string; readonly done: boolean };
  onType?: (text: string) => void;
  onSubmit: (text: string) => void;
  trouble?: string | undefined;
  /** Only what is offered counts: Enter takes the first suggestion, leaving the field takes back what was typed. */
  offeredOnly?: true;
  className?: string;
  inputRef?: (input: HTMLInputElement | null) => void;
}) {
  const [text, setText] = useState(props.value);
  const [given, setGiven] = useState(props.value);
  const [cursor, setCursor] = useState(0);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  if (given !== props.value) {
    setGiven(props.value);
    setText(props.value);
  }
  const suggestions = open ? props.suggest(text, cursor) : [];
  const submit = (next: string) => {
    setOpen(false);
    setActive(-1);
    if (next.trim() !== props.value) props.onSubmit(next.trim());
  };
  const take = (chosen: Suggestion) => {
    const next = props.accept(text, cursor, chosen);
    setText(next.text);
    setCursor(next.text.length);
    setActive(-1);
    props.onType?.(next.text);
    if (next.done) submit(next.text);
  };
  return (
    <div className={cx('relative min-w-0', props.className)}>
      <input
        ref={(element) => {
          input.current = element;
          props.inputRef?.(element);
        }}
        role="combobox"
        aria-label={props.label}
        aria-expanded={suggestions.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
        aria-invalid={props.trouble !== undefined}
        title={props.trouble ?? text}
        spellCheck={false}
        autoComplete="off"
        placeholder={props.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setCursor(event.target.selectionStart ?? event.target.value.length);
          setOpen(true);
          setActive(-1);
          props.onType?.(event.target.value);
        }}
        onSelect={(event) => setCursor(event.currentTarget.selectionStart ?? 0)}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          if (props.offeredOnly !== true) return submit(text);
          setOpen(false);
          setText(props.value);
          props.onType?.(props.value);
        }}
        onKeyDown={(event) => {
          const count = suggestions.length;
          const chosen =
            suggestions[active] ??
            (props.offeredOnly && event.key === 'Enter' && text !== props.value ? suggestions[0] : undefined);
          if (event.key === 'ArrowDown' && count > 0) setActive((active + 1) % count);
          else if (event.key === 'ArrowUp' && count > 0) setActive((active <= 0 ? count : active) - 1);
          else if (event.key === 'Enter') {
            if (chosen) take(chosen);
            else if (props.offeredOnly !== true) submit(text);
          } else if (event.key === 'Tab' && chosen) take(chosen);
          else if (event.key === 'Escape' && open) {
            setOpen(false);
            setActive(-1);
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className={cx(
          'h-7 w-full rounded-md border bg-surface px-2 font-mono text-sm outline-none placeholder:font-sans placeholder:text-faint focus:border-accent-fill',
          props.trouble === undefined ? 'border-line' : 'border-danger',
        )}
      />
      <SuggestionList
        id={listId}
        label={`Suggestions for ${props.label}`}
        open={open}
        items={suggestions}
        active={active}
        keyOf={(one) => one.value}
        textOf={(one) => one.value}
        hintOf={(one) => one.hint}
        onTake={take}
        className="top-8 max-h-72 w-[max(100%,26rem)] max-w-[90vw]"
      />
    </div>
  );
}
