import { ArrowDown, ArrowUp } from 'lucide-react';
import { cx } from '../../lib/cx.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { shortField } from './label-picker.tsx';
import type { LineFigures } from './explore-series.ts';
import { orderedLines, type SeriesColumn, type SeriesOrder } from './series-order.ts';

export interface TableLine {
  readonly key: string;
  readonly letter: string;
  readonly labels: readonly { readonly field: string; readonly value: string }[];
  readonly label: string;
  readonly unit: string;
  readonly figures: LineFigures;
}

const COLUMNS = [
  ['least', 'Min'],
  ['average', 'Avg'],
  ['most', 'Max'],
  ['last', 'Last'],
] as const;

/** Every line with its figures over the time range; a click on a head sorts by it, on a label's value filters by it. */
export function SeriesTable(props: {
  lines: readonly TableLine[];
  severalQueries: boolean;
  /** Absent: as the answers have them, the largest first. */
  order: SeriesOrder | undefined;
  onOrder: (order: SeriesOrder | undefined) => void;
  onFilter: (letter: string, field: string, value: string) => void;
}) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Series, table">
      <table className="w-full min-w-2xl text-sm" aria-label="Series">
        <thead>
          <tr className="h-7 border-b border-line text-left text-muted">
            {props.severalQueries && <th className="w-8 px-2 font-normal">Query</th>}
            <Head {...props} column="name" label="Series" />
            {COLUMNS.map(([id, name]) => (
              <Head key={id} {...props} column={id} label={name} />
            ))}
          </tr>
        </thead>
        <tbody>
          {orderedLines(props.lines, props.order).map((line) => (
            <tr key={line.key} className="h-7 border-b border-line/60 hover:bg-hover">
              {props.severalQueries && (
                <td className="px-2 font-mono whitespace-nowrap">{line.letter.toUpperCase()}</td>
              )}
              <td className="max-w-0 truncate px-2 py-1">
                {line.labels.length === 0 ? (
                  <MiddleTruncation name={line.label} />
                ) : (
                  <span className="flex flex-wrap gap-x-3">
                    {line.labels.map(({ field, value }) => (
                      <button
                        key={field}
                        type="button"
                        title={`Only ${field} ${value || '(none)'}`}
                        onClick={() => props.onFilter(line.letter, field, value)}
                        className="flex max-w-full min-w-0 gap-1 hover:underline"
                      >
                        <MiddleTruncation name={shortField(field)} title="" className="text-muted" />
                        <MiddleTruncation name={value || '(none)'} title="" />
                      </button>
                    ))}
                  </span>
                )}
              </td>
              {COLUMNS.map(([id]) => (
                <td
                  key={id}
                  className="px-2 text-right whitespace-nowrap"
                  title={exactValue(line.figures[id], line.unit)}
                >
                  {formatValue(line.figures[id], line.unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Of numbers the largest first, of names the first; then the other way round, then as it was. */
function Head(props: {
  column: SeriesColumn;
  label: string;
  order: SeriesOrder | undefined;
  onOrder: (order: SeriesOrder | undefined) => void;
}) {
  const { column, label, order, onOrder } = props;
  const isName = column === 'name';
  const first: SeriesOrder = isName ? column : `-${column}`;
  const second: SeriesOrder = isName ? `-${column}` : column;
  const next = order === first ? second : order === second ? undefined : first;
  const Arrow = order === column ? ArrowUp : order === `-${column}` ? ArrowDown : undefined;
  return (
    <th
      className={cx('px-2 font-normal', !isName && 'w-28 text-right')}
      aria-sort={order === column ? 'ascending' : order === `-${column}` ? 'descending' : 'none'}
    >
      <button
        type="button"
        onClick={() => onOrder(next)}
        className={cx(
          'inline-flex items-center gap-1 rounded hover:text-text',
          Arrow !== undefined && 'text-text',
        )}
      >
        {label}
        {Arrow !== undefined && <Arrow size={12} aria-hidden />}
      </button>
    </th>
  );
}
