import type { ReactNode } from 'react';
import { cx } from '../lib/cx.ts';
import { MiddleTruncation } from './middle-truncation.tsx';

/** What a text field offers below itself; the field says which is `active`, keeps the focus and points here by `id`. */
export function SuggestionList<Item>(props: {
  id: string;
  label: string;
  open: boolean;
  items: readonly Item[];
  active: number;
  keyOf: (item: Item) => string;
  textOf: (item: Item) => string;
  hintOf: (item: Item) => ReactNode;
  onTake: (item: Item) => void;
  className: string;
}) {
  return (
    <div
      id={props.id}
      role="listbox"
      aria-label={props.label}
      // What scrolls takes the focus of a tab key, and this one closes when the field loses it.
      tabIndex={-1}
      hidden={!props.open || props.items.length === 0}
      className={cx(
        'absolute left-0 z-40 overflow-auto rounded-md border border-line bg-surface p-1 shadow-pop',
        props.className,
      )}
    >
      {props.items.map((item, index) => (
        <div
          key={props.keyOf(item)}
          id={`${props.id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === props.active}
          // The field keeps the focus while a suggestion is clicked.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => props.onTake(item)}
          className={cx(
            'flex h-7 cursor-pointer items-center gap-3 rounded px-2',
            index === props.active ? 'bg-hover' : 'hover:bg-hover',
          )}
        >
          <MiddleTruncation name={props.textOf(item)} className="max-w-full shrink-0 font-mono text-sm" />
          <span className="ml-auto truncate text-sm text-muted">{props.hintOf(item)}</span>
        </div>
      ))}
    </div>
  );
}
