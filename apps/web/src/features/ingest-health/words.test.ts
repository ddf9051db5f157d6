import { expect, it } from 'vitest';
import { reasonText, recordsWord, sinceText } from './words.ts';

it('says how long ago by the clock of the server', () => {
  const now = Date.parse('2026-11-20T10:00:30.400Z');
  expect(sinceText(null, now)).toBe('never');
  expect(sinceText('2026-11-20T10:00:30.000Z', now)).toBe('now');
  expect(sinceText('2026-11-20T10:00:27.000Z', now)).toBe('3 s ago');
  expect(sinceText('2026-11-20T10:01:00.000Z', now)).toBe('now');
  expect([recordsWord(1), recordsWord(1_200)]).toEqual(['1 record', '1.2k records']);
});

it('shows a reason that it does not know as it is', () => {
  expect(reasonText('too_large')).toBe('The body is too large');
  expect(reasonText('brand_new')).toBe('brand_new');
});
