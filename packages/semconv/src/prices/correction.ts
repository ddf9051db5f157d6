/** Prices that a person set: they stand before those of the list. */
import { isModelOperation } from '../facts/operation.ts';
import { type CostPart, costParts, totalOf } from './cost.ts';
import type { PriceEntry } from './list.ts';
import { regionOfModel } from './model-name.ts';
import { isoDay, type PricedFacts } from './price-usage.ts';

/** A price of a person for one or more names of models. */
export interface PriceCorrection {
  readonly id: string;
  /** '': whoever serves the model. */
  readonly provider: string;
  /** Names as they are sent, in lower case; one that ends with `*` stands for all that begin so. At least one. */
  readonly names: readonly string[];
  /** The rates with their dates. */
  readonly rates: PriceEntry;
  /** ISO day that a cost names: since when the rates hold, or when they were set. */
  readonly date: string;
}

const matchesName = (names: readonly string[], model: string): boolean => {
  const lower = model.toLowerCase();
  return (
    lower !== '' &&
    names.some((name) => (name.endsWith('*') ? lower.startsWith(name.slice(0, -1)) : lower === name))
  );
};

export interface CorrectedPrice {
  readonly costUsd: number;
  readonly parts: readonly CostPart[];
  readonly correction: PriceCorrection;
}

/**
 * USD of one call by the first correction that fits its provider, its model (answered or requested), its day and its service
 * tier. Undefined where none does. @param atMs when the call began, milliseconds since the epoch
 */
export function correctedPrice(
  corrections: readonly PriceCorrection[],
  facts: PricedFacts,
  atMs: number,
): CorrectedPrice | undefined {
  const { usage, provider, requestModel, responseModel, serviceTier = '' } = facts;
  if (usage === undefined || !isModelOperation(facts.operation)) return undefined;
  const day = isoDay(atMs);
  for (const correction of corrections) {
    const { names, rates } = correction;
    if (correction.provider !== '' && correction.provider !== provider) continue;
    if (!matchesName(names, responseModel) && !matchesName(names, requestModel)) continue;
    if (rates.validFrom !== undefined && day < rates.validFrom) continue;
    if (rates.validTo !== undefined && day >= rates.validTo) continue;
    const region = regionOfModel(requestModel) || regionOfModel(responseModel);
    const parts = costParts(usage, rates, { serviceTier, region, atMs });
    if (parts !== undefined) return { costUsd: totalOf(parts), parts, correction };
  }
  return undefined;
}
