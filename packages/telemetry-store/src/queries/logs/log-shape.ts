import type { LogRow } from '@candela/contract';
import { type RowReader, rowReader } from '../core/row-shape.ts';
import { LOGS } from './log-fields.ts';
import { LOG_HASH } from './log-id.ts';
import { SENT } from './log-order.ts';
import { LOG_COLUMNS, type RawLogRow, toLogRow } from './log-row.ts';

/** Log records one by one, as the log search shows them. */
export const LOG_SHAPE: RowReader<LogRow> = rowReader<RawLogRow, LogRow>({
  source: LOGS,
  columns: LOG_COLUMNS,
  ids: [`toString(${LOG_HASH})`],
  sent: SENT,
  toRow: toLogRow,
});
