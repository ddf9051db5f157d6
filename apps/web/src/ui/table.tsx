import type { ReactNode } from 'react';
import { cx } from '../lib/cx.ts';

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
}) {
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
        <tbody>
          {props.rows.map((row) => (
            <tr
              key={props.keyOf(row)}
              className={cx('hover:bg-hover', props.isPast?.(row) === true && 'text-muted')}
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
