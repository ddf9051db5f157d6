import type { BodyOf, CustomPrice, ListedPrice, PriceRates, ROUTES } from '@candela/contract';
import { fail, type Logger, type RequestContext } from '@candela/kernel';
import type { AuditDetails, Call, MetadataStore, NewPrice, StoredPrice } from '@candela/metadata-store';
import { PRICE_LIST, type PriceCorrection, type PriceEntry } from '@candela/semconv';
import { setPriceCorrections } from '@candela/telemetry-store';
import { type AuditEntry, record } from '../audit/service.ts';

type Settings = BodyOf<typeof ROUTES.createCustomPrice>;

const iso = (ms: number): string => new Date(ms).toISOString();

/** Prices that people set, as the store applies them. */
function correctionsOf(prices: readonly StoredPrice[]): PriceCorrection[] {
  const isWildcard = ({ names }: StoredPrice) => Number(names.some((name) => name.endsWith('*')));
  return prices
    .toSorted(
      (a, b) =>
        Number(a.projectId === null) - Number(b.projectId === null) ||
        isWildcard(a) - isWildcard(b) ||
        (b.validFrom ?? '').localeCompare(a.validFrom ?? '') ||
        b.updatedAt - a.updatedAt,
    )
    .map((price) => ({
      id: price.id,
      provider: price.provider,
      names: price.names,
      rates: {
        ...(price.rates as unknown as PriceEntry),
        model: price.names[0] ?? '',
        ...(price.validFrom === null ? {} : { validFrom: price.validFrom }),
        ...(price.validTo === null ? {} : { validTo: price.validTo }),
      },
      date: price.validFrom ?? iso(price.updatedAt).slice(0, 10),
    }));
}

/**
 * Applies the prices that people set, and again after each change of them, here or in another replica (there within a
 * second). @throws metadata_unavailable
 */
export async function applyPrices(
  metadata: Pick<MetadataStore, 'prices' | 'changes'>,
  logger: Logger,
): Promise<void> {
  let reading = 0;
  const read = async (): Promise<void> => {
    const own = ++reading;
    const byProject = await metadata.prices.byProject();
    if (own !== reading) return;
    setPriceCorrections(new Map([...byProject].map(([project, prices]) => [project, correctionsOf(prices)])));
  };
  metadata.changes.on(['custom_prices', 'projects'], () => {
    read().catch((thrown: unknown) => {
      logger.warn({ err: thrown }, 'changed prices could not be read; the former ones count');
    });
  });
  await read();
}

const show = (price: StoredPrice): CustomPrice => ({
  id: price.id,
  scope: price.projectId === null ? 'organisation' : 'project',
  provider: price.provider,
  names: [...price.names],
  // Written by the contract's schema and nobody else.
  rates: price.rates as PriceRates,
  validFrom: price.validFrom,
  validTo: price.validTo,
  note: price.note,
  version: price.version,
  createdBy: price.createdBy,
  createdAt: iso(price.createdAt),
  updatedBy: price.updatedBy,
  updatedAt: iso(price.updatedAt),
});

/** What a request means for the row. @throws refused */
function rowOf({ principal, projectId }: RequestContext, body: Settings): NewPrice {
  const { scope, provider, names, rates, validFrom, validTo, note } = body;
  if (validFrom !== null && validTo !== null && validTo <= validFrom) {
    throw fail('refused', { detail: 'The price ends before it begins. Choose a later last day.' });
  }
  const by = 'name' in principal ? (principal.name ?? null) : null;
  const own = scope === 'project' ? projectId : null;
  return { projectId: own, provider, names: [...new Set(names)], rates, validFrom, validTo, note, by };
}

const entry = (verb: string, objectId: string, details: AuditDetails): AuditEntry => ({
  action: `price.${verb}`,
  objectKind: 'price',
  objectId,
  details,
});
const detailsOf = ({ names, provider, projectId, rates }: StoredPrice): AuditDetails => ({
  names: [...names],
  provider,
  scope: projectId === null ? 'organisation' : 'project',
  input: Number(rates['input']),
  output: Number(rates['output']),
});

/** Prices of a project and its organisation: what people see and change of them. */
export function createPrices(metadata: MetadataStore) {
  return {
    list: async (context: RequestContext): Promise<CustomPrice[]> =>
      (await metadata.prices.list(context)).map(show),

    create: (context: RequestContext, body: Settings, call: Call | undefined): Promise<CustomPrice> => {
      const row = rowOf(context, body);
      return metadata.change(call, async (repositories) => {
        const made = await repositories.prices.create(context, row);
        await record(repositories, context, entry('create', made.id, detailsOf(made)));
        return show(made);
      });
    },

    update: (
      context: RequestContext,
      id: string,
      { version, ...body }: Settings & { readonly version: number },
      call: Call | undefined,
    ): Promise<CustomPrice> => {
      const row = rowOf(context, body);
      return metadata.change(call, async (repositories) => {
        const changed = await repositories.prices.update(context, id, version, row);
        await record(repositories, context, entry('update', id, detailsOf(changed)));
        return show(changed);
      });
    },

    delete: (context: RequestContext, id: string, call: Call | undefined): Promise<{ id: string }> =>
      metadata.change(call, async (repositories) => {
        const price = await repositories.prices.get(context, id);
        await repositories.prices.delete(context, id);
        await record(repositories, context, entry('delete', id, detailsOf(price)));
        return { id };
      }),
  };
}

const LISTED: readonly ListedPrice[] = PRICE_LIST.providers.flatMap(({ provider, models, source, asOf }) =>
  models.map((row): ListedPrice => {
    const { model, aliases = [], validFrom, validTo, kind: _kind, verified: _verified, ...rest } = row;
    const { source: ownSource, asOf: ownDate, ...rates } = rest;
    return {
      provider,
      model,
      aliases: [...aliases],
      rates: rates as PriceRates,
      validFrom: validFrom ?? null,
      validTo: validTo ?? null,
      asOf: ownDate ?? asOf,
      source: ownSource ?? source,
    };
  }),
);

/** Rows of the built-in list of which provider, model or alias has all words of `q`. */
export function searchList(q: string, limit: number): { data: ListedPrice[]; total: number } {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = LISTED.filter(({ provider, model, aliases }) => {
    const text = [provider, model, ...aliases].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return { data: found.slice(0, limit), total: found.length };
}
