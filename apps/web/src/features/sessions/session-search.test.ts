import { expect, it } from 'vitest';
import { validateSessionSearch } from './session-search.ts';

it('holds a turn, a place in it, and since when the session is shown', () => {
  const turn = 'a'.repeat(32);
  const since = '2026-11-26T10:00:00.000Z';
  expect(validateSessionSearch({ turn, at: 'end', since })).toEqual({ turn, at: 'end', since });
  expect(validateSessionSearch({ turn: 'x', at: 'end', since })).toEqual({ since });
  expect(validateSessionSearch({ turn, since: 'soon' })).toEqual({ turn });
  expect(validateSessionSearch({ since: 7 })).toEqual({});
});
