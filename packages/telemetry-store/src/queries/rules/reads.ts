import type { RequestContext } from '@candela/kernel';
import type { Fields } from '@candela/rules';
import { withSnapshot } from '../core/snapshot.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import type { ReadStores } from '../core/stores.ts';
import { type FieldValues, valuesRead } from '../fields/field-values.ts';
import { SPANS } from '../spans/span-fields.ts';
import { type PreviewInput, previewRule, type RulePreview } from './preview.ts';
import { spanFields } from './rule-fields.ts';
import { readRuleFields } from './span-values.ts';

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
  /** Values that spans of the window have for a field of a rule, as a rule sees them; the most frequent first. */
  values(
    context: RequestContext,
    input: {
      readonly field: string;
      readonly window: Window;
      readonly prefix: string;
      readonly limit: number;
    },
    signal?: AbortSignal,
  ): Promise<FieldValues>;
}

export function ruleReads(stores: ReadStores, limits: QueryLimits): RuleQueries {
  return {
    preview: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) =>
        previewRule(runner(stores, limits, 'list', signal), seen, input),
      ),
    spanFields: (context, ids, fields, signal) =>
      readRuleFields(runner(stores, limits, 'lookup', signal), context, ids, fields),
    values: (context, { field, ...input }, signal) =>
      withSnapshot(stores, context, 'traces', (seen) =>
        valuesRead(
          runner(stores, limits, 'list', signal),
          seen,
          {
            source: SPANS,
            exists: (params) => spanFields(params)(field)?.present ?? '0',
            value: (params) => spanFields(params)(field)?.text ?? "''",
            // Which columns it reads is for the resolver; most names are keys of maps.
            wide: true,
          },
          { ...input, filter: undefined },
        ),
      ),
  };
}
