import type { Widget } from '@candela/contract';
import { GRID, inReadingOrder, type Place, placed } from '@candela/contract/layout';
import { Grip, MoveDiagonal2 } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { cx } from '../../lib/cx.ts';

/** Pixels of a row of the grid, and between its widgets. */
const ROW = 64;
const GAP = 8;

/** Height of a widget in pixels. */
export const heightOf = ({ h }: Pick<Place, 'h'>): number => h * ROW + (h - 1) * GAP;

type Held = { readonly id: string; readonly how: 'move' | 'resize' };

const flat = (widgets: readonly Widget[]) => widgets.map(({ id, place }) => ({ id, ...place }));
const withPlaces = (widgets: readonly Widget[], places: readonly ({ id: string } & Place)[]): Widget[] => {
  const by = new Map(places.map(({ id, x, y, w, h }) => [id, { x, y, w, h }]));
  return widgets.map((widget) => ({ ...widget, place: by.get(widget.id) ?? widget.place }));
};

/**
 * Widgets on twelve columns; below 800 pixels one column in reading order. While it is edited the grip of a widget moves
 * it and its corner resizes it: by pointer, or by arrows, Shift with arrows; Escape brings back what was there.
 */
export function BoardGrid(props: {
  widgets: readonly Widget[];
  editing: boolean;
  onLayout: (widgets: Widget[]) => void;
  /** Ref of each widget. */
  watch: (element: HTMLElement | null) => (() => void) | undefined;
  children: (widget: Widget, handles: ReactNode) => ReactNode;
}) {
  const { editing, onLayout } = props;
  const box = useRef<HTMLDivElement>(null);
  /** Widgets as they lie while one is held; what was there before. */
  const [held, setHeld] = useState<Held & { start: readonly Widget[] }>();
  const [told, setTold] = useState('');
  const from = useRef<{ x: number; y: number; place: Place }>(undefined);
  const { widgets } = props;

  const put = (start: readonly Widget[], id: string, to: Partial<Place>) => {
    const next = withPlaces(start, placed(flat(start), id, to));
    const at = next.find((one) => one.id === id);
    if (at === undefined) return;
    const { x, y, w, h } = at.place;
    setTold(`${at.title}: column ${x + 1}, row ${y + 1}, ${w} wide, ${h} high`);
    onLayout(next);
  };
  const begin = (event: PointerEvent<HTMLElement>, widget: Widget, how: Held['how']) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, y: event.clientY, place: widget.place };
    setHeld({ id: widget.id, how, start: widgets });
  };
  const go = (event: PointerEvent<HTMLElement>) => {
    const at = from.current;
    if (held === undefined || at === undefined || box.current === null) return;
    const column = (box.current.clientWidth + GAP) / GRID.columns;
    const dx = Math.round((event.clientX - at.x) / column);
    const dy = Math.round((event.clientY - at.y) / (ROW + GAP));
    const { x, y, w, h } = at.place;
    put(
      held.start,
      held.id,
      held.how === 'move'
        ? { x: Math.max(0, Math.min(GRID.columns - w, x + dx)), y: Math.max(0, y + dy) }
        : { w: Math.max(1, Math.min(GRID.columns - x, w + dx)), h: Math.max(1, h + dy) },
    );
  };
  const end = () => {
    from.current = undefined;
    setHeld(undefined);
  };
  const key = (event: KeyboardEvent<HTMLElement>, widget: Widget) => {
    if (event.key === 'Escape' && held !== undefined) {
      event.stopPropagation();
      onLayout([...held.start]);
      end();
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const [dx = 0, dy = 0] = step;
    const { x, y, w, h } = widget.place;
    if (held === undefined) setHeld({ id: widget.id, how: 'move', start: widgets });
    put(
      widgets,
      widget.id,
      event.shiftKey
        ? { w: Math.max(1, Math.min(GRID.columns - x, w + dx)), h: Math.max(1, h + dy) }
        : // Down passes the widget below, whose top it would only push.
          {
            x: Math.max(0, Math.min(GRID.columns - w, x + dx)),
            y: Math.max(0, y + (dy > 0 ? below(widgets, widget) : dy)),
          },
    );
  };
  return (
    <>
      <div
        ref={box}
        className="grid grid-cols-1 gap-2 min-[800px]:grid-cols-12"
        style={{ gridAutoRows: `minmax(${ROW}px, auto)` }}
      >
        {inReadingOrder(flat(widgets)).map(({ id }) => {
          const widget = widgets.find((one) => one.id === id);
          if (widget === undefined) return null;
          const { x, y, w, h } = widget.place;
          const grip = (how: Held['how'], label: string, icon: ReactNode, place: string) => (
            <button
              type="button"
              aria-label={label}
              title={`${label}: drag, or use the arrows${how === 'move' ? '; Shift with arrows resizes' : ''}`}
              className={cx(
                'touch-none rounded p-0.5 text-faint hover:text-text max-[800px]:hidden',
                how === 'move' ? 'cursor-grab' : 'cursor-nwse-resize',
                place,
              )}
              onPointerDown={(event) => begin(event, widget, how)}
              onPointerMove={go}
              onPointerUp={end}
              onPointerCancel={end}
              onKeyDown={(event) => key(event, widget)}
              onBlur={end}
            >
              {icon}
            </button>
          );
          return (
            <div
              key={id}
              ref={props.watch}
              data-widget={id}
              data-testid="widget"
              className={cx(
                'widget-place relative min-w-0',
                held?.id === id && 'z-10 rounded-md ring-2 ring-accent',
              )}
              style={{
                ['--column' as string]: `${x + 1} / span ${w}`,
                ['--row' as string]: `${y + 1} / span ${h}`,
                minHeight: heightOf(widget.place),
              }}
            >
              {props.children(
                widget,
                editing ? grip('move', `Move ${widget.title}`, <Grip size={13} aria-hidden />, '') : null,
              )}
              {editing &&
                grip(
                  'resize',
                  `Resize ${widget.title}`,
                  <MoveDiagonal2 size={13} aria-hidden className="rotate-90" />,
                  'absolute right-0.5 bottom-0.5',
                )}
            </div>
          );
        })}
      </div>
      <p role="status" className="sr-only">
        {told}
      </p>
    </>
  );
}

/** Rows down to pass what lies under a widget. */
function below(widgets: readonly Widget[], widget: Widget): number {
  const { x, y, w, h } = widget.place;
  const under = widgets.find(
    ({ id, place }) => id !== widget.id && place.y >= y + h && place.x < x + w && x < place.x + place.w,
  );
  return under === undefined ? 1 : under.place.y - y + under.place.h - h + 1;
}
