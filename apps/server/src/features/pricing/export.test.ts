import { PRICE_LIST, type PriceList } from '@candela/semconv';
import { expect, test } from 'vitest';
import { PRICE_COLUMNS, priceExport, priceTag } from './export.ts';

const list: PriceList = {
  currency: 'USD',
  unit: 'million tokens',
  providers: [
    {
      provider: 'host',
      source: 'https://h',
      asOf: '2026-01-01',
      host: true,
      models: [{ model: 'm', input: 9, output: 9 }],
    },
    {
      provider: 'maker',
      source: 'https://m',
      asOf: '2026-01-01',
      models: [
        { model: 'm', aliases: ['alias'], input: 0.3, output: 2.5, cacheRead: 0.03, validFrom: '2026-06-01' },
        { model: 'm', input: 1, output: 5, cacheWrite: 1.25, validTo: '2026-06-01' },
        { model: 'e', input: 0.02, output: 0, kind: 'embeddings' },
      ],
    },
  ],
};

test('the list of a day in USD per thousand tokens; the maker stands before a host', () => {
  const june = { promptPrice: 0.0003, completionPrice: 0.0025, cacheReadPrice: 0.000_03 };
  expect(priceExport(list, '2026-06-01')).toEqual({
    chat: { alias: june, m: june },
    embeddings: { e: 0.000_02 },
    audio: {},
    images: {},
    providers: {
      host: { chat: { m: { promptPrice: 0.009, completionPrice: 0.009 } }, embeddings: {} },
      maker: { chat: { alias: june, m: june }, embeddings: { e: 0.000_02 } },
    },
  });
  expect(priceExport(list, '2026-05-31').chat['m']).toEqual({
    promptPrice: 0.001,
    completionPrice: 0.005,
    cacheCreationPrice: 0.001_25,
  });
});

test('the version of an answer follows from what it says', () => {
  const today = priceExport(PRICE_LIST, '2026-11-28');
  // The quotes of the header are put around it where it is sent.
  expect(priceTag(today)).toMatch(/^[\w-]{22}$/);
  expect(priceTag(today)).toBe(priceTag(priceExport(PRICE_LIST, '2026-11-28')));
  expect(priceTag(today)).not.toBe(priceTag(priceExport(PRICE_LIST, '2026-01-01')));
  expect(Object.keys(today.chat).length).toBeGreaterThan(300);
});

test('every row of the table has a source and a date', () => {
  const at = (name: string) => PRICE_COLUMNS.find(([column]) => column === name)?.[1];
  for (const provider of PRICE_LIST.providers)
    for (const entry of provider.models) {
      expect(at('source')?.(entry, provider)).toMatch(/^https:\/\//);
      expect(at('as_of')?.(entry, provider)).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
});
