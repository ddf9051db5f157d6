import { expect, it } from 'vitest';
import { eventId, parseEventId, Position, Positions } from './position.ts';

const START = 1_700_000_000_000;

it('a position knows of each of the last events which rows its client has', () => {
  const position = Position.startingAt(START);
  for (let second = 1; second <= 30; second += 1) {
    const at = START + second * 1_000;
    position.tell([{ id: `${second}`, receivedAtMs: at }], at);
    position.reached({ floor: START - 1, watermark: at, skips: [] }, at);
  }
  const then = position.asOf(10);
  expect(then?.event).toBe(10);
  expect(then?.search(START + 30_000).fromMs).toBe(START + 5_000);
  for (const second of [5, 10]) expect(then?.isTold(`${second}`)).toBe(true);
  expect(then?.isTold('11')).toBe(false);
  expect(position.isTold('30')).toBe(true);
  expect(position.asOf(31)).toBeUndefined();
});

it('a position remembers so many rows, and goes back as far as it knows them all', () => {
  const position = Position.startingAt(START);
  for (let event = 1; event <= 500; event += 1) {
    const at = START + event * 500;
    const rows = Array.from({ length: 50 }, (_, row) => ({ id: `${event} ${row}`, receivedAtMs: at }));
    position.tell(rows, at);
    position.reached({ floor: START - 1, watermark: at, skips: [] }, at);
  }
  expect(position.toldOf({ fromMs: 0, toMs: START + 250_000 })).toBeLessThanOrEqual(2_000);
  const known = Array.from({ length: 500 }, (_, index) => index + 1).filter((event) => position.asOf(event));
  expect(known.at(-1)).toBe(500);
  expect(known.length).toBeGreaterThan(10);
  const oldest = position.asOf(known[0] ?? 0);
  const during = oldest?.search(START + 250_000) ?? { fromMs: 0, toMs: 0 };
  // All that it would search again.
  expect(oldest?.toldOf(during)).toBe(11 * 50);
});

it('a view is gone after a minute, and after so many others', () => {
  const positions = new Positions(2);
  const kept = { of: 'q', position: Position.startingAt(START), end: () => {} };
  const ask = (view: string, now: number) => positions.take({ view, event: 0, watermark: START }, 'q', now);
  positions.keep('a', kept, START);
  expect(ask('a', START + 61_000)).toBeUndefined();
  for (const view of ['b', 'c', 'd']) positions.keep(view, kept, START + 61_000);
  expect(ask('b', START + 62_000)).toBeUndefined();
  expect(ask('d', START + 62_000)).toBeDefined();
});

it('an id says what was written into it, and another text nothing', () => {
  const id = { view: '0123456789abcdef', event: 7, watermark: START };
  expect(parseEventId(eventId(id))).toEqual(id);
  for (const text of [undefined, '', 'x', `${eventId(id)}.1`]) expect(parseEventId(text)).toBeUndefined();
});
