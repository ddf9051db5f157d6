import type { EventKind } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { withSnapshot } from '../core/snapshot.ts';
import { type ReadStores, signalOfTable } from '../core/stores.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { Source } from '../core/source.ts';
import { LOGS } from '../logs/log-fields.ts';
import { SPANS } from '../spans/span-fields.ts';
import { type FieldValues, type FieldValuesInput, fieldValues } from './field-values.ts';
import { type FieldList, type FieldsInput, listFields } from './list-fields.ts';

export type { FieldValues, FieldValuesInput } from './field-values.ts';
export type { FieldList, FieldsInput } from './list-fields.ts';

/** Every signal whose fields are listed; the registry. */
export const FIELD_SOURCES: { readonly [S in EventKind]: Source & { readonly signal: S } } = {
  spans: { ...SPANS, signal: 'spans' },
  logs: { ...LOGS, signal: 'logs' },
};

/** What can be searched for. @throws bad_query, query_too_expensive, store_unavailable */
export interface FieldQueries {
  list(
    context: RequestContext,
    signal: EventKind,
    input: FieldsInput,
    abort?: AbortSignal,
  ): Promise<FieldList>;
  values(
    context: RequestContext,
    signal: EventKind,
    input: FieldValuesInput,
    abort?: AbortSignal,
  ): Promise<FieldValues>;
}

export function createFieldQueries(stores: ReadStores, limits: QueryLimits): FieldQueries {
  return {
    list: (context, signal, input, abort) =>
      withSnapshot(stores, context, signalOfTable(FIELD_SOURCES[signal].table), (seen) =>
        listFields(runner(stores, limits, 'fields', abort), seen, FIELD_SOURCES[signal], input),
      ),
    values: (context, signal, input, abort) =>
      withSnapshot(stores, context, signalOfTable(FIELD_SOURCES[signal].table), (seen) =>
        fieldValues(runner(stores, limits, 'fields', abort), seen, FIELD_SOURCES[signal], input),
      ),
  };
}
