import { ArrowDown, ArrowUp, ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import { lazy, type RefObject, Suspense } from 'react';
import { cx } from '../../lib/cx.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { walkTabs } from '../../ui/tabs.tsx';
import type { TraceFind } from './use-trace-find.ts';
import { LEFT_VIEWS, type LeftView } from './trace-search.ts';

// Comes with the first that is found.
const FindExcerpt = lazy(() => import('./find-excerpt.tsx'));

/** Ways to read the trace, the failed spans, the search inside it. */
export function ExplorerBar(props: {
  view: LeftView;
  onView: (view: LeftView) => void;
  failed: number;
  /** Whether there is a failed span here to go to. */
  canWalkFailed: boolean;
  onFailed: (by: 1 | -1) => void;
  finder: RefObject<HTMLInputElement | null>;
  find: TraceFind;
  /** Whether spans are not loaded that may hold what is sought, too. */
  isPart: boolean;
  /** Which of the found spans is selected, from 0; -1 for none. */
  foundAt: number;
  /** Where the selected span holds what is sought. */
  excerpt: string | undefined;
  onNext: (by: 1 | -1) => void;
  /** Goes to the first of those that are found in spans that are not loaded. */
  onBeyond: () => void;
  anyFolded: boolean;
  onFoldAll: () => void;
}) {
  const { find } = props;
  const foldLabel = props.anyFolded ? 'Unfold all' : 'Fold all';
  return (
    <>
      <div className="flex min-h-9 shrink-0 items-center gap-x-3 gap-y-1 border-b border-line px-2 py-1 flex-wrap">
        <div
          role="tablist"
          aria-label="Ways to read the trace"
          className="flex max-w-full overflow-x-auto"
          onKeyDown={(event) => walkTabs(event, LEFT_VIEWS, props.view, props.onView)}
        >
          {LEFT_VIEWS.map((view) => (
            <button
              key={view}
              type="button"
              role="tab"
              id={`trace-views-${view}`}
              aria-controls="trace-views-panel"
              aria-selected={props.view === view}
              tabIndex={props.view === view ? 0 : -1}
              onClick={() => props.onView(view)}
              className="h-6 rounded px-2 text-muted capitalize hover:text-text aria-selected:bg-selected aria-selected:text-text"
            >
              {view}
            </button>
          ))}
        </div>
        {/* Wraps where tabs and search have no room side by side; what is found then takes its room from the field. */}
        <div className="flex min-w-0 grow basis-64 items-center justify-end gap-1">
          {props.failed > 0 && (
            <span className="flex shrink-0 items-center gap-1 text-sm text-danger">
              {/* The search needs the room. */}
              {formatCount(props.failed)} <span className={cx(find.text !== '' && 'sr-only')}>failed</span>
              <Button
                look="plain"
                className="px-1"
                aria-label="Previous failed span"
                title="Previous failed span (E)"
                disabled={!props.canWalkFailed}
                onClick={() => props.onFailed(-1)}
              >
                <ArrowUp size={16} aria-hidden />
              </Button>
              <Button
                look="plain"
                className="px-1"
                aria-label="Next failed span"
                title="Next failed span (e)"
                disabled={!props.canWalkFailed}
                onClick={() => props.onFailed(1)}
              >
                <ArrowDown size={16} aria-hidden />
              </Button>
            </span>
          )}
          <input
            ref={props.finder}
            type="search"
            aria-label="Search in the trace"
            placeholder="Search in the trace"
            value={find.text}
            onChange={(event) => find.setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') props.onNext(event.shiftKey ? -1 : 1);
              else if (event.key === 'Escape') event.currentTarget.blur();
              else return;
              event.preventDefault();
            }}
            className="h-6 w-40 min-w-0 rounded-md border border-line bg-surface px-2 text-sm"
          />
          {find.text !== '' && (
            <span className="flex shrink-0 items-center pl-1 text-sm text-muted">
              <span
                role="status"
                title={
                  find.failed
                    ? 'Messages and attributes could not be searched; these are names only'
                    : 'Names, attributes, events, messages and log records'
                }
              >
                {props.foundAt >= 0 ? `${props.foundAt + 1} of ` : ''}
                {formatCount(find.found.length)}
                {find.truncated || (props.isPart && !find.searched) ? '+' : ''}
                {find.pending ? ' …' : find.failed ? ' (names only)' : ''}
              </span>
              {props.isPart && find.searched && find.beyond.length > 0 && (
                <button
                  type="button"
                  title="Load up to the first of them"
                  className="ml-1 text-accent underline"
                  onClick={props.onBeyond}
                >
                  {formatCount(find.beyond.length)}
                  {find.truncated ? '+' : ''} not loaded
                </button>
              )}
              <Button
                look="plain"
                className="px-1"
                aria-label="Previous match"
                title="Previous match (Shift+Enter)"
                onClick={() => props.onNext(-1)}
              >
                <ArrowUp size={16} aria-hidden />
              </Button>
              <Button
                look="plain"
                className="px-1"
                aria-label="Next match"
                title="Next match (Enter)"
                onClick={() => props.onNext(1)}
              >
                <ArrowDown size={16} aria-hidden />
              </Button>
            </span>
          )}
          {props.view === 'tree' && (
            <Button
              look="plain"
              className="px-1"
              onClick={props.onFoldAll}
              aria-label={foldLabel}
              title={foldLabel}
            >
              {props.anyFolded ? (
                <ChevronsUpDown size={16} aria-hidden />
              ) : (
                <ChevronsDownUp size={16} aria-hidden />
              )}
            </Button>
          )}
        </div>
      </div>
      {find.text !== '' && (props.excerpt !== undefined || find.repeats > 0) && (
        <Suspense>
          <FindExcerpt excerpt={props.excerpt} repeats={find.repeats} text={find.text} />
        </Suspense>
      )}
    </>
  );
}
