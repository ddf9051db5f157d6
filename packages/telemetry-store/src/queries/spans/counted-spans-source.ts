import { SPAN_COUNTS } from '../../rollups/span-counts.ts';
import type { Source } from '../core/source.ts';
import { SPAN_FIELDS } from './span-fields.ts';

/** The rollup that counts spans by what they are: its columns are called as those of the rows. */
export const COUNTED_SPANS_SOURCE: Source = {
  signal: 'spans',
  table: SPAN_COUNTS.name,
  time: 'Bucket',
  fields: {
    service: SPAN_FIELDS.service,
    environment: SPAN_FIELDS.environment,
    name: SPAN_FIELDS.name,
    kind: SPAN_FIELDS.kind,
    status: SPAN_FIELDS.status,
    root: { kind: 'boolean', sql: 'Root = 1' },
    model: SPAN_FIELDS.model,
    base_model: SPAN_FIELDS.base_model,
    request_model: SPAN_FIELDS.request_model,
    response_model: SPAN_FIELDS.response_model,
    provider: SPAN_FIELDS.provider,
    operation: SPAN_FIELDS.operation,
    agent: SPAN_FIELDS.agent,
    tool: SPAN_FIELDS.tool,
    error_type: SPAN_FIELDS.error_type,
  },
  mapOf() {
    throw new RangeError('A rollup has no attributes');
  },
  pairs: new Map(),
};
