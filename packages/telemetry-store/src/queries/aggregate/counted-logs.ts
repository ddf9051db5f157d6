import { SEVERITIES } from '@candela/contract';
import { LOG_COUNTS } from '../../rollups/log-counts.ts';
import { LOG_SEVERITY } from '../../schema/expressions.ts';
import { column, type Source } from '../core/source.ts';
import { LOGS } from '../logs/log-fields.ts';
import type { Counted } from './counted.ts';

/** The rollup of log records: its columns are called as those of the rows. */
const COUNTS: Source = {
  signal: 'logs',
  table: LOG_COUNTS.name,
  time: 'Bucket',
  fields: {
    service: column('ServiceName'),
    environment: column('Environment'),
    severity: { kind: 'level', sql: LOG_SEVERITY, levels: SEVERITIES },
    severity_text: column('SeverityText'),
    event: column('EventName'),
    scope_name: column('ScopeName'),
  },
  mapOf() {
    throw new RangeError('A rollup has no attributes');
  },
  pairs: new Map(),
};

const IS_ERROR = `${LOG_SEVERITY} >= ${SEVERITIES.indexOf('error')}`;

const COUNT = { rows: 'count()', counts: 'sum(Records)' };

/** Log records as charts and facets count them. */
export const COUNTED_LOGS: Counted = {
  rows: LOGS,
  counts: COUNTS,
  count: COUNT,
  figures: {
    records: COUNT,
    errors: { rows: `countIf(${IS_ERROR})`, counts: `sumIf(Records, ${IS_ERROR})` },
    traces: { rows: "uniqIf(TraceId, TraceId != '')" },
    sessions: { rows: "uniqIf(SessionId, SessionId != '')" },
    users: { rows: "uniqIf(UserId, UserId != '')" },
  },
  measures: {
    count: (of) => of('records'),
    errors: (of) => of('errors'),
    error_rate: (of) => `${of('errors')} / ${of('records')}`,
    traces: (of) => of('traces'),
    sessions: (of) => of('sessions'),
    users: (of) => of('users'),
  },
};
