import type { Clock } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { PRICE_LIST } from '@candela/semconv';
import type { Handlers } from '../../http/handlers.ts';
import { csvLine } from '../export/formats/csv.ts';
import { callOf } from '../../http/idempotency.ts';
import { PRICE_COLUMNS, priceExport, priceTag } from './export.ts';
import { createPrices, searchList } from './service.ts';

type PriceHandlers = Pick<
  Handlers,
  | 'getPriceExport'
  | 'getPriceTable'
  | 'listCustomPrices'
  | 'createCustomPrice'
  | 'updateCustomPrice'
  | 'deleteCustomPrice'
  | 'searchPriceList'
>;

/** The price list, and the prices that people set before it. */
export function priceHandlers(clock: Clock, metadata: MetadataStore): PriceHandlers {
  const prices = createPrices(metadata);
  return {
    listCustomPrices: async ({ context }) => ({ data: await prices.list(context), nextCursor: null }),
    createCustomPrice: async ({ context, body, header }) => ({
      data: await prices.create(
        context,
        body,
        callOf(context, 'createCustomPrice', header('idempotency-key'), body),
      ),
    }),
    updateCustomPrice: async ({ context, params, body, header }) => {
      const call = callOf(context, 'updateCustomPrice', header('idempotency-key'), { ...params, body });
      return { data: await prices.update(context, params.id, body, call) };
    },
    deleteCustomPrice: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteCustomPrice', header('idempotency-key'), params);
      return { data: await prices.delete(context, params.id, call) };
    },
    searchPriceList: ({ query }) => searchList(query.q, query.limit),
    getPriceExport: ({ etag }) => {
      const answer = priceExport(PRICE_LIST, new Date(clock.now()).toISOString().slice(0, 10));
      etag(priceTag(answer));
      return answer;
    },
    getPriceTable: () => ({
      contentType: 'text/csv; charset=utf-8',
      fileName: 'candela-prices.csv',
      parts: table(),
    }),
  };
}

/** A part a provider, so that the whole is never in memory. */
async function* table(): AsyncGenerator<string> {
  yield csvLine(PRICE_COLUMNS.map(([name]) => name));
  for (const provider of PRICE_LIST.providers) {
    yield await Promise.resolve(
      provider.models.map((entry) => csvLine(PRICE_COLUMNS.map(([, of]) => of(entry, provider)))).join(''),
    );
  }
}
