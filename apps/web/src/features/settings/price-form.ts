import type { CustomPrice, PriceRates } from '@candela/contract';
import type { NewPrice } from '../../api/prices.ts';

/** Rates that are one number, as they stand in the fields. */
export const RATE_FIELDS = [
  ['input', 'Input', 'USD per million tokens'],
  ['output', 'Output', 'USD per million tokens'],
  ['cacheRead', 'Cache read', 'Empty: like input'],
  ['cacheWrite', 'Cache write', 'Empty: like input'],
] as const;
export const MORE_RATES = [
  ['cacheWrite1h', 'Cache write, one hour', 'Empty: like cache write'],
  ['reasoning', 'Reasoning', 'Empty: like output'],
  ['inputAudio', 'Audio input', 'Empty: like input'],
  ['outputAudio', 'Audio output', 'Empty: like output'],
  ['inputImage', 'Image input', 'Empty: like input'],
  ['outputImage', 'Image output', 'Empty: like output'],
  ['webSearch', 'Web search', 'USD per thousand'],
] as const;
/** Rules, each by the fields that it is made of. */
export const RULE_FIELDS = [
  ['longAbove', 'Long prompt above', 'Tokens of input'],
  ['longInput', 'Long prompt: input', 'USD per million tokens'],
  ['longOutput', 'Long prompt: output', 'USD per million tokens'],
  ['longCacheRead', 'Long prompt: cache read', 'Empty: like its input'],
  ['flex', 'Flex tier', 'Factor, 0.5 is half'],
  ['batch', 'Batch tier', 'Factor'],
  ['priority', 'Priority tier', 'Factor'],
  ['regional', 'Regional endpoint', 'Factor'],
  ['gov', 'Government region', 'Factor'],
  ['peak', 'Peak hours', 'Factor'],
] as const;

type Field =
  | (typeof RATE_FIELDS)[number][0]
  | (typeof MORE_RATES)[number][0]
  | (typeof RULE_FIELDS)[number][0];

/** What is written, as it stands in the fields. */
export interface Written {
  readonly names: string;
  readonly provider: string;
  readonly scope: 'project' | 'organisation';
  readonly validFrom: string;
  readonly validTo: string;
  readonly note: string;
  /** `9-17, 20-22`. */
  readonly hours: string;
  readonly weekdays: boolean;
  readonly rates: Readonly<Partial<Record<Field, string>>>;
}

/** What a price is made of when the form opens. */
export type Begun = Partial<
  Pick<CustomPrice, 'names' | 'provider' | 'scope' | 'validFrom' | 'validTo' | 'note'>
> & {
  readonly rates?: PriceRates;
};

/** A tier as a factor of the plain rates; '' where it has rates of its own. */
const factorOf = (tier: object | undefined): string =>
  tier !== undefined && 'times' in tier ? String(tier.times) : '';

export function writtenOf({ names, provider, scope, validFrom, validTo, note, rates }: Begun): Written {
  const numbers = [...RATE_FIELDS, ...MORE_RATES].map(([field]) => [field, String(rates?.[field] ?? '')]);
  return {
    names: names?.join(', ') ?? '',
    provider: provider ?? '',
    scope: scope ?? 'project',
    validFrom: validFrom ?? '',
    validTo: validTo ?? '',
    note: note ?? '',
    hours: rates?.peak?.hoursUtc.map(([from, to]) => `${from}-${to}`).join(', ') ?? '',
    weekdays: rates?.peak?.weekdaysOnly ?? false,
    rates: {
      ...Object.fromEntries(numbers),
      longAbove: String(rates?.longPrompt?.above ?? ''),
      longInput: String(rates?.longPrompt?.input ?? ''),
      longOutput: String(rates?.longPrompt?.output ?? ''),
      longCacheRead: String(rates?.longPrompt?.cacheRead ?? ''),
      flex: factorOf(rates?.tiers?.flex),
      batch: factorOf(rates?.tiers?.batch),
      priority: factorOf(rates?.tiers?.priority),
      regional: String(rates?.regional?.times ?? ''),
      gov: String(rates?.regional?.gov ?? ''),
      peak: String(rates?.peak?.times ?? ''),
    },
  };
}

