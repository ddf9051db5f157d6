import { expect, it } from 'vitest';
import { eachOnce } from './each-once.ts';

const once = (arrived: string[], listed: string[]) =>
  eachOnce(
    arrived,
    listed,
    (row) => row.slice(0, 1),
    (row) => row.includes('running'),
  );

it('keeps the newest of a span that was sent while it ran and with its end', () => {
  expect(once(['a ended', 'b', 'a running'], ['b', 'c', 'a running'])).toEqual(['a ended', 'b', 'c']);
});

it('shows what arrived as the list has it, in the place of its arrival', () => {
  expect(once(['c', 'a', 'b'], ['b listed', 'a listed', 'd'])).toEqual(['c', 'a listed', 'b listed', 'd']);
});

it('does not let a row that arrived while it ran cover the one with its end', () => {
  expect(once(['b', 'a running'], ['a ended'])).toEqual(['b', 'a ended']);
});
