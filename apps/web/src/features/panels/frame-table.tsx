import type { Frame } from '@candela/contract';
import { useState } from 'react';
import { formatTime } from '../../lib/format.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { zonePreference } from '../../lib/zone.ts';
import { columnWords } from './prepare-frame.ts';

/** Rows that are drawn; the file has all of them. */
const MOST = 200;

/** The rows of a frame; a click on a head sorts by its column. */
export function FrameTable({ title, frame, height }: { title: string; frame: Frame; height: number }) {
  const zone = zonePreference.use();
  const [sort, setSort] = useState<{ at: number; down: boolean }>();
  const rows =
    sort === undefined
      ? frame.rows
      : frame.rows.toSorted((a, b) => {
          const [x, y] = [a[sort.at] ?? '', b[sort.at] ?? ''];
          return x === y ? 0 : (x < y ? -1 : 1) * (sort.down ? -1 : 1);
        });
  return (
    <div className="overflow-auto" style={{ maxHeight: height }}>
      <table className="w-full text-sm">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-surface">
          <tr>
            {frame.columns.map(({ name, kind }, at) => (
              <th
                key={name}
                scope="col"
                aria-sort={sort?.at === at ? (sort.down ? 'descending' : 'ascending') : 'none'}
                className={`border-b border-line px-1.5 py-1 font-medium text-muted ${kind === 'number' ? 'text-right' : 'text-left'}`}
              >
                <button
                  type="button"
                  // Heads of many columns break into lines before a figure leaves the card.
                  className={`hover:text-text ${frame.columns.length > 3 ? 'text-balance' : 'whitespace-nowrap'}`}
                  onClick={() => setSort({ at, down: sort?.at === at ? !sort.down : kind === 'number' })}
                >
                  {columnWords(name)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST).map((row, index) => (
            <tr key={index} className="border-b border-line/50 last:border-0 hover:bg-hover">
              {frame.columns.map(({ name, kind, unit }, at) => {
                const cell = row[at];
                if (kind === 'number' && (typeof cell === 'number' || cell === null))
                  return (
                    <td key={name} className="px-1.5 py-1 text-right" title={exactValue(cell, unit ?? '')}>
                      {formatValue(cell, unit ?? '')}
                    </td>
                  );
                const text =
                  kind === 'time' && typeof cell === 'number' ? formatTime(cell, zone) : String(cell ?? '');
                return (
                  <td
                    key={name}
                    // Beside many figures a name gives way, not the last figure.
                    className={`${frame.columns.length > 3 ? 'max-w-32' : 'max-w-64'} truncate px-1.5 py-1`}
                    title={text}
                  >
                    {text || '(none)'}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST && (
        <p className="px-1.5 py-1 text-xs text-faint">
          {MOST} of {rows.length} rows
        </p>
      )}
    </div>
  );
}
