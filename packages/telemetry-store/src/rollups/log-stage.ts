import { ROLLUP_BUCKET_SECONDS, ROLLUP_HEAD_SQL, type Stage, startOf } from './rollup.ts';

/** A log record that says what was thrown. */
export const THROWN_IN_LOG = `(mapContains(LogAttributes, 'exception.type') OR mapContains(LogAttributes, 'exception.message'))`;

/** Log records as rollups count them. */
export const LOG_STAGE: Stage = {
  name: 'staged_logs',
  select: (rows) => `
SELECT ${ROLLUP_HEAD_SQL}, ${startOf(ROLLUP_BUCKET_SECONDS)} AS FiveMinutes, ServiceName, SeverityNumber, SeverityText, EventName,
  ScopeName, ${THROWN_IN_LOG} AS Thrown
FROM ${rows}`,
};
