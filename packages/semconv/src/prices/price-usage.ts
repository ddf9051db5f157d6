/** What a model call cost by the price list. */
import type { GenAiFacts } from '../types.ts';
import { type CostPart, costParts, totalOf } from './cost.ts';
import { PRICE_LIST, type PriceEntry } from './list.ts';
import { modelNameCandidates, regionOfModel } from './model-name.ts';

export type PricedFacts = Pick<
  GenAiFacts,
  'provider' | 'requestModel' | 'responseModel' | 'operation' | 'usage'
> &
  Partial<Pick<GenAiFacts, 'serviceTier'>>;

interface Priced {
  /** `provider/model` of the price list. */
  readonly id: string;
  readonly provider: string;
  /** ISO date of the figures, and where they were seen. */
  readonly asOf: string;
  readonly source: string;
  readonly entry: PriceEntry;
}

/** Rows by name; several where the rates changed. */
type Index = Map<string, Priced[]>;

const byProvider = new Map<string, Index>();
/** Models at those who make them. */
const byMaker: Index = new Map();
for (const { provider, host, models, source, asOf } of PRICE_LIST.providers) {
  const own: Index = new Map();
  for (const entry of models) {
    const priced: Priced = {
      id: `${provider}/${entry.model}`,
      provider,
      asOf: entry.validFrom ?? entry.asOf ?? asOf,
      source: entry.source ?? source,
      entry,
    };
    for (const name of [entry.model, ...(entry.aliases ?? [])]) {
      const key = name.toLowerCase();
      add(own, key, priced);
      if (host !== true) add(byMaker, key, priced);
    }
  }
  byProvider.set(provider, own);
}

function add(index: Index, name: string, priced: Priced): void {
  const rows = index.get(name);
  if (rows === undefined) index.set(name, [priced]);
  else if (rows[0]?.provider === priced.provider) rows.push(priced);
}

/** Makers whose models nobody else runs: their name tells the price wherever a client says it sent them. */
const CLOSED: readonly string[] = ['openai', 'anthropic', 'google', 'xai', 'perplexity', 'cohere'];
/** Who sells models of others at the price of their makers. Of any other host only its own list tells. */
const RESELLERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['azure', ['openai', 'anthropic']],
  ['aws.bedrock', ['anthropic', 'openai']],
  ['google', ['anthropic']],
  ['openrouter', CLOSED],
  ['ai-gateway', CLOSED],
]);
const MAKERS: ReadonlySet<string> = new Set(
  PRICE_LIST.providers.flatMap(({ provider, host }) => (host === true ? [] : [provider])),
);

/** Whose list holds for a model that the provider's own does not have; undefined: any maker's. */
function makersFor(provider: string): readonly string[] | undefined {
  if (provider === '') return undefined;
  // A client of one vendor that calls another one names its own.
  return RESELLERS.get(provider) ?? (MAKERS.has(provider) ? CLOSED : []);
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
const cache = new Map<string, readonly Priced[] | undefined>();

/** The rows of a model at a provider; at its maker where the provider sells at the maker's price. */
function lookUp(provider: string, model: string): readonly Priced[] | undefined {
  if (model === '' || SELF_HOSTED.has(provider)) return undefined;
  const key = `${provider}\n${model}`;
  const known = cache.get(key);
  if (known !== undefined || cache.has(key)) return known;
  const candidates = modelNameCandidates(model);
  const own = byProvider.get(provider);
  const found = (own === undefined ? undefined : first(own, candidates)) ?? atMaker(provider, candidates);
  if (key.length <= 600) {
    // Names come from outside: the memory of them is bounded, full means start again.
    if (cache.size >= MAX_CACHE) cache.clear();
    cache.set(key, found);
  }
  return found;
}

function atMaker(provider: string, candidates: readonly string[]): readonly Priced[] | undefined {
  const found = first(byMaker, candidates);
  const makers = makersFor(provider);
  return found === undefined || makers === undefined || makers.includes(found[0]?.provider ?? '')
    ? found
    : undefined;
}

function first(index: Index, candidates: readonly string[]): readonly Priced[] | undefined {
  for (const name of candidates) {
    const found = index.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The row that held on a day (ISO); without a day the one that holds last. */
function onDay(rows: readonly Priced[] | undefined, day: string | undefined): Priced | undefined {
  if (rows === undefined) return undefined;
  if (day === undefined) return rows.find(({ entry }) => entry.validTo === undefined) ?? rows[0];
  return rows.find(
    ({ entry }) =>
      (entry.validFrom === undefined || entry.validFrom <= day) &&
      (entry.validTo === undefined || day < entry.validTo),
  );
}

/** What a call cost by the price list, and by which row of it. */
export interface Price {
  readonly costUsd: number;
  readonly parts: readonly CostPart[];
  /** `provider/model` of the price list. */
  readonly priceId: string;
  /** ISO date of the row: when its rates began, or when they were seen. */
  readonly priceDate: string;
  readonly source: string;
}

/**
 * USD of one call by token class, at the rates of its day. Undefined without usage or without a price: an unknown price is
 * not zero. @param atMs when the call began, milliseconds since the epoch; undefined: the rates that hold last
 */
export function priceUsage(facts: PricedFacts, atMs?: number): Price | undefined {
  const { usage, provider, responseModel, requestModel, serviceTier = '' } = facts;
  if (usage === undefined) return undefined;
  const day = atMs === undefined || !Number.isFinite(atMs) ? undefined : isoDay(atMs);
  const priced = onDay(lookUp(provider, responseModel), day) ?? onDay(lookUp(provider, requestModel), day);
  if (priced === undefined) return undefined;
  // An answer names the model without the profile that was asked.
  const region = regionOfModel(requestModel) || regionOfModel(responseModel);
  const parts = costParts(usage, priced.entry, { serviceTier, region, atMs: atMs ?? Number.NaN });
  if (parts === undefined) return undefined;
  return {
    costUsd: totalOf(parts),
    parts,
    priceId: priced.id,
    priceDate: priced.asOf,
    source: priced.source,
  };
}

const DAY_MS = 86_400_000;
let lastDay = Number.NaN;
let lastText = '';

/** The day (ISO, UTC) of milliseconds since the epoch. Most calls are of the day of the one before. */
export function isoDay(atMs: number): string {
  const day = Math.floor(atMs / DAY_MS);
  if (day !== lastDay) {
    const date = new Date(day * DAY_MS);
    lastText = Number.isNaN(date.getTime()) ? '9999-12-31' : date.toISOString().slice(0, 10);
    lastDay = day;
  }
  return lastText;
}
