import { X } from 'lucide-react';
import { terms, withoutTerm } from '../../lib/query-text.ts';
import { CutName } from '../../ui/cut-name.tsx';

/** What the query consists of; each part can be taken out. */
export function FilterChips({ query, onChange }: { query: string; onChange: (q: string) => void }) {
  const parts = terms(query);
  if (parts.length === 0) return null;
  return (
    <ul className="flex flex-wrap items-center gap-1" aria-label="Filters">
      {parts.map((term) => (
        <li
          key={`${term.start} ${term.text}`}
          className="flex h-6 max-w-96 items-center rounded-md border border-line bg-surface pl-2 font-mono text-sm"
        >
          <CutName name={term.text} />
          <button
            type="button"
            aria-label={`Remove ${term.text}`}
            onClick={() => onChange(withoutTerm(query, term))}
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
            onClick={() => onChange('')}
            className="px-1 text-sm text-muted hover:text-text"
          >
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}
