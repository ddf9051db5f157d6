import { ChevronLeft, ChevronRight, Maximize, Minus, Plus } from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { cx } from '../../../lib/cx.ts';
import { MiddleTruncation } from '../../../ui/middle-truncation.tsx';
import { SpanGlyph } from '../../../ui/span-glyph.tsx';
import { StatusIcon } from '../../../ui/status.tsx';
import {
  COMPACT,
  type GraphEdge,
  type GraphLayout,
  type GraphNode,
  type GraphShape,
  layoutGraph,
  NODE_HEIGHT,
  type PlacedNode,
  type Point,
  WIDE,
} from '../../prepare/graph.ts';
import { arrowOf, carried, fitted, nextNode, pathOf, shiftInto } from '../../prepare/graph-view.ts';
import { dragged, type View, zoomed } from '../../prepare/pinch.ts';

const MARGIN = 36;
const COMPACT_MARGIN = 12;
/** Narrower than this the wide shape shows one node and a half. */
const COMPACT_BELOW = 560;
/** Smaller than this nobody reads it: a larger graph is looked at in parts. */
const READABLE = 0.7;
/** More labels than this hide the lines: then only those of the node that is pointed at or chosen are written. */
const MOST_LABELS = 10;
/** Fitted on demand it is as small as it has to be, within reason. */
const SMALLEST = 0.1;
/** So much of what is on screen stays when the graph is moved on. */
const KEPT = 0.25;
const STEP = 1.25;
/** A finger on a node that moved less wants the node, not the graph. */
const STILL = 8;

/**
 * A graph from left to right: drag or scroll pans, two fingers or Ctrl with the wheel (or + and -) zoom, 0 fits. Arrow keys walk from
 * node to node, Tab reaches nodes and edges, Enter chooses. `selected` is a node id or an `edgeKey`.
 */
