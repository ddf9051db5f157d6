import { describe, expect, it } from 'vitest';
import { rowCounter } from './export-download.ts';

/** Rows counted of a file that comes in parts of one byte. */
function rowsOf(format: 'csv' | 'json', file: string): number | undefined {
  const count = rowCounter(format);
  let rows: number | undefined;
  for (const byte of new TextEncoder().encode(file)) rows = count?.(Uint8Array.of(byte));
  return rows;
}

describe('rows of a file', () => {
  it('of CSV are its lines but the head, whatever line breaks its cells have', () => {
    expect(rowsOf('csv', 'a,b\r\n')).toBe(0);
    expect(rowsOf('csv', 'a,b\r\n1,"two\r\nlines, ""quoted""\n"\r\n3,4\r\n')).toBe(2);
    expect(rowsOf('csv', 'a,b\r\n1,2\r\n3,')).toBe(1);
  });

  it('of JSON are its lines', () => {
    expect(rowsOf('json', '{"a":"\\"\\n"}\n{"a":"')).toBe(1);
  });

  it('are not told of OTLP, of which a line holds many', () => {
    expect(rowCounter('otlp')).toBeUndefined();
  });
});
