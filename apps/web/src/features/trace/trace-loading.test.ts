import { expect, it } from 'vitest';
import { loadingOf, SPANS_AT_ONCE } from './trace-loading.ts';

it('fetches a trace page by page, but a huge one only as far as it is asked for', () => {
  const rest = { hasNextPage: true, isError: false };
  expect(loadingOf(rest, 500, SPANS_AT_ONCE)).toBe('more');
  expect(loadingOf(rest, SPANS_AT_ONCE + 500, SPANS_AT_ONCE)).toBe('paused');
  expect(loadingOf(rest, SPANS_AT_ONCE + 500, 2 * SPANS_AT_ONCE)).toBe('more');
  expect(loadingOf({ ...rest, isError: true }, SPANS_AT_ONCE, SPANS_AT_ONCE)).toBe('failed');
  expect(loadingOf({ ...rest, hasNextPage: false }, 10 * SPANS_AT_ONCE, SPANS_AT_ONCE)).toBe('done');
});
