import { useId, useRef, useState } from 'react';
import { cx } from '../../lib/cx.ts';
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
      <div
        id={listId}
        role="listbox"
        aria-label={`Suggestions for ${props.label}`}
        hidden={suggestions.length === 0}
        className="absolute top-8 left-0 z-40 max-h-72 w-[max(100%,26rem)] max-w-[90vw] overflow-auto rounded-md border border-line bg-surface p-1 shadow-pop"
      >
        {suggestions.map((suggestion, index) => (
          <div
            key={suggestion.value}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => take(suggestion)}
            className={cx(
              'flex h-7 cursor-pointer items-center gap-3 rounded px-2',
              index === active ? 'bg-hover' : 'hover:bg-hover',
            )}
          >
            <span className="shrink-0 truncate font-mono text-sm">{suggestion.value}</span>
            <span className="ml-auto truncate text-sm text-muted">{suggestion.hint}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
