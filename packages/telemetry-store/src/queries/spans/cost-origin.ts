import type { CostOrigin } from '@candela/contract';
import {
  correctedPrice,
  normaliseSpan,
  type PriceCorrection,
  priceUsage,
  type SpanReader,
} from '@candela/semconv';

interface Stored {
  readonly costUsd: number | null;
  readonly emitterCostUsd: number | null;
}

const NOT_OF_LIST = { priceId: null, priceDate: null, source: null, parts: [] };
/** Costs are rounded to twelve decimals. */
const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-12 + Math.abs(a) * 1e-9;

/**
 * Which price of which date the stored cost of a span follows from: it is reckoned once more from what the span says. Null where it
 * has no cost.
 */
export function costOriginOf(
  reader: SpanReader,
  { costUsd, emitterCostUsd }: Stored,
  corrections: readonly PriceCorrection[] = [],
): CostOrigin | null {
  if (costUsd === null) return null;
  const facts = normaliseSpan(reader);
  const isEmitters = emitterCostUsd !== null && isSame(costUsd, emitterCostUsd);
  if (isEmitters && facts?.costIsExplicit === true) return { kind: 'person', ...NOT_OF_LIST };
  const atMs = Number(reader.startTimeUnixNano / 1_000_000n);
  const corrected = facts && correctedPrice(corrections, facts, atMs);
  if (corrected !== undefined && isSame(corrected.costUsd, costUsd)) {
    const { provider, rates, date } = corrected.correction;
    const priceId = provider === '' ? rates.model : `${provider}/${rates.model}`;
    return { kind: 'custom', priceId, priceDate: date, source: null, parts: [...corrected.parts] };
  }
  const price = facts && priceUsage(facts, atMs);
  if (price !== undefined && isSame(price.costUsd, costUsd)) {
    const { priceId, priceDate, source, parts } = price;
    return { kind: 'list', priceId, priceDate, source, parts: [...parts] };
  }
  return { kind: isEmitters ? 'sender' : 'earlier', ...NOT_OF_LIST };
}
