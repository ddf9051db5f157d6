import type { RowColumn } from '../explore/columns.ts';

/** Rows that a person ticks, by their keys. */
export interface Picking {
  readonly keys: ReadonlySet<string>;
  readonly onKeys: (keys: ReadonlySet<string>) => void;
}

/** No more are ticked: what is done with them takes as many at once. */
export const MOST_PICKED = 100;

/** The first column while rows are chosen: a box to tick each. */
export const pickColumn = <Row,>(
  { keys, onKeys }: Picking,
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): RowColumn<Row> => ({
  id: 'pick',
  label: '',
  width: 32,
  shown: true,
  cell: (row, tabIndex) => {
    const key = keyOf(row);
    return (
      <label className="flex h-full cursor-pointer items-center">
        <input
          type="checkbox"
          aria-label={`Choose ${nameOf(row)}`}
          tabIndex={tabIndex}
          className="size-4 accent-accent-fill"
          checked={keys.has(key)}
          disabled={!keys.has(key) && keys.size >= MOST_PICKED}
          onChange={() => onKeys(keys.symmetricDifference(new Set([key])))}
        />
      </label>
    );
  },
});
