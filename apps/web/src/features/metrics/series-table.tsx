import { exactValue, formatValue } from '../../lib/format-value.ts';
import { shortField } from './label-picker.tsx';
import type { LineFigures } from './explore-series.ts';

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

/** Every line with its figures over the time range; a click on a label's value filters by it. */
export function SeriesTable(props: {
  lines: readonly TableLine[];
  severalQueries: boolean;
  onFilter: (letter: string, field: string, value: string) => void;
}) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label="Series, table">
      <table className="w-full min-w-xl text-sm" aria-label="Series">
        <thead>
          <tr className="h-7 border-b border-line text-left text-muted">
            {props.severalQueries && <th className="w-8 px-2 font-normal">Query</th>}
            <th className="px-2 font-normal">Series</th>
            {COLUMNS.map(([, name]) => (
              <th key={name} className="w-28 px-2 text-right font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.lines.map((line) => (
            <tr key={line.key} className="h-7 border-b border-line/60 hover:bg-hover">
              {props.severalQueries && <td className="px-2 font-mono">{line.letter.toUpperCase()}</td>}
              <td className="max-w-0 truncate px-2">
                {line.labels.length === 0
                  ? line.label
                  : line.labels.map(({ field, value }) => (
                      <button
                        key={field}
                        type="button"
                        title={`Only ${field} ${value || '(none)'}`}
                        onClick={() => props.onFilter(line.letter, field, value)}
                        className="mr-3 hover:underline"
                      >
                        <span className="text-muted">{shortField(field)} </span>
                        {value || '(none)'}
                      </button>
                    ))}
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
