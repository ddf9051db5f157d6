import type { GridColumn } from '../../ui/data-grid.tsx';

/** A column that may be chosen; `shown` are those of a first visit. */
export type RowColumn<Row> = GridColumn<Row> & { readonly shown: boolean };

/** Ids of columns as the URL has them: `start,name,attributes.http.route`; a comma within an id is escaped. */
export const printColumns = (ids: readonly string[]): string =>
  ids.map((id) => id.replaceAll(/[%,]/g, encodeURIComponent)).join(',');

export const readColumns = (cols: string): string[] =>
  cols.split(',').map((id) => id.replaceAll('%2C', ',').replaceAll('%25', '%'));

/** The columns that the URL asks for, else those of a first visit; always in the registry's order. */
export function chosenColumns<Row>(
  all: readonly RowColumn<Row>[],
  cols: string | undefined,
): RowColumn<Row>[] {
  const wanted = new Set(cols === undefined ? [] : readColumns(cols));
  const chosen = all.filter((column) => (cols === undefined ? column.shown : wanted.has(column.id)));
  return chosen.length > 0 ? chosen : all.filter((column) => column.shown);
}
