import { X } from 'lucide-react';
import { useRef } from 'react';
import { inPlace, transferFocus } from '../../lib/transfer-focus.ts';
import { terms, withoutTerm } from '../../lib/query-text.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';

/** What the query consists of; each part can be taken out. */
export function FilterChips({ query, onChange }: { query: string; onChange: (q: string) => void }) {
  const list = useRef<HTMLUListElement>(null);
  const parts = terms(query);
  if (parts.length === 0) return null;
  /** To the chip that comes in the place of the one that goes, else to where conditions are written. */
  const goOn = (from: Element, at: number) =>
    transferFocus(
      from,
      () =>
        inPlace(list.current?.querySelectorAll<HTMLElement>('[data-chip] button'), at) ??
        document.querySelector<HTMLElement>('main input') ??
        document.querySelector<HTMLElement>('main h1'),
    );
  return (
    <ul ref={list} className="flex flex-wrap items-center gap-1" aria-label="Filters">
      {parts.map((term, at) => (
        <li
          // The same condition may stand there twice; the others stay what they are when one goes.
          key={`${term.text} ${parts.slice(0, at).filter(({ text }) => text === term.text).length}`}
          data-chip
          className="flex h-6 max-w-96 items-center rounded-md border border-line bg-surface pl-2 font-mono text-sm"
        >
          <MiddleTruncation name={term.text} />
          <button
            type="button"
            aria-label={`Remove ${term.text}`}
            onClick={(event) => {
              goOn(event.currentTarget, at);
              onChange(withoutTerm(query, term));
            }}
            className="ml-1 flex h-full items-center rounded-r-md px-1 text-muted hover:bg-hover hover:text-text"
          >
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
      {parts.length > 1 && (
        <li>
          <button
            type="button"
            onClick={(event) => {
              goOn(event.currentTarget, 0);
              onChange('');
            }}
            className="px-1 text-sm text-muted hover:text-text"
          >
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}
