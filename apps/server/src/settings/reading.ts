import { z } from 'zod';
import { bytes, flag, integer, seconds, variable, type Variable } from './variable.ts';

/** What reads may cost. */
export const READING_VARIABLES = {
  PLATFORM_QUERY_TIMEOUT: seconds('Time one read of the telemetry store may take.', 20, 600),
  PLATFORM_QUERY_MAX_ROWS: variable({
    description: 'Rows one read of the telemetry store may look at.',
    takes: 'a whole number from 1000',
    default: '2000000000',
    schema: integer(1_000, 1e15),
  }),
  PLATFORM_QUERY_MAX_MEMORY: bytes('Memory one read of the telemetry store may use.', '1GiB', 16 * 1_048_576),
  PLATFORM_ATTRIBUTE_COLUMNS: variable({
    description:
      'Columns that each telemetry store may get by itself, for attributes that people group or filter by and had to wait for. With 0 none are added.',
    takes: 'a whole number from 0 to 100',
    default: '24',
    schema: integer(0, 100),
  }),
  PLATFORM_TEXT_INDEX: flag(
    'Whether telemetry stores keep an index of all words of messages and log bodies, so that charts, facets and lists by words need not read all texts. It takes about half as much room again and more work at merges. With false one that is there is dropped.',
    'true',
  ),
  PLATFORM_MAX_STREAMS: variable({
    description: 'Live views and exports that may be open at once, all clients together.',
    takes: 'a whole number from 1 to 10000',
    default: '200',
    schema: integer(1, 10_000),
  }),
  PLATFORM_MAX_STREAMS_PER_CLIENT: variable({
    description:
      'Live views and exports that one credential (or one address without a credential) may have open at once.',
    takes: 'a whole number from 1 to 10000',
    default: '20',
    schema: integer(1, 10_000),
  }),
  PLATFORM_STREAM_STALL: seconds(
    'Time a client may take nothing of an answer, a live view or an export before it is dropped.',
    60,
    3_600,
  ),
  PLATFORM_TAIL_ROWS_PER_SECOND: variable({
    description: 'Rows a second one live view is sent; of more it is told how many were left out.',
    takes: 'a whole number from 1 to 1000',
    default: '100',
    schema: integer(1, 1_000),
  }),
  PLATFORM_EXPORT_MAX_ROWS: variable({
    description: 'Rows one export may hold; what is cut off is said in its headers.',
    takes: 'a whole number from 1 to 10000000',
    default: '100000',
    schema: integer(1, 10_000_000),
  }),
  PLATFORM_CODING_CONTENT_CAPTURE: variable({
    description:
      'How much of what coding agents do may be sent: identifiers and counts, also names and paths, or all. Command-line tools take the stricter of this and their own.',
    takes: 'minimal, metadata_only or full',
    default: 'full',
    schema: z.enum(['minimal', 'metadata_only', 'full']),
  }),
  PLATFORM_CODING_REPOSITORIES: variable({
    description: 'Repositories whose coding sessions are sent; unset: all.',
    takes: 'host/owner or host/owner/name, separated by commas',
    default: '',
    schema: z
      .string()
      .max(10_000)
      .transform((list) =>
        list
          .split(',')
          .map((entry) => entry.trim())
          .filter(Boolean),
      ),
  }),
} as const satisfies Record<string, Variable<unknown>>;
