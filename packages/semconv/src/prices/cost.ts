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

/**
 * USD of a call. Undefined where the row has no price for the service tier.
 * Sum over the classes of tokens x rate / 1e6, plus searches / 1000 x rate of a search.
 */
export function costOf(usage: TokenUsage, entry: PriceEntry, served: Served): number | undefined {
  const tier = served.serviceTier === '' ? undefined : entry.tiers?.[served.serviceTier];
  if (tier === undefined && PRICED_TIERS.has(served.serviceTier)) return undefined;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const plain: Rates =
    entry.longPrompt !== undefined && prompt > entry.longPrompt.above ? entry.longPrompt : entry;
  const rate = (of: keyof Rates): number => classRate(plain, of) * tierFactor(entry, tier, of);
  // What only the row itself tells apart keeps its proportion to the rate of its class.
  const part = (own: number | undefined, of: keyof Rates): number => {
    const whole = classRate(entry, of);
    return rate(of) * (own === undefined ? 1 : whole === 0 ? 0 : own / whole);
  };
  const {
    cacheWrite1h = 0,
    inputAudio = 0,
    inputImage = 0,
    outputAudio = 0,
    outputImage = 0,
    webSearches = 0,
  } = usage.details ?? {};
  const tokens =
    (usage.input - inputAudio - inputImage) * rate('input') +
    inputAudio * part(entry.inputAudio, 'input') +
    inputImage * part(entry.inputImage, 'input') +
    usage.cacheRead * rate('cacheRead') +
    (usage.cacheWrite - cacheWrite1h) * rate('cacheWrite') +
    cacheWrite1h * part(entry.cacheWrite1h, 'cacheWrite') +
    (usage.output - outputAudio - outputImage) * rate('output') +
    outputAudio * part(entry.outputAudio, 'output') +
    outputImage * part(entry.outputImage, 'output') +
    usage.reasoning * rate('reasoning');
  const total =
    tokens * regionFactor(entry, served.region) * peakFactor(entry, served.atMs) +
    webSearches * (entry.webSearch ?? 0) * 1000;
  // Twelve decimals are far below a token's price and take the float noise away.
  return Math.round(total * 1e6) / 1e12;
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
