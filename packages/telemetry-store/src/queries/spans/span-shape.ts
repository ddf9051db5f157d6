import type { SpanRow } from '@candela/contract';
import { type RowReader, rowReader } from '../core/row-shape.ts';
import { SPANS } from './span-fields.ts';
import { type RawSpan, SPAN_COLUMNS, toSpanRow } from './span-row.ts';

/** Spans one by one, as the span search shows them. */
export const SPAN_SHAPE: RowReader<SpanRow> = rowReader<RawSpan, SpanRow>({
  source: SPANS,
  columns: SPAN_COLUMNS,
  ids: ['TraceId', 'SpanId'],
  toRow: toSpanRow,
});
