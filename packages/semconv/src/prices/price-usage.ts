/** What a model call cost by the price list. */
import type { GenAiFacts, TokenUsage } from '../types.ts';
import { PRICE_LIST, type PriceEntry } from './list.ts';
import { modelNameCandidates } from './model-name.ts';

export type PricedFacts = Pick<
  GenAiFacts,
  'provider' | 'requestModel' | 'responseModel' | 'operation' | 'usage'
>;

interface Priced {
  readonly id: string;
  readonly entry: PriceEntry;
}

const byProvider = new Map<string, Map<string, Priced>>();
const byModel = new Map<string, Priced>();
for (const { provider, models } of PRICE_LIST.providers) {
  const own = new Map<string, Priced>();
  for (const entry of models) {
    const priced: Priced = { id: `${provider}/${entry.model}`, entry };
    for (const name of [entry.model, ...(entry.aliases ?? [])]) {
      const key = name.toLowerCase();
      if (!own.has(key)) own.set(key, priced);
      // The first provider in the list is who makes the model: later ones only host it.
      if (!byModel.has(key)) byModel.set(key, priced);
    }
  }
  byProvider.set(provider, own);
}

const MAX_CACHE = 10_000;
const cache = new Map<string, Priced | undefined>();

/** The price of a model at a provider; at its maker when the provider has no price of its own. */
function lookUp(provider: string, model: string): Priced | undefined {
  const key = `${provider}\n${model}`;
  if (cache.has(key)) return cache.get(key);
  const candidates = modelNameCandidates(model);
  const own = byProvider.get(provider);
  let found: Priced | undefined;
  for (const names of own === undefined ? [byModel] : [own, byModel]) {
    const hit = candidates.find((name) => names.has(name));
    found ??= hit === undefined ? undefined : names.get(hit);
  }
  if (key.length <= 600) {
    if (cache.size >= MAX_CACHE) cache.clear();
    cache.set(key, found);
  }
  return found;
}

/**
 * USD of one call by token class. Undefined without usage or without a price: an unknown price is not zero.
 * `priceId` is `provider/model` of the price list.
 */
export function priceUsage(facts: PricedFacts): { costUsd: number; priceId: string } | undefined {
  const { usage, provider } = facts;
  if (usage === undefined) return undefined;
  const priced =
    (facts.responseModel === '' ? undefined : lookUp(provider, facts.responseModel)) ??
    (facts.requestModel === '' ? undefined : lookUp(provider, facts.requestModel));
  if (priced === undefined) return undefined;
  return { costUsd: costOf(usage, priced.entry), priceId: priced.id };
}

function costOf(usage: TokenUsage, price: PriceEntry): number {
  const total =
    usage.input * price.input +
    usage.cacheRead * (price.cacheRead ?? price.input) +
    usage.cacheWrite * (price.cacheWrite ?? price.input) +
    usage.output * price.output +
    usage.reasoning * (price.reasoning ?? price.output);
  return total / 1e6;
}
