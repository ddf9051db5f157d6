import type { RequestContext } from '@candela/kernel';
import type { Fields } from '@candela/rules';
import { type QueryLimits, runner } from '../core/run.ts';
import type { ReadStores } from '../core/stores.ts';
import { type PreviewInput, previewRule, type RulePreview } from './preview.ts';
import { readRuleFields } from './span-values.ts';

export type { PreviewInput, RulePreview } from './preview.ts';

/** Rules asked about the spans that there are. @throws InvalidRule, not_found, query_too_expensive, store_unavailable */
export interface RuleQueries {
  preview(context: RequestContext, input: PreviewInput, signal?: AbortSignal): Promise<RulePreview>;
  /** The values of one span for fields of a rule; absent ones are left out. */
  spanFields(
    context: RequestContext,
    ids: { readonly traceId: string; readonly spanId: string },
    fields: readonly string[],
    signal?: AbortSignal,
  ): Promise<Fields>;
}

export function createRuleQueries(stores: ReadStores, limits: QueryLimits): RuleQueries {
  return {
    preview: (context, input, signal) => previewRule(runner(stores, limits, 'list', signal), context, input),
    spanFields: (context, ids, fields, signal) =>
      readRuleFields(runner(stores, limits, 'lookup', signal), context, ids, fields),
  };
}