export function GraphView(props: {
  label: string;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  selected?: string | undefined;
  onNode: (id: string) => void;
  onEdge?: (edge: GraphEdge) => void;
  /** Beside the zoom buttons: a legend, what the numbers mean. */
  legend?: ReactNode;
}) {
  const { nodes, edges } = props;
  const box = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState<{ layout: GraphLayout; shape: GraphShape; view: View }>();
  const [size, setSize] = useState({ width: 800, height: 480 });
  const isCompact = size.width < COMPACT_BELOW;
  const shape = isCompact ? COMPACT : WIDE;
  const margin = isCompact ? COMPACT_MARGIN : MARGIN;
  const layout = useMemo(() => layoutGraph(nodes, edges, shape), [nodes, edges, shape]);
  // Where somebody went in it is kept while it grows; in another shape it is another picture.
  const kept =
    moved?.layout === layout
      ? moved.view
      : moved?.shape === shape
        ? carried(moved.view, moved.layout, layout, size)
        : undefined;
  const view = kept ?? fitted(layout, size, margin, READABLE);
  const setView = (next: View) => setMoved({ layout, shape, view: next });
  // It opens large enough to be read; asked for all of it, all of it is shown.
  const fit = () => setView(fitted(layout, size, margin, SMALLEST));
  const beyond = {
    left: view.x < 0,
    right: view.x + layout.width * view.scale > size.width,
  };
  const moveOn = (by: 1 | -1) => setView({ ...view, x: view.x - by * size.width * (1 - KEPT) });
  const zoom = (factor: number, at: Point = { x: size.width / 2, y: size.height / 2 }) =>
    setView(zoomed(view, factor, at));
  const onWheel = useEffectEvent((event: WheelEvent) => {
    event.preventDefault();
    const area = box.current?.getBoundingClientRect();
    if (!area) return;
    if (event.ctrlKey || event.metaKey)
      zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1, { x: event.clientX - area.left, y: event.clientY - area.top });
    else setView({ ...view, x: view.x - event.deltaX, y: view.y - event.deltaY });
  });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const wheel = (event: WheelEvent) => onWheel(event);
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    // React listens passively, which could not keep the page from scrolling.
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', wheel);
    };
  }, []);
  const [pointed, setPointed] = useState<string>();
  const chosenNode = nodes.some(({ id }) => id === props.selected) ? props.selected : undefined;
  const centre = pointed ?? chosenNode;
  const isNear = (edge: GraphEdge) => edge.from === centre || edge.to === centre;
  // In the compact shape labels lie on nodes: there the page's own words say what a node's lines would.
  const isTold = (edge: GraphEdge, key: string) =>
    !isCompact && (layout.edges.length <= MOST_LABELS || isNear(edge) || key === props.selected);
  const fingers = useRef(new Map<number, Point>());
  /** Where the fingers were, and the view then, when the last of them came or went. */
  const drag = useRef<{ before: readonly Point[]; from: View; onNode: boolean }>(undefined);
  const pointOf = (event: PointerEvent): Point => {
    const area = box.current?.getBoundingClientRect();
    return { x: event.clientX - (area?.left ?? 0), y: event.clientY - (area?.top ?? 0) };
  };
  const hold = (onNode: boolean) => {
    const before = [...fingers.current.values()];
    drag.current = before.length === 0 ? undefined : { before, from: view, onNode };
  };
  const release = (event: PointerEvent) => {
    if (fingers.current.delete(event.pointerId)) hold(false);
  };

  const focusNode = (placed: PlacedNode) => {
    const element = box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(placed.node.id)}"]`);
    element?.focus({ preventScroll: true });
  };
  /** Brings what was focused by keyboard into sight. */
  const reveal = (placed: PlacedNode) => {
    const left = placed.x * view.scale + view.x;
    const top = placed.y * view.scale + view.y;
    const x = shiftInto(left, shape.nodeWidth * view.scale, size.width, margin);
    const y = shiftInto(top, NODE_HEIGHT * view.scale, size.height, margin);
    if (x !== 0 || y !== 0) setView({ ...view, x: view.x + x, y: view.y + y });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const id = event.target instanceof HTMLElement ? event.target.dataset['node'] : undefined;
    const at = layout.nodes.find((placed) => placed.node.id === id);
    const next = at && nextNode(layout, at, event.key);
    if (next) focusNode(next);
    else if (event.key === '+' || event.key === '=') zoom(STEP);
    else if (event.key === '-') zoom(1 / STEP);
    else if (event.key === '0') fit();
    else if (at === undefined || !event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div
        ref={box}
        role="group"
        aria-label={props.label}
        data-testid="graph"
        className="relative min-h-0 grow cursor-grab touch-none overflow-hidden bg-sunken select-none active:cursor-grabbing"
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          const onNode = (event.target as Element).closest('button') !== null;
          // Where nodes fill a telephone, fingers have nowhere else to go.
          if (event.button !== 0 || (onNode && event.pointerType !== 'touch')) return;
          if (!onNode) event.currentTarget.setPointerCapture(event.pointerId);
          fingers.current.set(event.pointerId, pointOf(event));
          hold(onNode && fingers.current.size === 1);
        }}
        onPointerMove={(event) => {
          const { current } = drag;
          if (!current || !fingers.current.has(event.pointerId)) return;
          const at = pointOf(event);
          const [first] = current.before;
          if (current.onNode && first && Math.hypot(at.x - first.x, at.y - first.y) < STILL) return;
          drag.current = { ...current, onNode: false };
          // Taken from the node, whose click would otherwise come at the end.
          event.currentTarget.setPointerCapture(event.pointerId);
          fingers.current.set(event.pointerId, at);
          setView(dragged(current.from, current.before, [...fingers.current.values()]));
        }}
        onPointerUp={release}
        onPointerCancel={release}
      >
        <div
          className="absolute top-0 left-0 origin-top-left"
          style={{
            width: layout.width,
            height: layout.height,
            transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
          }}
        >
          <svg width={layout.width} height={layout.height} className="overflow-visible" aria-hidden>
            {layout.edges.map(({ edge, key, points, strength }) => (
              <g
                key={key}
                className={edge.failed ? 'text-danger' : 'text-line-strong'}
                opacity={centre === undefined || isNear(edge) || key === props.selected ? 1 : 0.6}
              >
                <path
                  d={pathOf(points)}
                  fill="none"
                  stroke="currentColor"
                  strokeWidth={1 + strength * 2.5}
                  className={cx(props.selected === key && 'text-accent-fill')}
                />
                <path d={arrowOf(points)} fill="currentColor" />
              </g>
            ))}
          </svg>
          {layout.nodes.map((placed) => (
            <NodeBox
              key={placed.node.id}
              placed={placed}
              width={shape.nodeWidth}
              selected={props.selected === placed.node.id}
              onChoose={() => props.onNode(placed.node.id)}
              onFocus={() => reveal(placed)}
              onPoint={setPointed}
            />
          ))}
          {layout.edges.map(
            ({ edge, key, middle }) =>
              isTold(edge, key) && (
                <EdgeLabel
                  key={key}
                  edge={edge}
                  middle={middle}
                  selected={props.selected === key}
                  names={[nameOf(nodes, edge.from), nameOf(nodes, edge.to)]}
                  onChoose={props.onEdge}
                />
              ),
          )}
        </div>
        <div className="absolute right-2 bottom-2 flex rounded-md border border-line bg-surface">
          {beyond.left && (
            <ToolButton label="More to the left" className={MORE} onClick={() => moveOn(-1)}>
              <ChevronLeft size={14} aria-hidden />
              More
            </ToolButton>
          )}
          {beyond.right && (
            <ToolButton label="More to the right" className={MORE} onClick={() => moveOn(1)}>
              More
              <ChevronRight size={14} aria-hidden />
            </ToolButton>
          )}
          <ToolButton label="Zoom in" onClick={() => zoom(STEP)}>
            <Plus size={14} aria-hidden />
          </ToolButton>
          <ToolButton label="Zoom out" onClick={() => zoom(1 / STEP)}>
            <Minus size={14} aria-hidden />
          </ToolButton>
          <ToolButton label="Fit the graph" onClick={fit}>
            <Maximize size={14} aria-hidden />
          </ToolButton>
        </div>
      </div>
      {props.legend}
    </div>
  );
}

