import { z } from 'zod';
import { defineRoute, manages, reads, type RouteDeclaration } from './route.ts';
import { isoTime } from './telemetry/common.ts';

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

/** Bounds of prices that people set. */
export const PRICE_LIMITS = {
  names: 20,
  name: 200,
  provider: 100,
  note: 500,
  rate: 1_000_000,
  hours: 6,
} as const;

const usd = z.number().min(0).max(PRICE_LIMITS.rate);
const factor = z.number().min(0).max(1_000);
const classes = {
  input: usd,
  output: usd,
  cacheRead: usd.optional().meta({ description: 'Absent: like input.' }),
  cacheWrite: usd.optional().meta({ description: 'Absent: like input.' }),
  reasoning: usd.optional().meta({ description: 'Absent: like output.' }),
};
const tier = z.union([z.strictObject({ times: factor }), z.strictObject(classes)]);

export const priceRatesSchema = z
  .strictObject({
    ...classes,
    cacheWrite1h: usd
      .optional()
      .meta({ description: 'Cache writes that stay for an hour. Absent: like cacheWrite.' }),
    inputAudio: usd.optional(),
    outputAudio: usd.optional(),
    inputImage: usd.optional(),
    outputImage: usd.optional(),
    webSearch: usd.optional().meta({ description: 'USD per thousand searches of the web.' }),
    longPrompt: z
      .strictObject({ above: z.int().min(1).max(1e9), ...classes })
      .optional()
      .meta({ description: 'Rates of the whole call once its input is above so many tokens.' }),
    tiers: z
      .strictObject({ flex: tier.optional(), priority: tier.optional(), batch: tier.optional() })
      .optional()
      .meta({
        description:
          'By service tier: a factor, or rates. A tier that is left out keeps the price of the list.',
      }),
    regional: z.strictObject({ times: factor, gov: factor.optional() }).optional().meta({
      description: 'Factor of calls that stay in a region (`us.`, `eu.`), and in one of a government.',
    }),
    peak: z
      .strictObject({
        times: factor,
        hoursUtc: z
          .array(z.tuple([z.int().min(0).max(23), z.int().min(1).max(24)]))
          .min(1)
          .max(PRICE_LIMITS.hours),
        weekdaysOnly: z.boolean().optional(),
      })
      .optional()
      .meta({ description: 'Factor in hours of a day, UTC.' }),
  })
  .meta({ id: 'PriceRates', description: 'USD per million tokens, by class of tokens.' });
export type PriceRates = z.output<typeof priceRatesSchema>;

const isoDay = z.iso.date();
const priceShape = {
  scope: z
    .enum(['project', 'organisation'])
    .meta({ description: 'A price of the project stands before one of its organisation.' }),
  provider: z
    .string()
    .trim()
    .max(PRICE_LIMITS.provider)
    .regex(/^[^\p{Cc}]*$/u)
    .meta({ description: "As calls name it. '': whoever serves the model." }),
  names: z
    .array(
      z
        .string()
        .trim()
        .toLowerCase()
        .min(1)
        .max(PRICE_LIMITS.name)
        .regex(/^[^\p{Cc}*]*\*?$/u, {
          error: 'A name of a model, or what names begin with and a * behind it.',
        }),
    )
    .min(1)
    .max(PRICE_LIMITS.names)
    .meta({
      description:
        'Names of the model as calls have them, answered or requested; `gpt-4o*` stands for all that begin so.',
    }),
  rates: priceRatesSchema,
  validFrom: isoDay
    .nullable()
    .meta({ description: 'First day (UTC) of the calls that it holds for. Null: all before.' }),
  validTo: isoDay.nullable().meta({ description: 'First day on which it holds no more. Null: all after.' }),
  note: z.string().trim().max(PRICE_LIMITS.note).nullable(),
};
const priceBody = z.strictObject({
  ...priceShape,
  provider: priceShape.provider.default(''),
  validFrom: priceShape.validFrom.default(null),
  validTo: priceShape.validTo.default(null),
  note: priceShape.note.default(null),
});
const priceVersion = z
  .int()
  .min(1)
  .meta({ description: 'Goes up with every change; send it with a change.' });

export const customPriceSchema = z
  .object({
    id: z.string(),
    ...priceShape,
    version: priceVersion,
    createdBy: z.string().nullable(),
    createdAt: isoTime,
    updatedBy: z.string().nullable(),
    updatedAt: isoTime,
  })
  .meta({ id: 'CustomPrice' });
export type CustomPrice = z.output<typeof customPriceSchema>;

export const listedPriceSchema = z
  .object({
    provider: z.string(),
    model: z.string(),
    aliases: z.array(z.string()),
    rates: priceRatesSchema,
    validFrom: z.string().nullable(),
    validTo: z.string().nullable(),
    asOf: z.string().meta({ description: 'Day on which the figures were seen.' }),
    source: z.string(),
  })
  .meta({ id: 'ListedPrice' });
export type ListedPrice = z.output<typeof listedPriceSchema>;

const priceId = z.object({ id: z.string().min(1).max(64) });
const priceErrors = ['metadata_unavailable'] as const;

const listCustomPrices = defineRoute({
  id: 'listCustomPrices',
  method: 'GET',
  path: '/api/pricing/models',
  tag: 'Prices',
  summary:
    'Prices that people set for the project, then those of its organisation, in the order in which they are looked at',
  permission: reads('telemetry'),
  response: z.object({ data: z.array(customPriceSchema), nextCursor: z.null() }),
  errors: [...priceErrors],
});

const createCustomPrice = defineRoute({
  id: 'createCustomPrice',
  method: 'POST',
  path: '/api/pricing/models',
  tag: 'Prices',
  summary: 'Sets a price. Costs of stored calls are read by it from now on; what is stored stays',
  permission: manages('admin'),
  success: 201,
  body: priceBody,
  response: z.object({ data: customPriceSchema }),
  errors: ['refused', ...priceErrors],
});

const updateCustomPrice = defineRoute({
  id: 'updateCustomPrice',
  method: 'PUT',
  path: '/api/pricing/models/{id}',
  tag: 'Prices',
  summary: 'Replaces a price that somebody set',
  permission: manages('admin'),
  params: priceId,
  body: priceBody.extend({ version: priceVersion }),
  response: z.object({ data: customPriceSchema }),
  errors: ['not_found', 'conflict', 'refused', ...priceErrors],
});

const deleteCustomPrice = defineRoute({
  id: 'deleteCustomPrice',
  method: 'DELETE',
  path: '/api/pricing/models/{id}',
  tag: 'Prices',
  summary: 'Takes a price away: the price list counts again, also for calls that are stored',
  permission: manages('admin'),
  params: priceId,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...priceErrors],
});

const searchPriceList = defineRoute({
  id: 'searchPriceList',
  method: 'GET',
  path: '/api/pricing/list',
  tag: 'Prices',
  summary: 'Rows of the built-in price list, by a part of their model or provider',
  permission: reads('telemetry'),
  query: z.strictObject({
    q: z.string().max(200).default(''),
    limit: z.coerce.number().int().min(1).max(500).default(50),
  }),
  response: z.object({
    data: z.array(listedPriceSchema),
    total: z.int().meta({ description: 'Rows that match, of which `limit` are here.' }),
  }),
});

/** Every route of prices. */
export const PRICE_ROUTES = {
  getPriceExport,
  getPriceTable,
  listCustomPrices,
  createCustomPrice,
  updateCustomPrice,
  deleteCustomPrice,
  searchPriceList,
} as const satisfies Record<string, RouteDeclaration>;
