import { type ChatChart, sqlColumnKind, type SqlResult } from '@candela/contract';

const isTime = (type: string): boolean => sqlColumnKind(type) === 'time';
const isNumber = (type: string): boolean => sqlColumnKind(type) === 'number';

const MOST_BARS = 30;
const MOST_SERIES_ROWS = 1_000;

/** How a result is best drawn, by the types of its columns and the number of its rows. */
export function chartFor({ columns, rows }: Pick<SqlResult, 'columns' | 'rows'>): ChatChart {
  const times = columns.filter(({ type }) => isTime(type));
  const numbers = columns.filter(({ type }) => isNumber(type)).map(({ name }) => name);
  const texts = columns.filter(({ type }) => !isTime(type) && !isNumber(type)).map(({ name }) => name);
  const table: ChatChart = { type: 'table', x: null, y: [], series: null };
  const unique = new Set(columns.map(({ name }) => name)).size === columns.length;
  if (!unique || numbers.length === 0 || rows.length === 0) return table;
  const time = times[0];
  if (rows.length === 1) return numbers.length === 1 ? { ...table, type: 'stat', y: numbers } : table;
  if (time !== undefined && times.length === 1 && rows.length <= MOST_SERIES_ROWS) {
    if (texts.length === 0) return { type: 'line', x: time.name, y: numbers, series: null };
    if (texts.length === 1 && numbers.length === 1)
      return { type: 'line', x: time.name, y: numbers, series: texts[0] ?? null };
    return table;
  }
  if (times.length === 0 && texts.length === 1 && numbers.length <= 3 && rows.length <= MOST_BARS)
    return { type: 'bar', x: texts[0] ?? null, y: numbers, series: null };
  return table;
}
