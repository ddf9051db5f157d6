import type { Clock } from '@candela/kernel';
import { PRICE_LIST } from '@candela/semconv';
import type { Handlers } from '../../http/handlers.ts';
import { csvLine } from '../export/formats/csv.ts';
import { PRICE_COLUMNS, priceExport, priceTag } from './export.ts';

export function priceHandlers(clock: Clock): Pick<Handlers, 'getPriceExport' | 'getPriceTable'> {
  return {
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
