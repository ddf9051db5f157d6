import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { cx } from '../lib/cx.ts';
import { mayTakeFocus, useHotkey } from '../lib/hotkeys.ts';
import { textScale } from '../lib/rem.ts';

export interface GridColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** What stands at its head instead: of a column without a label. */
  readonly head?: { readonly text: string; readonly title: string };
  /** Pixels it never falls below. */
  readonly width: number;
  /** Its share of the space left over; absent: none. */
  readonly grow?: number;
  readonly align?: 'end';
  /** Name of the sort order, when the server can sort by it. */
  readonly sort?: string;
  /** Links and buttons in it take `tabIndex`: a tab key passes by those of all rows but the one walked on. */
  readonly cell: (row: Row, tabIndex: 0 | -1) => ReactNode;
  /** In a grid that wraps: its text breaks into as many lines as it needs. */
  readonly wraps?: true;
  /** Where rows are records: what stands on the first line, or on lines of its own; all else follows, side by side. */
  readonly record?: 'lead' | 'text';
}

/** Where each list was left, so that coming back shows the same rows. */
const places = new Map<string, number>();
/** A row walked over is no selection yet. */
const SETTLED_MS = 200;

const ROW = 32;
/** About as high as a record is. */
const RECORD = 76;
/** What stands above the rows and stays there. */
const HEAD = 'sticky top-0 z-10 h-8 items-center border-b border-line bg-bg text-sm text-muted';
/** Rows that a page key goes over. */
const LEAP = 20;

/**
 * A virtualised list of rows that fetches more as its end comes near. `j`/`k` walk, Enter opens; the name cell holds
 * a real link, so that rows open in new tabs too. The grid keeps the focus and names the row walked on, which is what
 * a screen reader reads out. A tab key leads to the links of that row and then out: the list may have no end.
 */
