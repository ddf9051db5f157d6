/** The price list for others: as client libraries read it (USD per 1,000 tokens by model), and whole as a table. */
import { createHash } from 'node:crypto';
import type { PriceExport } from '@candela/contract';
import type { PriceEntry, PriceList } from '@candela/semconv';

const PER_THOUSAND = 1000;
/** Twelve digits take away the noise of dividing. */
const perThousand = (rate: number): number => Number((rate / PER_THOUSAND).toPrecision(12));

const holdsOn = (day: string, { validFrom, validTo }: PriceEntry): boolean =>
  (validFrom === undefined || validFrom <= day) && (validTo === undefined || day < validTo);

/**
 * The list of one day. Names are those of the list and their aliases. In the flat maps a model of several providers has the price
 * of who makes it: makers stand before hosts.
 */
export function priceExport(list: PriceList, day: string): PriceExport {
  const chat = new Map<string, PriceExport['chat'][string]>();
  const embeddings = new Map<string, number>();
  const providers = new Map<string, PriceExport['providers'][string]>();
  const makersFirst = list.providers.toSorted((a, b) => Number(a.host === true) - Number(b.host === true));
  for (const { provider, models } of makersFirst) {
    const ownChat = new Map<string, PriceExport['chat'][string]>();
    const ownEmbeddings = new Map<string, number>();
    for (const entry of models) {
      if (!holdsOn(day, entry)) continue;
      for (const name of [entry.model, ...(entry.aliases ?? [])]) {
        if (entry.kind === undefined) {
          const price = chatPrice(entry);
          ownChat.set(name, price);
          if (!chat.has(name)) chat.set(name, price);
        } else if (entry.kind === 'embeddings') {
          const price = perThousand(entry.input);
          ownEmbeddings.set(name, price);
          if (!embeddings.has(name)) embeddings.set(name, price);
        }
      }
    }
    providers.set(provider, { chat: sorted(ownChat), embeddings: sorted(ownEmbeddings) });
  }
  return {
    chat: sorted(chat),
    embeddings: sorted(embeddings),
    audio: {},
    images: {},
    providers: sorted(providers),
  };
}

function chatPrice({
  input,
  output,
  cacheRead = 0,
  cacheWrite = 0,
}: PriceEntry): PriceExport['chat'][string] {
  return {
    promptPrice: perThousand(input),
    completionPrice: perThousand(output),
    ...(cacheRead > 0 ? { cacheReadPrice: perThousand(cacheRead) } : {}),
    ...(cacheWrite > 0 ? { cacheCreationPrice: perThousand(cacheWrite) } : {}),
  };
}

const sorted = <T>(map: ReadonlyMap<string, T>): Record<string, T> =>
  Object.fromEntries([...map].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Names the version of an answer: the same list on the same day is the same. */
export const priceTag = (answer: PriceExport): string =>
  createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 22);

/** Columns of the table, each with its cell of a row. */
export const PRICE_COLUMNS: readonly (readonly [
  name: string,
  of: (entry: PriceEntry, provider: PriceList['providers'][number]) => string | number | undefined,
])[] = [
  ['provider', (_entry, { provider }) => provider],
  ['model', ({ model }) => model],
  ['aliases', ({ aliases }) => aliases?.join(' ')],
  ['kind', ({ kind }) => kind ?? 'chat'],
  ['input', ({ input }) => input],
  ['output', ({ output }) => output],
  ['cache_read', ({ cacheRead }) => cacheRead],
  ['cache_write', ({ cacheWrite }) => cacheWrite],
  ['cache_write_1h', ({ cacheWrite1h }) => cacheWrite1h],
  ['reasoning', ({ reasoning }) => reasoning],
  ['input_audio', ({ inputAudio }) => inputAudio],
  ['output_audio', ({ outputAudio }) => outputAudio],
  ['input_image', ({ inputImage }) => inputImage],
  ['output_image', ({ outputImage }) => outputImage],
  ['web_search_per_1000', ({ webSearch }) => webSearch],
  ['long_prompt', ({ longPrompt }) => json(longPrompt)],
  ['tiers', ({ tiers }) => json(tiers)],
  ['regional', ({ regional }) => json(regional)],
  ['peak', ({ peak }) => json(peak)],
  ['valid_from', ({ validFrom }) => validFrom],
  ['valid_to', ({ validTo }) => validTo],
  ['as_of', ({ asOf }, provider) => asOf ?? provider.asOf],
  ['verified', ({ verified }) => String(verified !== false)],
  ['source', ({ source }, provider) => source ?? provider.source],
];

const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);
