import { expect, it } from 'vitest';
import { chosenColumns, printColumns, readColumns, type RowColumn } from './columns.ts';

const column = (id: string, shown: boolean): RowColumn<string> => ({
  id,
  label: id,
  width: 1,
  shown,
  cell: (row) => row,
});

it('gives back every id, whatever keys hold', () => {
  const ids = ['name', 'attributes.a,b', 'attributes.100%', 'resource.%2C', 'attributes.é ü'];
  expect(readColumns(printColumns(ids))).toEqual(ids);
});

it('shows what the URL asks for in the order of the registry, else what is shown at first', () => {
  const all = [column('a', true), column('b', false), column('c,d', false)];
  const ids = (cols: string | undefined) => chosenColumns(all, cols).map(({ id }) => id);
  expect(ids(undefined)).toEqual(['a']);
  expect(ids(printColumns(['c,d', 'b']))).toEqual(['b', 'c,d']);
  expect(ids('nothing,known')).toEqual(['a']);
});
