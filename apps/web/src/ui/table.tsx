import { type ReactNode, useRef } from 'react';
import { cx } from '../lib/cx.ts';
import { mayTakeFocus, useHotkey } from '../lib/hotkeys.ts';

export interface TableColumn<Row> {
  readonly label: string;
  readonly align?: 'end';
  readonly className?: string;
  readonly cell: (row: Row) => ReactNode;
}

/** A short table inside a page. */
export function Table<Row>(props: {
  label: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** What stands there without rows. */
  empty: string;
  /** Rows that are over. */
  isPast?: (row: Row) => boolean;
  /** It is the list of its page: `j` and `k` lead from what opens a row to that of the next. */
  walked?: true;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const step = (by: 1 | -1) => {
    if (!mayTakeFocus()) return;
    const opens = [...(body.current?.rows ?? [])].flatMap(
      (row) => row.querySelector<HTMLElement>('a[href], button:enabled') ?? [],
    );
    const at = opens.findIndex((one) => one.closest('tr')?.contains(document.activeElement) === true);
    opens[at === -1 ? 0 : Math.min(opens.length - 1, Math.max(0, at + by))]?.focus();
  };
  const about = { group: 'List', enabled: props.walked === true && props.rows.length > 0 };
  useHotkey('j', () => step(1), { ...about, label: 'Next row' });
  useHotkey('k', () => step(-1), { ...about, label: 'Previous row' });
  if (props.rows.length === 0) return <p className="p-2 text-sm text-muted">{props.empty}</p>;
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={props.label}>
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="text-left text-muted">
            {props.columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                className={cx(
                  'border-b border-line px-2 py-1 font-normal whitespace-nowrap',
                  column.align === 'end' && 'text-right',
                )}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {props.rows.map((row) => (
            <tr
              key={props.keyOf(row)}
              className={cx(
                'hover:bg-hover has-focus-visible:bg-selected',
                props.isPast?.(row) === true && 'text-muted',
              )}
            >
              {props.columns.map((column) => (
                <td
                  key={column.label}
                  className={cx(
                    'border-b border-line px-2 py-1 whitespace-nowrap',
                    column.align === 'end' && 'text-right',
                    column.className,
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