const HOURS = /^(\d{1,2})\s*-\s*(\d{1,2})$/;

/** `9-17, 20-22` as pairs of hours; undefined of what is none. */
export function hoursOf(text: string): [number, number][] | undefined {
  const parts = text.split(',').map((part) => HOURS.exec(part.trim()));
  const hours = parts.map((part): [number, number] => [Number(part?.[1]), Number(part?.[2])]);
  return hours.every(([from, to]) => from < to && to <= 24) ? hours : undefined;
}

/**
 * The body of a price. @param before what the form does not show of a price that is changed: rates of a tier
 * @returns a sentence where something is missing
 */
export function bodyOf(written: Written, before?: PriceRates): NewPrice | string {
  const names = written.names
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0) return 'Name at least one model.';
  const text = (field: Field) => (written.rates[field] ?? '').trim();
  const number = (field: Field) => (text(field) === '' ? undefined : Number(text(field)));
  const wrong = Object.entries(written.rates).find(
    ([, value]) => value.trim() !== '' && !(Number(value) >= 0 && Number.isFinite(Number(value))),
  );
  if (wrong !== undefined) return `"${wrong[1]}" is no number from 0 on.`;
  const [input, output] = [number('input'), number('output')];
  if (input === undefined || output === undefined) return 'Input and output need a price; 0 is one.';
  const given = Object.fromEntries(
    [...RATE_FIELDS, ...MORE_RATES].flatMap(([field]) => {
      const value = number(field);
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const [above, longInput, longOutput] = [number('longAbove'), number('longInput'), number('longOutput')];
  if (above !== undefined && (longInput === undefined || longOutput === undefined))
    return 'A long prompt needs a price of its input and output.';
  const longCacheRead = number('longCacheRead');
  if (above === undefined && [longInput, longOutput, longCacheRead].some((rate) => rate !== undefined))
    return 'Prices of a long prompt need the tokens that it begins above.';
  const tierOf = (tier: 'flex' | 'batch' | 'priority') => {
    const times = number(tier);
    const own = before?.tiers?.[tier];
    if (times !== undefined) return { [tier]: { times } };
    return own !== undefined && !('times' in own) ? { [tier]: own } : {};
  };
  const tiers = { ...tierOf('flex'), ...tierOf('batch'), ...tierOf('priority') };
  const [regional, gov, peak] = [number('regional'), number('gov'), number('peak')];
  if (gov !== undefined && regional === undefined)
    return 'A factor of government regions needs one of regional endpoints; 1 is one.';
  const hoursUtc = hoursOf(written.hours);
  if (peak === undefined && written.hours.trim() !== '') return 'Hours of the peak need their factor.';
  if (peak !== undefined && hoursUtc === undefined) return 'Write peak hours as 9-17, in UTC.';
  return {
    names,
    provider: written.provider.trim(),
    scope: written.scope,
    validFrom: written.validFrom === '' ? null : written.validFrom,
    validTo: written.validTo === '' ? null : written.validTo,
    note: written.note.trim() === '' ? null : written.note.trim(),
    rates: {
      ...given,
      input,
      output,
      ...(above === undefined || longInput === undefined || longOutput === undefined
        ? {}
        : {
            longPrompt: {
              above,
              input: longInput,
              output: longOutput,
              ...(longCacheRead === undefined ? {} : { cacheRead: longCacheRead }),
            },
          }),
      ...(Object.keys(tiers).length === 0 ? {} : { tiers }),
      ...(regional === undefined
        ? {}
        : { regional: { times: regional, ...(gov === undefined ? {} : { gov }) } }),
      ...(peak === undefined || hoursUtc === undefined
        ? {}
        : { peak: { times: peak, hoursUtc, ...(written.weekdays ? { weekdaysOnly: true } : {}) } }),
    },
  };
}
