import { MOST_MEDIA_BYTES } from '@candela/contract';
import { ONE_IN } from '@candela/telemetry-store';
import { bytes, days, integer, number, perProject, seconds, variable, type Variable } from './variable.ts';

const oneIn = integer(1, 1_000).refine((value) => ONE_IN.some((one) => one === value));

/** What is taken and how long it is kept. */
export const INGEST_VARIABLES = {
  PLATFORM_OTLP_MAX_BYTES: bytes('Largest OTLP request, after decompression.', '16MiB', 1_024),
  PLATFORM_MEDIA_MAX_BYTES: bytes(
    'Largest image, sound or file that an application uploads beside of its traces; no more than 64MiB.',
    '10MiB',
    1_024,
    MOST_MEDIA_BYTES,
  ),
  PLATFORM_MEDIA_PROJECT_BYTES: bytes(
    'How much uploaded media a project may keep, all items together; more is refused until older media is past its retention.',
    '256MiB',
    1_024,
  ),
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
  PLATFORM_TRACE_SAMPLING: variable({
    description:
      'Of ordinary traces one of so many is kept once their day is over, and counts for them (docs/sampling.md); for some projects another number. Traces with errors, slow and costly ones and those with a low score are kept.',
    takes: `${ONE_IN.slice(0, -1).join(', ')} or ${ONE_IN.at(-1)}, then, if wanted, those of single projects: 10,shop=100,audit=1`,
    default: '1',
    schema: perProject(oneIn).transform(({ value, projects }) => ({ oneIn: value, projects })),
  }),
  PLATFORM_TRACE_SAMPLING_SLOW: seconds(
    'Seconds from which a trace is slow, so that sampling keeps it.',
    10,
    86_400,
  ),
  PLATFORM_TRACE_SAMPLING_COST: variable({
    description: 'US dollars from which a trace is costly, so that sampling keeps it.',
    takes: 'a number from 0 to 1000000, such as 0.25',
    default: '0.5',
    schema: number(0, 1_000_000),
  }),
  PLATFORM_TRACE_SAMPLING_SCORE: variable({
    description: 'A trace with a score below this, or with the verdict fail, is kept by sampling.',
    takes: 'a number from -1000000 to 1000000, such as 0.5',
    default: '0.5',
    schema: number(-1_000_000, 1_000_000),
  }),
  PLATFORM_TRACE_SAMPLING_AFTER: variable({
    description:
      'Hours after the end of a day (UTC) until its traces are sampled: time for scores and for traces that began before midnight.',
    takes: 'whole hours from 24 to 8760',
    default: '24',
    schema: integer(24, 8_760).transform((value) => value * 3_600_000),
  }),
} as const satisfies Record<string, Variable<unknown>>;
