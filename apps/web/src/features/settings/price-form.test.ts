import type { PriceRates } from '@candela/contract';
import { expect, test } from 'vitest';
import { bodyOf, hoursOf, writtenOf } from './price-form.ts';

const RATES: PriceRates = {
  input: 1.25,
  output: 0,
  cacheRead: 0.1,
  webSearch: 10,
  longPrompt: { above: 200_000, input: 2, output: 3 },
  tiers: { flex: { times: 0.5 }, priority: { input: 9, output: 9 } },
  regional: { times: 1.1, gov: 1.2 },
  peak: { times: 2, hoursUtc: [[9, 17]], weekdaysOnly: true },
};

test('a price that is opened and saved is the same', () => {
  const price = {
    names: ['gpt-4o', 'house-*'],
    provider: 'openai',
    scope: 'organisation' as const,
    validFrom: '2026-01-01',
    validTo: null,
    note: null,
    rates: RATES,
  };
  expect(bodyOf(writtenOf(price), RATES)).toEqual(price);
});

test('says what is missing', () => {
  const written = writtenOf({ names: ['m'], rates: { input: 1, output: 2 } });
  const rates = written.rates;
  expect(bodyOf({ ...written, names: ' , ' })).toMatch(/at least one model/);
  expect(bodyOf({ ...written, rates: { ...rates, input: '' } })).toMatch(/need a price/);
  expect(bodyOf({ ...written, rates: { ...rates, cacheRead: '-1' } })).toMatch(/no number/);
  expect(bodyOf({ ...written, rates: { ...rates, longAbove: '5' } })).toMatch(/long prompt/);
  expect(bodyOf({ ...written, rates: { ...rates, longInput: '5' } })).toMatch(/begins above/);
  expect(bodyOf({ ...written, rates: { ...rates, gov: '1.2' } })).toMatch(/regional endpoints/);
  expect(bodyOf({ ...written, rates: { ...rates, peak: '2' } })).toMatch(/peak hours/);
  expect(bodyOf({ ...written, hours: '9-17' })).toMatch(/their factor/);
});

test('hours of a day', () => {
  expect(hoursOf('9-17, 20 - 24')).toEqual([
    [9, 17],
    [20, 24],
  ]);
  for (const text of ['', '9', '17-9', '1-25', 'a-b']) expect(hoursOf(text)).toBeUndefined();
});
