import { expect, it } from 'vitest';
import { plainRange } from '../../lib/time-range.ts';
import { choiceOf } from './shell-search.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');

/** What a page stands for with that range, of which a moment is the end. */
function choice(from: string, zone: 'local' | 'utc', nowMs = NOW): string {
  const chosen = { from, to: 'now', env: undefined, project: undefined };
  return choiceOf(chosen, plainRange(chosen, nowMs, zone), zone);
}

it('a range of the calendar is another choice in another zone, and none other as time goes on', () => {
  expect(choice('today', 'utc')).not.toBe(choice('today', 'local'));
  expect(choice('today', 'utc', NOW + 60_000)).toBe(choice('today', 'utc'));
  expect(choice('today', 'utc')).not.toBe(choice('this-week', 'utc'));
});

it('any other range is the same choice in every zone', () => {
  expect(choice('-24h', 'utc')).toBe(choice('-24h', 'local'));
});

it('another environment or project is another choice', () => {
  const range = { from: '-24h', to: 'now' };
  const of = (env?: string, project?: string) => choiceOf({ ...range, env, project }, range, 'utc');
  expect(new Set([of(), of('production'), of(undefined, 'production')]).size).toBe(3);
});