export function DataGrid<Row>(props: {
  label: string;
  /** Remembers the scroll position under this name. */
  place: string;
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Key of the selected row, as the URL has it. */
  active: string | undefined;
  /** Hears the selected row once the walking rests, and at once when a row is opened; '' lets go of it. */
  onActive: (key: string) => void;
  onOpen: (row: Row) => void;
  sort: string;
  onSort: (field: string) => void;
  /** There are more rows than these. */
  more: boolean;
  /** The next ones are under way, or could not be had: they are not asked for. */
  paused?: boolean;
  onMore: () => void;
  /** Hears how far the rows are scrolled, also where they begin and that they are gone: then they are at their top. */
  onScrolled?: (top: number) => void;
  /** Rows are as high as their text. */
  wrap?: boolean;
  /** Rows are no lines of columns, but what leads and the rest below it: on a telephone nothing lies right of the edge. */
  records?: boolean;
  footer?: ReactNode;
}) {
  const { rows, keyOf, records = false } = props;
  const measured = records || props.wrap === true;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const id = useId();
  const scale = textScale();
  const inUrl = props.active ?? '';
  const [active, setActive] = useState(inUrl);
  const [given, setGiven] = useState(inUrl);
  const [told, setTold] = useState(inUrl);
  if (given !== inUrl) {
    setGiven(inUrl);
    // The answer to what was told may come after the next step; only a change from elsewhere moves the row.
    if (inUrl !== told) {
      setTold(inUrl);
      setActive(inUrl);
    }
  }
  const tell = useEffectEvent((key: string) => {
    setTold(key);
    props.onActive(key);
  });
  useEffect(() => {
    // Told again while the page of an opened row is still loading, the address of the list would win over it.
    if (active === told) return undefined;
    const timer = setTimeout(() => tell(active), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [active, told]);
  const orders = records ? props.columns.filter(({ sort }) => sort !== undefined) : [];
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (records ? RECORD : ROW) * scale,
    overscan: 16,
    // The rows begin below the head.
    scrollPaddingEnd: records && orders.length === 0 ? 0 : ROW * scale,
    initialOffset: places.get(props.place) ?? 0,
    getItemKey: (index) => keyOf(rows[index] as Row),
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const fetchMore = useEffectEvent(() => props.onMore());
  const wantsMore = props.more && props.paused !== true;
  useEffect(() => {
    if (wantsMore && last >= rows.length - 30) fetchMore();
  }, [wantsMore, last, rows.length]);

  const at = rows.findIndex((row) => keyOf(row) === active);
  const goTo = (wanted: number) => {
    const next = Math.min(rows.length - 1, Math.max(0, wanted));
    const row = rows[next];
    if (row === undefined) return;
    setActive(keyOf(row));
    virtual.scrollToIndex(next);
    // In a low window the page may have scrolled the rows away.
    scroller.current?.scrollIntoView({ block: 'nearest' });
    // The walk is heard where the focus is, and Enter opens what was walked to.
    if (mayTakeFocus()) grid.current?.focus({ preventScroll: true });
  };
  const step = (by: number) => goTo(at === -1 ? 0 : at + by);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(rows.length - 1);
    else if (event.key === 'PageDown') step(LEAP);
    else if (event.key === 'PageUp') step(-LEAP);
    else return;
    event.preventDefault();
  };
  const mark = (row: Row) => {
    const key = keyOf(row);
    setActive(key);
    if (key === told) return;
    setTold(key);
    props.onActive(key);
  };
  const open = (row: Row) => {
    mark(row);
    props.onOpen(row);
  };
  const reveal = useEffectEvent(() => {
    if (!places.has(props.place) && at > 0) virtual.scrollToIndex(at, { align: 'center' });
  });
  useEffect(() => reveal(), []);
  const tellScrolled = useEffectEvent((top: number) => props.onScrolled?.(top));
  useEffect(() => {
    tellScrolled(scroller.current?.scrollTop ?? 0);
    return () => tellScrolled(0);
  }, []);
  const shownPlace = useRef(props.place);
  const settle = useEffectEvent(() => virtual.scrollToOffset(places.get(props.place) ?? 0));
  useEffect(() => {
    // Another order or another search is another list: it begins where it was left, else at its top.
    if (shownPlace.current === props.place) return;
    shownPlace.current = props.place;
    settle();
  }, [props.place]);
  useHotkey(['j', 'ArrowDown'], () => step(1), { label: 'Next row', group: 'List' });
  useHotkey(['k', 'ArrowUp'], () => step(-1), { label: 'Previous row', group: 'List' });
  useHotkey('Enter', () => at !== -1 && open(rows[at] as Row), {
    label: 'Open the row',
    group: 'List',
    enabled: at !== -1,
  });
  useHotkey('Escape', () => setActive(''), {
    label: 'Let go of the row',
    group: 'List',
    enabled: at !== -1,
  });

  const template = records
    ? {}
    : {
        gridTemplateColumns: props.columns
          .map(({ width, grow }) =>
            grow === undefined ? `${width * scale}px` : `minmax(${width * scale}px, ${grow}fr)`,
          )
          .join(' '),
      };
  const minWidth = records ? 0 : props.columns.reduce((sum, column) => sum + column.width * scale, 16);
  return (
    <div
      ref={scroller}
      onScroll={(event) => {
        const { scrollTop } = event.currentTarget;
        places.set(props.place, scrollTop);
        props.onScrolled?.(scrollTop);
      }}
      className="h-full overflow-auto"
      data-testid="scroller"
    >
      {/* Records have no columns that a head could stand above. */}
      {orders.length > 0 && (
        <div role="group" aria-label="Sort by" className={cx(HEAD, 'flex gap-4 overflow-x-auto px-3.5')}>
          {orders.map((column) => (
            <SortButton key={column.id} column={column} sort={props.sort} onSort={props.onSort} says />
          ))}
        </div>
      )}
      <div
        ref={grid}
        role="grid"
        aria-label={props.label}
        aria-rowcount={props.more ? -1 : rows.length + (records ? 0 : 1)}
        aria-activedescendant={items.some(({ index }) => index === at) ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ minWidth }}
        // The row walked on shows where the keyboard is; before there is one, the whole list.
        className={cx('group/grid', at === -1 ? '-outline-offset-2' : 'outline-none')}
      >
        {!records && (
          <div role="row" style={template} className={cx(HEAD, 'grid px-2')}>
            {props.columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </div>
        )}
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index] as Row;
            const key = keyOf(row);
            return (
              <div
                key={item.key}
                ref={measured ? virtual.measureElement : undefined}
                data-index={item.index}
                id={`${id}-${item.index}`}
                role="row"
                // Columns have a head, which is the first of the rows.
                aria-rowindex={item.index + (records ? 1 : 2)}
                aria-selected={key === active}
                // Before the link inside goes away from this page.
                onClickCapture={(event) => {
                  if (event.target instanceof Element && event.target.closest('a')) mark(row);
                }}
                onClick={(event) => {
                  // Links and boxes do their own; a dragged selection is a selection, not a click.
                  if (event.target instanceof Element && event.target.closest('a, button, label')) return;
                  if (window.getSelection()?.toString()) return;
                  open(row);
                }}
                style={{ ...template, transform: `translateY(${item.start}px)` }}
                className={cx(
                  'absolute top-0 left-0 w-full cursor-pointer border-b border-line/60 px-2',
                  records ? 'py-1.5' : 'grid',
                  !records && (props.wrap ? 'min-h-8 items-start py-1.5' : 'h-8 items-center'),
                  key === active
                    ? 'bg-selected -outline-offset-2 outline-accent-fill group-focus-visible/grid:outline-2'
                    : 'hover:bg-hover',
                )}
              >
                {records ? (
                  <RecordCells columns={props.columns} row={row} tabIndex={key === active ? 0 : -1} />
                ) : (
                  props.columns.map((column) => (
                    <div
                      key={column.id}
                      role="gridcell"
                      className={cx(
                        'min-w-0 px-1.5',
                        !(props.wrap && column.wraps) && 'truncate',
                        column.align === 'end' && 'text-right',
                      )}
                    >
                      {column.cell(row, key === active ? 0 : -1)}
                    </div>
                  ))
                )}
              </div>
            );
          })}
        </div>
      </div>
      {props.footer}
    </div>
  );
}

