import { z } from 'zod';
import { flag, seconds, type Variable, variable } from './variable.ts';

/** How the process itself behaves. */
export const PROCESS_VARIABLES = {
  PLATFORM_SHUTDOWN_GRACE: seconds(
    'Time a stop may take before the process ends anyway, with code 1.',
    25,
    3_600,
  ),
  PLATFORM_LOG_LEVEL: variable({
    description: 'The least important log lines to write.',
    takes: 'one of debug, info, warn, error, silent',
    default: 'info',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
  }),
  PLATFORM_LOG_FORMAT: variable({
    description: 'Form of the log lines; "auto" is pretty on a terminal and JSON elsewhere.',
    takes: 'one of auto, json, pretty',
    default: 'auto',
    schema: z.enum(['auto', 'json', 'pretty']),
  }),
  PLATFORM_ROLE: variable({
    description:
      'What this replica does: take telemetry (ingest), answer the UI and the API (query), run jobs (jobs), or all. Replicas of other roles need the same PostgreSQL and ClickHouse.',
    takes: 'one of all, ingest, query, jobs',
    default: 'all',
    schema: z.enum(['all', 'ingest', 'query', 'jobs']),
  }),
  PLATFORM_PROFILE: variable({
    description:
      'How much memory is planned for. `small`: 1 GB for everything, as docs/operate-tuning.md says; `auto` takes that where machine or container have at most 1.5 GiB.',
    takes: 'one of auto, small, standard',
    default: 'auto',
    schema: z.enum(['auto', 'small', 'standard']),
  }),
  PLATFORM_LOCAL_COLLECTOR: flag(
    'Whether the agent of this machine runs beside the platform and sends its host and GPU metrics every ten seconds. The variables of the agent count for it too, except where it sends to.',
    'true',
  ),
} as const satisfies Record<string, Variable<unknown>>;
