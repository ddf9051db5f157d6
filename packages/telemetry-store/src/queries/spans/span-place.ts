import type { SpanRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { Scope } from '../core/scope.ts';
import { type RawSpan, toSpanRow } from './span-row.ts';
import { SPANS } from './span-fields.ts';

/** Where a span stands in a list, and which it is. */
export interface SpanKey {
  readonly K: string;
  readonly Ns: string;
  readonly TraceId: string;
  readonly SpanId: string;
  /** Where it was read along with the key. */
  readonly row?: SpanRow;
}

export const KEY_COLUMNS = 'toString(toUnixTimestamp64Nano(Timestamp)) AS StartNs, TraceId, SpanId';

export const keyOf = (
  { StartNs, TraceId, SpanId }: Pick<RawSpan, 'StartNs' | 'TraceId' | 'SpanId'>,
  K: string,
) => ({
  K,
  Ns: StartNs,
  TraceId,
  SpanId,
});

export const withRow = (raw: RawSpan, figure: string): SpanKey => ({
  ...keyOf(raw, figure),
  row: toSpanRow(raw),
});

/** Alike for all copies of a span. */
export const placeKey = ({ TraceId, SpanId, Ns }: Pick<SpanKey, 'TraceId' | 'SpanId' | 'Ns'>): string =>
  `${TraceId} ${SpanId} ${Ns}`;

/** All copies of these spans, and few others. */
export function spansAt(context: RequestContext, keys: readonly SpanKey[]): Scope {
  const scope = Scope.of(context, SPANS).at(keys.map((key) => BigInt(key.Ns)));
  const traceIds = scope.params.bind([...new Set(keys.map((key) => key.TraceId))], 'Array(String)');
  const spanIds = scope.params.bind([...new Set(keys.map((key) => key.SpanId))], 'Array(String)');
  return scope.and(`TraceId IN ${traceIds} AND SpanId IN ${spanIds}`);
}

/** What was found of a list. */
export interface FoundSpans {
  /** Those of the page and, where there is one, the next. */
  readonly found: SpanKey[];
  /** Where the next page begins when this one was answered before it was full. */
  readonly edge?: bigint;
  /** The part of the spans that it was made of; nothing or null: all. */
  readonly share?: number | null;
}
