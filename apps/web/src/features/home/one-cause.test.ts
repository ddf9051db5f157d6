import { expect, it } from 'vitest';
import { byCause } from './one-cause.ts';

const told = (...exceptions: [type: string, message: string][]) =>
  byCause(exceptions.map(([type, message]) => ({ type, message }))).map((all) =>
    all.map(({ message }) => message),
  );

it('one cause is one line where its first stands, whatever its messages name', () => {
  expect(
    told(
      ['NoSeat', 'user ann has no seat'],
      ['Timeout', 'read timed out'],
      ['NoSeat', 'user bob has no seat'],
      ['NoSeat', 'user cleo  has no seat'],
    ),
  ).toEqual([['user ann has no seat', 'user bob has no seat', 'user cleo  has no seat'], ['read timed out']]);
});

it('two alike stand for themselves, where they stood', () => {
  const two: [string, string][] = [
    ['Limit', 'limit of model a reached'],
    ['Timeout', 'read timed out'],
    ['Limit', 'limit of model b reached'],
  ];
  expect(told(...two)).toEqual(two.map(([, message]) => [message]));
});

it('what is said otherwise, or of another type, stays apart', () => {
  for (const other of [
    ['NoSeat', 'organisation acme was closed yesterday'],
    ['NoSeat', 'user ann has no seat left here'],
    ['Forbidden', 'user ann has no seat'],
    ['NoSeat', ''],
  ] as const)
    expect(
      told(['NoSeat', 'user ann has no seat'], [...other], ['NoSeat', 'user bob has no seat']),
    ).toHaveLength(3);
  expect(told(['Error', 'ECONNREFUSED'], ['Error', 'ENOTFOUND'], ['Error', 'EPIPE'])).toHaveLength(3);
  expect(told(['Error', 'bad input'], ['Error', 'bad output'], ['Error', 'bad key'])).toHaveLength(3);
});

it('a flood of messages of any length is folded in no time to speak of', () => {
  const flood = Array.from({ length: 200 }, (_, at): [string, string] => [
    'E',
    `a b c d ${'x '.repeat(20_000)}${at}`,
  ]);
  expect(told(...flood)).toHaveLength(1);
});
