import type { QueryLimits } from '../core/run.ts';
import type { ReadStores } from '../core/stores.ts';
import type { RuleQueries } from './reads.ts';

export type { PreviewInput, RulePreview } from './preview.ts';
export type { RuleQueries } from './reads.ts';

/** What compiles rules is loaded with the first question: it brings a library of regular expressions along. */
export function createRuleQueries(stores: ReadStores, limits: QueryLimits): RuleQueries {
  const reads = async () => (await import('./reads.ts')).ruleReads(stores, limits);
  return {
    preview: async (...asked) => (await reads()).preview(...asked),
    spanFields: async (...asked) => (await reads()).spanFields(...asked),
    values: async (...asked) => (await reads()).values(...asked),
  };
}
