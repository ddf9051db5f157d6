import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useId, useMemo, useRef } from 'react';
import { cx } from '../../lib/cx.ts';
import { textScale } from '../../lib/rem.ts';
import { SpanBar, SpanName } from './span-row.tsx';
import { TimeRuler } from './time-ruler.tsx';
import type { Focus } from './trace-search.ts';
import type { TraceSpan } from './trace-spans.ts';
import { siblingPlaces, type SpanTree, visiblePositions } from './tree.ts';
import { type Jump, useReveal } from './use-reveal.ts';

const ROW = 28;

export interface TreeProps {
  spans: readonly TraceSpan[];
  tree: SpanTree;
  selected: string | undefined;
  /** Where the selected span stands, for others may have its id; -1 without one. */
  position: number;
  jump: Jump;
  folded: ReadonlySet<string>;
  found: ReadonlySet<number>;
  focus: Focus;
  onSelect: (spanId: string, position: number) => void;
  onFold: (spanId: string, fold: boolean) => void;
}

/** The spans as a tree with their bars in time; only the rows on screen exist. */
export default function TraceTree(props: TreeProps) {
  const { spans, tree, folded } = props;
  const visible = useMemo(() => visiblePositions(tree, spans, folded), [tree, spans, folded]);
  const siblings = useMemo(() => siblingPlaces(tree), [tree]);
  const scale = textScale();
  const spanAt = (row: number) => spans[tree.order[visible[row] ?? 0] as number] as TraceSpan;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({
    count: visible.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW * scale,
    overscan: 12,
  });
  const selectedPosition = props.position;
  const selectedRow = rowOf(visible, selectedPosition);
  useReveal(virtual, {
    row: selectedRow,
    rowHeight: ROW * scale,
    selected: props.selected,
    jump: props.jump,
    version: tree,
  });

  const select = (position: number) =>
    props.onSelect((spans[tree.order[position] as number] as TraceSpan).spanId, position);
  const go = (row: number) => {
    const next = visible[Math.min(visible.length - 1, Math.max(0, row))];
    if (next !== undefined) select(next);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const below = tree.descendants[selectedPosition] ?? 0;
    const isFolded = props.selected !== undefined && folded.has(props.selected);
    if (event.key === 'ArrowDown') go(selectedRow + 1);
    else if (event.key === 'ArrowUp') go(selectedRow - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(visible.length - 1);
    else if (event.key === 'PageDown') go(selectedRow + 20);
    else if (event.key === 'PageUp') go(selectedRow - 20);
    else if (event.key === 'ArrowRight' && props.selected !== undefined) {
      if (isFolded) props.onFold(props.selected, false);
      else if (below > 0) go(selectedRow + 1);
    } else if (event.key === 'ArrowLeft' && props.selected !== undefined) {
      if (below > 0 && !isFolded) props.onFold(props.selected, true);
      else {
        const parent = tree.parent[selectedPosition] ?? -1;
        if (parent !== -1) select(parent);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="flex min-h-0 grow flex-col">
      <div className="grid h-5 shrink-0 grid-cols-[minmax(0,58fr)_minmax(0,42fr)] border-b border-line">
        <span />
        <TimeRuler focus={props.focus} className="mr-2" />
      </div>
      <div
        ref={scroller}
        role="tree"
        aria-label="Spans"
        tabIndex={0}
        aria-activedescendant={selectedRow === -1 ? undefined : `${id}-${selectedPosition}`}
        onKeyDown={onKeyDown}
        data-testid="span-tree"
        // The row walked on shows where the keyboard is.
        className={cx(
          'group/tree min-h-0 grow overflow-auto',
          selectedRow === -1 ? '-outline-offset-2' : 'outline-none',
        )}
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const position = visible[item.index] as number;
            const span = spanAt(item.index);
            return (
              <TreeRow
                key={position}
                id={`${id}-${position}`}
                span={span}
                position={position}
                top={item.start}
                depth={tree.depth[position] ?? 0}
                nth={siblings.nth[position] ?? 0}
                siblings={siblings.of[position] ?? 0}
                below={tree.descendants[position] ?? 0}
                failedBelow={tree.failedBelow[position] ?? 0}
                folded={folded.has(span.spanId)}
                found={props.found.has(position)}
                selected={position === selectedPosition}
                focus={props.focus}
                onSelect={props.onSelect}
                onFold={props.onFold}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** One row; remembered, so that scrolling draws only the rows that come in. */
const TreeRow = memo(function TreeRow(props: {
  id: string;
  span: TraceSpan;
  position: number;
  top: number;
  depth: number;
  /** Which of how many siblings. */
  nth: number;
  siblings: number;
  below: number;
  failedBelow: number;
  folded: boolean;
  found: boolean;
  selected: boolean;
  focus: Focus;
  onSelect: TreeProps['onSelect'];
  onFold: TreeProps['onFold'];
}) {
  const { span, below, folded } = props;
  return (
    <div
      id={props.id}
      role="treeitem"
      aria-level={props.depth + 1}
      aria-posinset={props.nth}
      aria-setsize={props.siblings}
      aria-selected={props.selected}
      aria-expanded={below > 0 ? !folded : undefined}
      onClick={() => props.onSelect(span.spanId, props.position)}
      style={{ transform: `translateY(${props.top}px)` }}
      className={cx(
        'absolute top-0 left-0 grid h-7 w-full cursor-pointer grid-cols-[minmax(0,58fr)_minmax(0,42fr)] items-center border-b border-line/40 contain-strict',
        props.selected
          ? 'bg-selected -outline-offset-2 outline-accent-fill group-focus-visible/tree:outline-2'
          : 'hover:bg-hover',
      )}
    >
      <SpanName
        span={span}
        depth={props.depth}
        below={below}
        failedBelow={props.failedBelow}
        folded={folded}
        found={props.found}
        onFold={() => props.onFold(span.spanId, !folded)}
      />
      <div className="relative mr-2 flex h-full items-center overflow-hidden border-l border-line/60">
        <SpanBar span={span} focus={props.focus} />
      </div>
    </div>
  );
});

/** Row of a position among the visible ones (they ascend), -1 when it is folded away. */
function rowOf(visible: Int32Array, position: number): number {
  let low = 0;
  let high = visible.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = visible[middle] as number;
    if (value === position) return middle;
    if (value < position) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
