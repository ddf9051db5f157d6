import { type ReactNode, useRef } from 'react';
import { cx } from '../lib/cx.ts';
import { mayTakeFocus, useHotkey } from '../lib/hotkeys.ts';

export interface TableColumn<Row> {
  readonly label: string;
  readonly align?: 'end';
  readonly className?: string;
  /** On a telephone it stands without its label; default: the first column alone. */
  readonly leads?: true;
  readonly cell: (row: Row) => ReactNode;
}

/** What a telephone shows of a column's label beside each value: buttons and what leads say themselves what they are. */
const besides = (column: { label: string; leads?: true }, first: boolean): string | undefined =>
  first || column.leads === true || column.label === 'Actions' || column.label === ''
    ? undefined
    : column.label;

/**
 * A short table inside a page. On a telephone a row is a record, its values one after another with their labels: nothing
 * lies right of the edge, least of all the buttons, which come last.
 */
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
  const leads = props.columns.filter((column) => column.leads).length;
  if (props.rows.length === 0) return <p className="p-2 text-sm text-muted">{props.empty}</p>;
  return (
    <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={props.label}>
      <table className="w-full border-collapse text-sm max-sm:block">
        <thead className="max-sm:sr-only">
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
        <tbody ref={body} className="max-sm:block">
          {props.rows.map((row) => (
            <tr
              key={props.keyOf(row)}
              className={cx(
                'hover:bg-hover has-focus-visible:bg-selected',
                'max-sm:flex max-sm:flex-wrap max-sm:items-baseline max-sm:gap-x-3 max-sm:gap-y-0.5',
                'max-sm:border-b max-sm:border-line max-sm:px-2 max-sm:py-1.5',
                props.isPast?.(row) === true && 'text-muted',
              )}
            >
              {props.columns.map((column, at) => {
                const label = besides(column, at === 0);
                const isLead = column.leads ?? at === 0;
                return (
                  <td
                    key={column.label}
                    data-label={label}
                    className={cx(
                      'border-b border-line px-2 py-1 whitespace-nowrap',
                      'max-sm:flex max-sm:max-w-full max-sm:flex-wrap max-sm:items-baseline max-sm:gap-x-1',
                      'max-sm:border-0 max-sm:p-0 max-sm:text-left max-sm:wrap-anywhere max-sm:whitespace-normal',
                      'max-sm:*:max-w-full max-sm:empty:hidden max-sm:has-[>:is(span,div):only-child:empty]:hidden',
                      // To those who hear the page the head says it.
                      label !== undefined &&
                        "max-sm:before:text-faint max-sm:before:content-[attr(data-label)_/_'']",
                      isLead && 'max-sm:font-medium',
                      at === 0 && leads === 0 && 'max-sm:basis-full',
                      (column.label === 'Actions' || column.label === '') && 'max-sm:ml-auto',
                      column.align === 'end' && 'text-right',
                      column.className,
                    )}
                  >
                    {column.cell(row)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
