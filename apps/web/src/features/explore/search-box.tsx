import { Search, X } from 'lucide-react';
import { lazy, Suspense, useId, useRef, useState } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { cx } from '../../lib/cx.ts';
import { formatCount } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Kbd } from '../../ui/kbd.tsx';
import { SuggestionList } from '../../ui/suggestion-list.tsx';
import type { ExploreConfig } from './explore-config.ts';
import { recentQueries } from './recent-queries.ts';
import { type Suggestion, useSuggestions } from './suggestions.ts';
import { loadGrammar, useGrammar } from './use-grammar.ts';

// Most searches are right.
const SearchTrouble = lazy(() => import('./search-trouble.tsx'));
/** Characters of a search. A longer one is said to be too long, whole as it was pasted, and no address takes it. */
const MOST_TEXT = 4_096;

/** The search box of the product: completes fields and values, marks the error where it is, `/` focuses it. */
export function SearchBox(props: {
  config: ExploreConfig;
  value: string;
  scope: Scope;
  onSearch: (q: string) => void;
}) {
  const { config } = props;
  const [text, setText] = useState(props.value);
  const [given, setGiven] = useState(props.value);
  const [cursor, setCursor] = useState(0);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  if (given !== props.value) {
    // The query changed elsewhere: a facet, a chip, the back button.
    setGiven(props.value);
    setText(props.value);
  }
  useHotkey('/', () => input.current?.focus(), { label: 'Search', group: 'Everywhere' });

  const grammar = useGrammar();
  const { at: completion, list: suggestions } = useSuggestions({
    grammar,
    config,
    scope: props.scope,
    text,
    cursor,
    open,
  });
  const trouble = grammar?.queryTrouble(text, config.signal);
  const shownTrouble = trouble && (!open || text === props.value) ? trouble : undefined;

  const submit = (next: string) => {
    setOpen(false);
    setActive(-1);
    const search = (read: typeof grammar) => {
      if (read?.queryTrouble(next, config.signal) === undefined) recentQueries(config.signal).remember(next);
      if (next.length <= MOST_TEXT) props.onSearch(next.trim());
    };
    // Whoever types faster than it comes does not ask what cannot be read.
    if (grammar === undefined && next.trim() !== '') void loadGrammar().then(search);
    else search(grammar);
  };
  const accept = (suggestion: Suggestion) => {
    if (suggestion.recent) {
      setText(suggestion.insert);
      submit(suggestion.insert);
      return;
    }
    const rest = text.slice(completion.to);
    const space = completion.kind === 'value' && !/^[\s,)]/.test(rest) ? ' ' : '';
    const insert = suggestion.insert + space;
    const next = text.slice(0, completion.from) + insert + rest;
    const at = completion.from + insert.length;
    setText(next);
    setActive(-1);
    queueMicrotask(() => input.current?.setSelectionRange(at, at));
    setCursor(at);
  };
  return (
    <div className="relative min-w-0 grow max-lg:basis-full">
      <div
        className={cx(
          'flex h-8 items-center gap-2 rounded-md border bg-surface px-2 focus-within:border-accent-fill',
          shownTrouble ? 'border-danger' : 'border-line',
        )}
      >
        <Search size={14} className="shrink-0 text-muted" aria-hidden />
        <input
          ref={input}
          role="combobox"
          aria-label="Search"
          aria-expanded={suggestions.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
          aria-invalid={shownTrouble !== undefined}
          aria-describedby={shownTrouble ? `${listId}-error` : undefined}
          spellCheck={false}
          autoComplete="off"
          placeholder={config.placeholder ?? 'Search'}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setCursor(event.target.selectionStart ?? event.target.value.length);
            setOpen(true);
            setActive(-1);
          }}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart ?? 0)}
          onFocus={() => {
            void loadGrammar();
            setOpen(true);
          }}
          onBlur={() => setOpen(false)}
          onKeyDown={(event) => {
            const count = suggestions.length;
            if (event.key === 'ArrowDown' && count > 0) setActive((active + 1) % count);
            else if (event.key === 'ArrowUp' && count > 0) setActive((active <= 0 ? count : active) - 1);
            else if (event.key === 'Tab' && count > 0 && open && completion.typed !== '')
              accept(suggestions[Math.max(0, active)] as Suggestion);
            else if (event.key === 'Enter') {
              const chosen = suggestions[active];
              if (chosen) accept(chosen);
              else submit(text);
            } else if (event.key === 'Escape') {
              if (active >= 0) setActive(-1);
              else event.currentTarget.blur();
            } else return;
            event.preventDefault();
          }}
          className="h-full min-w-0 grow bg-transparent font-mono text-sm outline-none placeholder:font-sans placeholder:text-faint"
        />
        {text === '' ? (
          <Kbd keys="/" />
        ) : (
          <button
            type="button"
            aria-label="Clear the search"
            className="rounded p-0.5 text-muted hover:bg-hover"
            onClick={() => {
              setText('');
              submit('');
              // The button goes away with the text.
              input.current?.focus();
            }}
          >
            <X size={14} aria-hidden />
          </button>
        )}
      </div>
      {shownTrouble && (
        <Suspense>
          <SearchTrouble id={`${listId}-error`} text={text} trouble={shownTrouble} />
        </Suspense>
      )}
      <SuggestionList
        id={listId}
        label="Suggestions"
        open={open}
        items={suggestions}
        active={active}
        keyOf={(one) => `${one.recent ? 'recent ' : ''}${one.label}`}
        textOf={(one) => one.label}
        hintOf={(one) => (one.count === undefined ? one.hint : formatCount(one.count))}
        onTake={accept}
        className="top-9 max-h-80 w-[min(520px,100%)]"
      />
    </div>
  );
}