/**
 * A row without columns. What has no label (an outcome) stands before what leads; figures say what they are, and all else
 * says it to those who do not see it.
 */
function RecordCells<Row>(props: { columns: readonly GridColumn<Row>[]; row: Row; tabIndex: 0 | -1 }) {
  const { columns, row, tabIndex } = props;
  const first = columns.filter(({ label, record }) => label === '' || record === 'lead');
  const texts = columns.filter(({ record }) => record === 'text');
  const rest = columns.filter(({ label, record }) => label !== '' && record === undefined);
  return (
    <div role="presentation" className="flex flex-col gap-0.5 px-1.5">
      {first.length > 0 && (
        <div role="presentation" className="flex min-w-0 items-center gap-1.5">
          {first.map(({ id, label, cell }) => (
            <div
              key={id}
              role="gridcell"
              className={label === '' ? 'shrink-0' : 'line-clamp-2 min-w-0 grow wrap-anywhere'}
            >
              {label !== '' && <span className="sr-only">{label} </span>}
              {cell(row, tabIndex)}
            </div>
          ))}
        </div>
      )}
      {texts.map(({ id, label, wraps, cell }) => (
        <div
          key={id}
          role="gridcell"
          className={cx('wrap-anywhere has-[[data-none]]:hidden', wraps !== true && 'line-clamp-3')}
        >
          <span className="sr-only">{label} </span>
          {cell(row, tabIndex)}
        </div>
      ))}
      <div role="presentation" className="flex flex-wrap gap-x-3 text-sm text-muted">
        {rest.map(({ id, label, align, sort, cell }) => (
          <div key={id} role="gridcell" className="flex max-w-full gap-1 truncate has-[[data-none]]:hidden">
            <span className={align === 'end' || sort !== undefined ? 'text-faint' : 'sr-only'}>{label}</span>
            {cell(row, tabIndex)}
          </div>
        ))}
      </div>
    </div>
  );
}

interface HeadProps<Row> {
  column: GridColumn<Row>;
  sort: string;
  onSort: (field: string) => void;
}

/** Which way the rows are put in order by a column; undefined: they are not. */
function directionOf<Row>({ column, sort }: HeadProps<Row>): 'ascending' | 'descending' | undefined {
  if (column.sort === undefined || sort.replace('-', '') !== column.sort) return undefined;
  return sort.startsWith('-') ? 'descending' : 'ascending';
}

function HeadCell<Row>(props: HeadProps<Row>) {
  const { column } = props;
  return (
    <div
      role="columnheader"
      aria-sort={column.sort === undefined ? undefined : (directionOf(props) ?? 'none')}
      className={cx('flex h-full min-w-0 items-center px-1.5', column.align === 'end' && 'justify-end')}
    >
      {column.sort === undefined ? (
        <span className="truncate" title={column.head?.title}>
          {column.head?.text ?? column.label}
        </span>
      ) : (
        <SortButton {...props} />
      )}
    </div>
  );
}

/** Puts the rows in order by a column, or turns the order round; `says` which it is where no head does. */
function SortButton<Row>(props: HeadProps<Row> & { says?: true }) {
  const { column } = props;
  const direction = directionOf(props);
  return (
    <button
      type="button"
      onClick={() => column.sort !== undefined && props.onSort(column.sort)}
      className={cx(
        'flex items-center gap-1 rounded hover:text-text',
        props.says ? 'shrink-0' : '-mx-1.5 h-full min-w-0 grow truncate px-1.5',
        !props.says && column.align === 'end' && 'justify-end',
        direction && 'text-text',
      )}
    >
      {column.label}
      {props.says && direction && <span className="sr-only"> {direction}</span>}
      {direction === 'descending' && <ArrowDown size={12} aria-hidden />}
      {direction === 'ascending' && <ArrowUp size={12} aria-hidden />}
    </button>
  );
}
