import type { SpanSort, TraceSort } from '@candela/contract';

/** Sort orders that the URL may name (checked by the compiler against the contract). */
export const SPAN_SORTS = [
  '-start',
  'start',
  '-duration',
  'duration',
  '-cost',
  'cost',
  '-tokens',
  'tokens',
] as const satisfies readonly SpanSort[];
export const TRACE_SORTS = [...SPAN_SORTS, '-spanCount', 'spanCount'] as const satisfies readonly TraceSort[];
