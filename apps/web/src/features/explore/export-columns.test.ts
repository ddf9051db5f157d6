import { describe, expect, it } from 'vitest';
import { exceptionColumns } from '../exceptions/columns.tsx';
import { logColumns } from '../logs/columns.tsx';
import { spanColumns, TRACE_COLUMNS } from '../traces/columns.tsx';
import { exportColumns, FIELDS_OF } from './export-columns.ts';

describe('columns of an export', () => {
  it('are known for every column that a page has', () => {
    const ids = (columns: readonly { readonly id: string }[]) => columns.map(({ id }) => id).sort();
    const known = (signal: keyof typeof FIELDS_OF) => [...FIELDS_OF[signal].keys()].sort();
    expect(known('traces')).toEqual(ids(TRACE_COLUMNS));
    expect(known('spans')).toEqual(ids(spanColumns([])));
    expect(known('logs')).toEqual(ids(logColumns(false)));
    expect(known('exceptions')).toEqual(ids(exceptionColumns('')));
  });

  it('as shown are the fields of the columns, in their order, with the attributes', () => {
    const shown = ['start', 'tokens', 'attributes.http.route'];
    const fields = ['startTime', 'inputTokens', 'outputTokens', 'attributes.http.route'];
    expect(exportColumns('spans', 'csv', 'shown', shown)).toEqual(fields);
    expect(exportColumns('spans', 'json', 'shown', shown)).toEqual(fields);
  });

  it('of all fields have the attributes beside them where the format has none by itself', () => {
    expect(exportColumns('spans', 'csv', 'all', ['start', 'attributes.a'])).toEqual(['*', 'attributes.a']);
    expect(exportColumns('spans', 'csv', 'all', ['start'])).toBeUndefined();
    expect(exportColumns('spans', 'json', 'all', ['start', 'attributes.a'])).toBeUndefined();
  });

  it('of a chart alone are all fields', () => {
    expect(exportColumns('exceptions', 'csv', 'shown', ['trend'])).toBeUndefined();
  });
});
