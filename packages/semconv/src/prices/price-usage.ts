/** What a model call cost by the price list. */
import type { GenAiFacts, TokenUsage } from '../types.ts';
import { PRICE_LIST, type PriceEntry, type Rates } from './list.ts';
import { modelNameCandidates } from './model-name.ts';

export type PricedFacts = Pick<
  GenAiFacts,
  'provider' | 'requestModel' | 'responseModel' | 'operation' | 'usage'
>;

interface Priced {
  readonly id: string;
  readonly entry: PriceEntry;
}

type Index = Map<string, Priced>;

const byProvider = new Map<string, Index>();
/** Models at those who make them. */
const byMaker: Index = new Map();
for (const { provider, host, models } of PRICE_LIST.providers) {
  const own: Index = new Map();
  for (const entry of models) {
    const priced: Priced = { id: `${provider}/${entry.model}`, entry };
    for (const name of [entry.model, ...(entry.aliases ?? [])]) {
      const key = name.toLowerCase();
      if (!own.has(key)) own.set(key, priced);
      if (host !== true && !byMaker.has(key)) byMaker.set(key, priced);
    }
  }
  byProvider.set(provider, own);
}

/** Who runs a model on their own machine pays no price of a list. */
const SELF_HOSTED: ReadonlySet<string> = new Set([
  'ollama',
  'vllm',
  'sglang',
  'lmstudio',
  'lm_studio',
  'llamacpp',
  'llama.cpp',
  'llamafile',
  'localai',
  'gpt4all',
  'tgi',
  'transformers',
  'triton',
]);

const MAX_CACHE = 10_000;
const cache = new Map<string, Priced | undefined>();

/** The price of a model at a provider; at its maker when the provider has no price of its own for it. */
function lookUp(provider: string, model: string): Priced | undefined {
  if (model === '' || SELF_HOSTED.has(provider)) return undefined;
  const key = `${provider}\n${model}`;
  const known = cache.get(key);
  if (known !== undefined || cache.has(key)) return known;
  const candidates = modelNameCandidates(model);
  const own = byProvider.get(provider);
  const found = (own === undefined ? undefined : first(own, candidates)) ?? first(byMaker, candidates);
  if (key.length <= 600) {
    // Names come from outside: the memory of them is bounded, full means start again.
    if (cache.size >= MAX_CACHE) cache.clear();
    cache.set(key, found);
  }
  return found;
}

function first(index: Index, candidates: readonly string[]): Priced | undefined {
  for (const name of candidates) {
    const found = index.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * USD of one call by token class. Undefined without usage or without a price: an unknown price is not zero.
 * `priceId` is `provider/model` of the price list.
 */
export function priceUsage(facts: PricedFacts): { costUsd: number; priceId: string } | undefined {
  const { usage, provider, responseModel, requestModel } = facts;
  if (usage === undefined) return undefined;
  const priced = lookUp(provider, responseModel) ?? lookUp(provider, requestModel);
  if (priced === undefined) return undefined;
  return { costUsd: costOf(usage, priced.entry), priceId: priced.id };
}

function costOf(usage: TokenUsage, entry: PriceEntry): number {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const rates: Rates =
    entry.longPrompt !== undefined && prompt > entry.longPrompt.above ? entry.longPrompt : entry;
  const total =
    usage.input * rates.input +
    usage.cacheRead * (rates.cacheRead ?? rates.input) +
    usage.cacheWrite * (rates.cacheWrite ?? rates.input) +
    usage.output * rates.output +
    usage.reasoning * (rates.reasoning ?? rates.output);
  // Twelve decimals are far below a token's price and take the float noise away.
  return Math.round(total * 1e6) / 1e12;
}
