/** The cost of one call by the rates of one row of a price list. */
import type { TokenUsage } from '../types.ts';
import type { PriceEntry, Rates, TierRates } from './list.ts';

/** What a price depends on besides the tokens. */
export interface Served {
  /** `flex`, `priority`, `batch`, ...; '' for the standard tier. */
  readonly serviceTier: string;
  /** Where the call was bound to stay. */
  readonly region: '' | 'regional' | 'gov';
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** Tiers that cost something else: without a rate of their own the price of a call is not known. */
export const PRICED_TIERS: ReadonlySet<string> = new Set(['flex', 'priority', 'batch']);

/** Classes of which a cost is made: those of tokens, and searches of the web. */
export type CostClass =
  | keyof Rates
  | 'inputAudio'
  | 'inputImage'
  | 'cacheWrite1h'
  | 'outputAudio'
  | 'outputImage'
  | 'webSearch';

/** What one class adds to the cost of a call. */
export interface CostPart {
  readonly of: CostClass;
  /** Tokens or searches. */
  readonly amount: number;
  /** USD per million tokens, with all that the price depends on in it; of a search USD per thousand. */
  readonly rate: number;
  readonly costUsd: number;
}

/** USD of a call. Twelve decimals are far below a token's price and take the float noise away. */
export function totalOf(parts: readonly CostPart[]): number {
  let sum = 0;
  for (const { costUsd } of parts) sum += costUsd;
  return Math.round(sum * 1e12) / 1e12;
}

/**
 * The classes that a call used, each with its rate: tokens x rate / 1e6, searches x rate / 1000. Undefined where the row
 * has no price for the service tier.
 */
export function costParts(
  usage: TokenUsage,
  entry: PriceEntry,
  served: Served,
): readonly CostPart[] | undefined {
  const tier = served.serviceTier === '' ? undefined : entry.tiers?.[served.serviceTier];
  if (tier === undefined && PRICED_TIERS.has(served.serviceTier)) return undefined;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const plain: Rates =
    entry.longPrompt !== undefined && prompt > entry.longPrompt.above ? entry.longPrompt : entry;
  const times = regionFactor(entry, served.region) * peakFactor(entry, served.atMs);
  const {
    cacheWrite1h = 0,
    inputAudio = 0,
    inputImage = 0,
    outputAudio = 0,
    outputImage = 0,
    webSearches = 0,
  } = usage.details ?? {};
  const parts: CostPart[] = [];
  // What only the row itself tells apart (`own`) keeps its proportion to the rate of its class.
  const add = (of: CostClass, amount: number, like: keyof Rates, own?: number): void => {
    if (amount === 0) return;
    const whole = classRate(entry, like);
    const proportion = own === undefined ? 1 : whole === 0 ? 0 : own / whole;
    const rate = classRate(plain, like) * tierFactor(entry, tier, like) * proportion * times;
    parts.push({ of, amount, rate, costUsd: (amount * rate) / 1e6 });
  };
  add('input', usage.input - inputAudio - inputImage, 'input');
  add('inputAudio', inputAudio, 'input', entry.inputAudio);
  add('inputImage', inputImage, 'input', entry.inputImage);
  add('cacheRead', usage.cacheRead, 'cacheRead');
  add('cacheWrite', usage.cacheWrite - cacheWrite1h, 'cacheWrite');
  add('cacheWrite1h', cacheWrite1h, 'cacheWrite', entry.cacheWrite1h);
  add('output', usage.output - outputAudio - outputImage, 'output');
  add('outputAudio', outputAudio, 'output', entry.outputAudio);
  add('outputImage', outputImage, 'output', entry.outputImage);
  add('reasoning', usage.reasoning, 'reasoning');
  const search = entry.webSearch ?? 0;
  if (webSearches > 0)
    parts.push({ of: 'webSearch', amount: webSearches, rate: search, costUsd: (webSearches * search) / 1e3 });
  return parts;
}

/** The rate of a class of tokens in USD per million; absent ones follow from those that every row has. */
export function classRate(rates: Rates, of: keyof Rates): number {
  if (of === 'input' || of === 'output') return rates[of];
  return rates[of] ?? (of === 'reasoning' ? rates.output : rates.input);
}

/** What a service tier makes of the rate of a class. */
export function tierFactor(entry: PriceEntry, tier: TierRates | undefined, of: keyof Rates): number {
  if (tier === undefined) return 1;
  if ('times' in tier) return tier.times;
  const whole = classRate(entry, of);
  return whole === 0 ? 1 : classRate(tier, of) / whole;
}

function regionFactor({ regional }: PriceEntry, region: Served['region']): number {
  if (regional === undefined || region === '') return 1;
  return region === 'gov' ? (regional.gov ?? regional.times) : regional.times;
}

function peakFactor({ peak }: PriceEntry, atMs: number): number {
  if (peak === undefined || !Number.isFinite(atMs)) return 1;
  const at = new Date(atMs);
  const weekday = at.getUTCDay();
  if (peak.weekdaysOnly === true && (weekday === 0 || weekday === 6)) return 1;
  const hour = at.getUTCHours();
  return peak.hoursUtc.some(([from, to]) => hour >= from && hour < to) ? peak.times : 1;
}
