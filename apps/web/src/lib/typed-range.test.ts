import { expect, it } from 'vitest';
import { readTypedRange } from './typed-range.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

it('reads what people type', () => {
  const read = (from: string, to = 'now') => readTypedRange({ from, to }, NOW, 'utc');
  expect(read('yesterday 14:00', '15:00')).toEqual({
    from: '2026-11-19T14:00:00.000Z',
    to: '2026-11-19T15:00:00.000Z',
  });
  expect(read(' Yesterday', 'today 9:05')).toEqual({
    from: '2026-11-19T00:00:00.000Z',
    to: '2026-11-20T09:05:00.000Z',
  });
  expect(read('8:30')).toEqual({ from: '2026-11-20T08:30:00.000Z', to: 'now' });
  expect(read('-90m', '11:45:10')).toEqual({ from: '-90m', to: '2026-11-20T11:45:10.000Z' });
  expect(read('2026-11-18', '2026-11-18T10:30Z')).toEqual({
    from: '2026-11-18T00:00:00.000Z',
    to: '2026-11-18T10:30:00.000Z',
  });
  for (const text of ['', 'tomorrow', 'yesterday 25:00', '14:60', 'yesterday noon', '2026-13-01', '14'])
    expect([text, read(text).from]).toEqual([text, undefined]);
});
