import { expect, it } from 'vitest';
import { hourText, reasonText, recordsWord, refusedText, sinceText } from './words.ts';

it('says how long ago by the clock of the server', () => {
  const now = Date.parse('2026-11-20T10:00:30.400Z');
  expect(sinceText(null, now)).toBe('none since the start');
  expect(sinceText('2026-11-20T10:00:30.000Z', now)).toBe('now');
  expect(sinceText('2026-11-20T10:00:27.000Z', now)).toBe('3 s ago');
  expect(sinceText('2026-11-20T10:01:00.000Z', now)).toBe('now');
  expect([recordsWord(1), recordsWord(1_200)]).toEqual(['1 record', '1.2k records']);
});

it('does not say of an hour what was counted since a start', () => {
  const now = Date.parse('2026-11-20T10:00:30.400Z');
  expect(hourText('2026-11-20T09:57:30.000Z', now)).toBe('since the start 3m 00s ago');
  expect(hourText('2026-11-20T08:00:00.000Z', now)).toBe('in the last hour');
});

it('shows a reason that it does not know as it is', () => {
  expect(reasonText('too_large')).toBe('The body is too large');
  expect(reasonText('brand_new')).toBe('brand_new');
});

const NOW = Date.UTC(2026, 10, 26, 12);
const trouble = (
  minutesAgo: number,
  count: number,
  reason = 'too_large',
  what: 'record' | 'changed' = 'record',
) => ({ what, reason, count, lastTime: new Date(NOW - minutesAgo * 60_000).toISOString() });

it('tells what was refused lately as a trouble, and what was long ago in passing', () => {
  expect(refusedText([trouble(1, 5, 'values_cut', 'changed')], NOW)).toEqual({
    text: 'nothing refused',
    isRecent: false,
  });
  expect(refusedText([trouble(5, 2), trouble(2, 1, 'undecodable'), trouble(90, 7)], NOW)).toEqual({
    text: '3 refused: The body is no OTLP and 1 more, last 2m 00s ago',
    isRecent: true,
  });
  expect(refusedText([trouble(180, 2), trouble(120, 7)], NOW)).toEqual({
    text: '9 refused: The body is too large, last 2h 00m ago',
    isRecent: false,
  });
});
