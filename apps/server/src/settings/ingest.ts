import { bytes, days, integer, variable, type Variable } from './variable.ts';

/** What is taken and how long it is kept. */
export const INGEST_VARIABLES = {
  PLATFORM_OTLP_MAX_BYTES: bytes('Largest OTLP request, after decompression.', '16MiB', 1_024),
  PLATFORM_LOG_CAP_BYTES: bytes(
    'How much the write-ahead log may hold before ingest answers 503: what bridges a store that is away.',
    '2GiB',
    16 * 1_048_576,
  ),
  PLATFORM_MIN_FREE_DISK_PERCENT: variable({
    description: 'Free disk space below which ingest answers 503; reads go on.',
    takes: 'whole percent from 0 to 90',
    default: '5',
    schema: integer(0, 90),
  }),
  PLATFORM_RETENTION_DAYS_TRACES: days('traces', 30),
  PLATFORM_RETENTION_DAYS_LOGS: days('logs', 30),
  PLATFORM_RETENTION_DAYS_METRICS: days('metrics', 90),
} as const satisfies Record<string, Variable<unknown>>;
