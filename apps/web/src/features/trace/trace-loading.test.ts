import { expect, it } from 'vitest';
import { failuresOf, loadingOf, SPANS_AT_ONCE } from './trace-loading.ts';

it('fetches a trace page by page, but a huge one only as far as it is asked for', () => {
  const rest = { hasNextPage: true, isError: false };
  expect(loadingOf(rest, 500, SPANS_AT_ONCE, false)).toBe('more');
  expect(loadingOf(rest, SPANS_AT_ONCE + 500, SPANS_AT_ONCE, false)).toBe('paused');
  expect(loadingOf(rest, SPANS_AT_ONCE + 500, 2 * SPANS_AT_ONCE, false)).toBe('more');
  expect(loadingOf({ ...rest, isError: true }, SPANS_AT_ONCE, SPANS_AT_ONCE, false)).toBe('failed');
  expect(loadingOf({ ...rest, hasNextPage: false }, 10 * SPANS_AT_ONCE, SPANS_AT_ONCE, false)).toBe('done');
});

it('goes on loading a huge trace while a span is asked for that is not here', () => {
  const rest = { hasNextPage: true, isError: false };
  expect(loadingOf(rest, SPANS_AT_ONCE + 500, SPANS_AT_ONCE, true)).toBe('more');
  expect(loadingOf({ ...rest, isError: true }, SPANS_AT_ONCE, SPANS_AT_ONCE, true)).toBe('failed');
  expect(loadingOf({ ...rest, hasNextPage: false }, 500, SPANS_AT_ONCE, true)).toBe('done');
});

it('counts failed spans of a trace that is not here whole as the trace does', () => {
  expect(failuresOf('paused', 2, 70)).toBe(70);
  expect(failuresOf('paused', 2, 1)).toBe(2);
  expect(failuresOf('done', 2, 3)).toBe(2);
});
