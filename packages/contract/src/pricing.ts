import { z } from 'zod';
import { defineRoute, type RouteDeclaration } from './route.ts';

/** The price list for clients that price calls themselves. It is public: prices are no secret. */

const rate = z.number().nonnegative();
const chatPrice = z.object({
  promptPrice: rate,
  completionPrice: rate,
  cacheReadPrice: rate.optional(),
  cacheCreationPrice: rate.optional(),
});

const priceExportSchema = z
  .object({
    chat: z.record(z.string(), chatPrice).meta({ description: 'By model, USD per 1,000 tokens.' }),
    embeddings: z.record(z.string(), rate),
    audio: z
      .record(z.string(), rate)
      .meta({ description: 'Empty: the list has no prices by minute or character.' }),
    images: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Empty: the list has no prices by picture.' }),
    providers: z
      .record(
        z.string(),
        z.object({ chat: z.record(z.string(), chatPrice), embeddings: z.record(z.string(), rate) }),
      )
      .meta({
        description:
          'The same by provider. A model that several providers have stands in the flat maps at the price of its maker.',
      }),
  })
  .meta({ id: 'PriceExport' });
export type PriceExport = z.output<typeof priceExportSchema>;

const getPriceExport = defineRoute({
  id: 'getPriceExport',
  method: 'GET',
  path: '/api/pricing/export',
  tag: 'Prices',
  summary: 'The price list of today as client libraries read it: USD per 1,000 tokens by model. Has an ETag',
  permission: 'public',
  crossOrigin: 'unread',
  response: priceExportSchema,
});

const getPriceTable = defineRoute({
  id: 'getPriceTable',
  method: 'GET',
  path: '/api/pricing/export.csv',
  tag: 'Prices',
  summary: 'Every row of the price list with its dates and its source, as CSV: USD per million tokens',
  permission: 'public',
  stream: 'file',
  produces: ['text/csv; charset=utf-8'],
  response: z.string().meta({ description: 'RFC 4180 with a header line.' }),
  errors: ['too_many_streams'],
});

/** Every route of the price list. */
export const PRICE_ROUTES = { getPriceExport, getPriceTable } as const satisfies Record<
  string,
  RouteDeclaration
>;