function NodeBox(props: {
  placed: PlacedNode;
  width: number;
  selected: boolean;
  onChoose: () => void;
  onFocus: () => void;
  /** Hears which node the pointer is over. */
  onPoint: (id: string | undefined) => void;
}) {
  const { node, x, y } = props.placed;
  return (
    <button
      type="button"
      data-node={node.id}
      aria-pressed={props.selected}
      title={node.label}
      onClick={props.onChoose}
      onPointerEnter={() => props.onPoint(node.id)}
      onPointerLeave={() => props.onPoint(undefined)}
      onFocus={(event) => {
        if (event.currentTarget.matches(':focus-visible')) props.onFocus();
      }}
      style={{ left: x, top: y, width: props.width, height: NODE_HEIGHT }}
      className={cx(
        'absolute flex items-center gap-2 rounded-md border bg-surface px-2 text-left hover:border-line-strong',
        props.selected ? 'border-accent-fill bg-selected' : node.failed ? 'border-danger' : 'border-line',
      )}
    >
      <SpanGlyph kind={node.kind} />
      <span className="flex min-w-0 grow flex-col">
        <MiddleTruncation name={node.label} title="" className="font-medium" />
        {node.detail !== undefined && <span className="truncate text-xs text-muted">{node.detail}</span>}
      </span>
      {node.failed && <StatusIcon status="error" />}
    </button>
  );
}

function EdgeLabel(props: {
  edge: GraphEdge;
  middle: Point;
  selected: boolean;
  names: readonly [string, string];
  onChoose: ((edge: GraphEdge) => void) | undefined;
}) {
  const { edge, middle, onChoose } = props;
  if (edge.label === '') return null;
  const place = { left: middle.x, top: middle.y };
  const look = cx(
    'absolute max-w-32 -translate-x-1/2 -translate-y-1/2 truncate rounded bg-sunken px-1 text-xs',
    edge.failed ? 'text-danger' : 'text-muted',
    props.selected && 'bg-selected text-text',
  );
  if (!onChoose)
    return (
      <span style={place} className={look}>
        {edge.label}
      </span>
    );
  return (
    <button
      type="button"
      style={place}
      className={cx(look, 'min-h-6 hover:text-text')}
      aria-pressed={props.selected}
      aria-label={`${props.names[0]} to ${props.names[1]}: ${edge.label}`}
      onClick={() => onChoose(edge)}
    >
      {edge.label}
    </button>
  );
}

function ToolButton(props: { label: string; onClick: () => void; className?: string; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={props.label}
      title={props.label}
      onClick={props.onClick}
      className={cx(
        'flex h-7 items-center justify-center',
        props.className ?? 'w-7 text-muted hover:text-text',
      )}
    >
      {props.children}
    </button>
  );
}

/** It says that the graph goes on where it is cut, and leads there. */
const MORE = 'gap-1 border-r border-line px-2 text-sm text-accent hover:bg-hover';

const nameOf = (nodes: readonly GraphNode[], id: string): string =>
  nodes.find((node) => node.id === id)?.label ?? id;
