import type { Trace } from '@candela/contract';
import { useMemo } from 'react';
import { formatCount } from '../../lib/format.ts';
import type { Loading } from './trace-loading.ts';
import { traceNotes } from './trace-notes.ts';
import type { TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

/** What is still missing from the picture, or unusual about it. */
export function TraceFoot(props: {
  trace: Trace;
  spans: readonly TraceSpan[];
  tree: SpanTree;
  loading: Loading;
  looksAgain: boolean;
  onMore: () => void;
}) {
  const { spans, tree, trace, loading, looksAgain } = props;
  // Before all pages are here, every child of a later page would be called an orphan.
  const notes = useMemo(
    () => (loading === 'done' ? traceNotes(spans, tree, looksAgain) : []),
    [loading, spans, tree, looksAgain],
  );
  const frame = 'shrink-0 border-t border-line px-3 py-1 text-sm text-muted';
  const counts = `${formatCount(spans.length)} of ${formatCount(trace.spanCount)} spans loaded`;
  if (loading === 'more')
    return (
      <p role="status" className={frame}>
        {counts} …
      </p>
    );
  if (loading !== 'done')
    return (
      <p role={loading === 'failed' ? 'alert' : 'status'} className={frame}>
        {counts}
        {loading === 'failed' ? '; the rest could not be fetched.' : '.'}{' '}
        <button type="button" className="text-accent underline" onClick={props.onMore}>
          {loading === 'failed' ? 'Try again' : 'Load more'}
        </button>
      </p>
    );
  if (notes.length === 0) return null;
  const list = (
    <ul aria-label="Notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
  if (notes.length === 1) return <div className={frame}>{list}</div>;
  // Below one another the panes leave few rows for the spans: several notes are folded there.
  return (
    <details open={window.matchMedia('(min-width: 64rem)').matches} className={frame}>
      <summary>{notes.length} notes</summary>
      {list}
    </details>
  );
}
