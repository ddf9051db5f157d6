import { Check } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { cx } from '../lib/cx.ts';
import { findByWords } from '../lib/find-by-words.ts';
import { exact } from '../lib/format.ts';
import { MiddleTruncation } from './middle-truncation.tsx';
import type { Choice } from './menu.tsx';

/** Choices that are drawn; words find the others. */
const MOST_DRAWN = 300;
/** Choices that a page key goes over. */
const LEAP = 10;

/** The choices that the words in the field above them leave. */
export default function FoundChoices(props: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
}) {
  const { label, value, choices } = props;
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const [typed, setTyped] = useState('');
  const found = findByWords(choices, typed, (choice) => choice.label);
  const drawn = found.slice(0, MOST_DRAWN);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      drawn.findIndex((choice) => choice.value === value),
    ),
  );
  const at = Math.min(active, drawn.length - 1);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at, typed]);
  const go = (to: number) => setActive(Math.max(0, Math.min(drawn.length - 1, to)));
  return (
    <div className="flex flex-col gap-1">
      <input
        type="search"
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        aria-label={`Find ${label.toLowerCase()}`}
        placeholder={`Find among ${exact(choices.length)}`}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const chosen = drawn[at];
          if (event.key === 'ArrowDown') go(at + 1 === drawn.length ? 0 : at + 1);
          else if (event.key === 'ArrowUp') go(at === 0 ? drawn.length - 1 : at - 1);
          else if (event.key === 'PageDown') go(at + LEAP);
          else if (event.key === 'PageUp') go(at - LEAP);
          else if (event.key === 'Enter' && chosen !== undefined) props.onChoose(chosen.value);
          else return;
          event.preventDefault();
        }}
        className="h-7 w-full rounded-md border border-line bg-bg px-2 text-sm outline-none focus:border-accent-fill"
      />
      <ul
        ref={list}
        id={id}
        role="listbox"
        aria-label={label}
        // What scrolls takes the focus of a tab key, and the field keeps it.
        tabIndex={-1}
        className="max-h-96 overflow-auto"
      >
        {drawn.map((choice, index) => (
          <li
            key={choice.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={choice.value === value}
            onPointerMove={() => setActive(index)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => props.onChoose(choice.value)}
            className={cx(
              'flex h-7 cursor-pointer items-center gap-2 rounded px-2',
              index === at && 'bg-hover outline-1 -outline-offset-1 outline-line-strong',
            )}
          >
            <span className="w-3.5 shrink-0">
              {choice.value === value && <Check size={14} aria-hidden />}
            </span>
            <MiddleTruncation name={choice.label} />
            {choice.hint !== undefined && <span className="ml-auto pl-4 text-muted">{choice.hint}</span>}
          </li>
        ))}
      </ul>
      {drawn.length < choices.length && (
        <p role="status" className="px-2 text-sm text-muted">
          {found.length === 0
            ? `None of ${exact(choices.length)} has these words.`
            : drawn.length < found.length
              ? `The first ${exact(drawn.length)} of ${exact(found.length)}`
              : `${exact(found.length)} of ${exact(choices.length)}`}
        </p>
      )}
    </div>
  );
}
