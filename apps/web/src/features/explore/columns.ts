import type { GridColumn } from '../../ui/data-grid.tsx';

/** A column that may be chosen; `shown` are those of a first visit. */
export type RowColumn<Row> = GridColumn<Row> & { readonly shown: boolean };

/** The columns that the URL asks for, else those of a first visit; always in the registry's order. */
export function chosenColumns<Row>(
  all: readonly RowColumn<Row>[],
  cols: string | undefined,
): RowColumn<Row>[] {
  const wanted = new Set(cols?.split(','));
  const chosen = all.filter((column) => (cols === undefined ? column.shown : wanted.has(column.id)));
  return chosen.length > 0 ? chosen : all.filter((column) => column.shown);
}
