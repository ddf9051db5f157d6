/** Prices that a person set, as SQL over the columns of a model call: what `correctedPrice` of semconv says of one. */
import {
  classRate,
  MODEL_OPERATIONS,
  type PriceCorrection,
  PRICED_TIERS,
  type PriceEntry,
  type Rates,
  tierFactor,
} from '@candela/semconv';
import { quote } from '../../engine-host/sql-text.ts';
import type { Params } from './params.ts';

const detail = (name: string): string => `simpleJSONExtractUInt(PricingDetails, '${name}')`;
const TIER = "simpleJSONExtractString(PricingDetails, 'tier')";
const PROMPT = '(toFloat64(InputTokens) + CacheReadTokens + CacheWriteTokens)';
const IS_CALL = `(GenAiOperation IN (${MODEL_OPERATIONS.map((name) => `'${name}'`).join(', ')})
  AND (CountsUsage = 1 OR toUInt64(InputTokens) + CacheReadTokens + CacheWriteTokens + OutputTokens + ReasoningTokens > 0)
  AND NOT has(['person', 'rejected'], simpleJSONExtractString(PricingDetails, 'by')))`;

/** USD by the first price that fits a row; NULL where none does. */
export function correctedCostSql(corrections: readonly PriceCorrection[], params: Params): string {
  const cases = corrections.map(
    (correction) => `${conditionSql(correction, params)}, ${costSql(correction.rates)}`,
  );
  return `if(${IS_CALL}, multiIf(${cases.join(', ')}, NULL), NULL)`;
}

function conditionSql({ provider, names, rates }: PriceCorrection, params: Params): string {
  const of = (column: string): string => {
    const lower = `lower(${column})`;
    const exact = names.filter((name) => !name.endsWith('*'));
    const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
    const parts = [
      ...(exact.length === 0 ? [] : [`${lower} IN ${params.bind(exact, 'Array(String)')}`]),
      ...prefixes.map(
        (prefix) => `(${lower} != '' AND startsWith(${lower}, ${params.bind(prefix, 'String')}))`,
      ),
    ];
    return parts.join(' OR ');
  };
  const conditions = [`(${of('GenAiResponseModel')} OR ${of('GenAiRequestModel')})`];
  if (provider !== '') conditions.push(`GenAiProvider = ${params.bind(provider, 'String')}`);
  const day = "toString(toDate(Timestamp, 'UTC'))";
  if (rates.validFrom !== undefined) conditions.push(`${day} >= ${params.bind(rates.validFrom, 'String')}`);
  if (rates.validTo !== undefined) conditions.push(`${day} < ${params.bind(rates.validTo, 'String')}`);
  const unpriced = [...PRICED_TIERS].filter((tier) => rates.tiers?.[tier] === undefined);
  if (unpriced.length > 0) conditions.push(`${TIER} NOT IN (${unpriced.map(quote).join(', ')})`);
  return conditions.join(' AND ');
}

/** A number of a price as a literal. @throws RangeError of one that is none */
function literal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('A price is a finite number');
  return `toFloat64(${value})`;
}

function costSql(entry: PriceEntry): string {
  const tiers = Object.entries(entry.tiers ?? {});
  const rate = (of: keyof Rates): string => {
    const { longPrompt } = entry;
    const plain =
      longPrompt === undefined
        ? literal(classRate(entry, of))
        : `if(${PROMPT} > ${literal(longPrompt.above)}, ${literal(classRate(longPrompt, of))}, ${literal(classRate(entry, of))})`;
    if (tiers.length === 0) return plain;
    const factors = tiers.map(
      ([name, tier]) => `${TIER} = ${quote(name)}, ${literal(tierFactor(entry, tier, of))}`,
    );
    return `${plain} * multiIf(${factors.join(', ')}, toFloat64(1))`;
  };
  /** A class of tokens of which parts have a rate of their own, in proportion to that of the class. */
  const classOf = (
    column: string,
    of: keyof Rates,
    parts: readonly (readonly [string, number | undefined])[],
  ) => {
    const whole = classRate(entry, of);
    const own = parts.filter((part): part is readonly [string, number] => part[1] !== undefined);
    const tokens = own.map(
      ([name, price]) => ` + ${detail(name)} * (${literal(whole === 0 ? 0 : price / whole)} - 1)`,
    );
    return `(toFloat64(${column})${tokens.join('')}) * ${rate(of)}`;
  };
  const classes = [
    classOf('InputTokens', 'input', [
      ['inputAudio', entry.inputAudio],
      ['inputImage', entry.inputImage],
    ]),
    classOf('CacheReadTokens', 'cacheRead', []),
    classOf('CacheWriteTokens', 'cacheWrite', [['cacheWrite1h', entry.cacheWrite1h]]),
    classOf('OutputTokens', 'output', [
      ['outputAudio', entry.outputAudio],
      ['outputImage', entry.outputImage],
    ]),
    classOf('ReasoningTokens', 'reasoning', []),
  ];
  const searches =
    entry.webSearch === undefined ? '' : ` + ${detail('webSearches')} * ${literal(entry.webSearch * 1000)}`;
  return `round((${classes.join(' + ')})${regionSql(entry)}${peakSql(entry)}${searches === '' ? '' : searches} , 6) / 1e6`;
}

/** As `regionOfModel` of semconv tells it, by the model asked for, else by the one that answered. */
function regionSql({ regional }: PriceEntry): string {
  if (regional === undefined) return '';
  const isGov = (column: string) => `position(lower(${column}), 'us-gov') > 0`;
  const isBound = (column: string) =>
    `match(lower(splitByChar('/', toString(${column}))[-1]), '^(us-gov|us|eu|apac|ap|jp|au|ca|sa)[.]')`;
  const gov = literal(regional.gov ?? regional.times);
  const times = literal(regional.times);
  const [asked, answered] = ['GenAiRequestModel', 'GenAiResponseModel'];
  return ` * multiIf(${isGov(asked)}, ${gov}, ${isBound(asked)}, ${times}, ${isGov(answered)}, ${gov}, ${isBound(answered)}, ${times}, toFloat64(1))`;
}

function peakSql({ peak }: PriceEntry): string {
  if (peak === undefined) return '';
  const hour = "toHour(Timestamp, 'UTC')";
  const within = peak.hoursUtc.map(
    ([from, to]) => `(${hour} >= ${literal(from)} AND ${hour} < ${literal(to)})`,
  );
  const weekday = peak.weekdaysOnly === true ? " AND toDayOfWeek(Timestamp, 0, 'UTC') < 6" : '';
  return ` * if((${within.join(' OR ') || '0'})${weekday}, ${literal(peak.times)}, toFloat64(1))`;
}
