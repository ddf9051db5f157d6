import { z } from 'zod';
import { EVENT_KINDS } from '../filter/records.ts';
import { defineRoute, reads } from '../route.ts';
import { timeSchema } from './common.ts';
import { logRowSchema } from './logs.ts';
import { spanRowSchema } from './traces.ts';

/** How far back a live view may begin, seconds. */
export const TAIL_MAX_BACK_SECONDS = 600;

export const tail = defineRoute({
  id: 'tail',
  method: 'GET',
  path: '/api/telemetry/tail',
  tag: 'Telemetry',
  summary:
    'New rows as they arrive, as server-sent events: `rows` (an array, in order of arrival), `skipped` ({count}: more arrived than are sent a second), `failure` ({err, code, status}) before an early end. `Last-Event-ID` goes on where a broken connection stopped.',
  permission: reads('telemetry'),
  stream: 'events',
  query: z.strictObject({
    signal: z.enum(EVENT_KINDS).default('spans'),
    q: z.string().max(4_096).optional(),
    since: timeSchema.optional().meta({
      description: `Rows that arrived from then on, by the clock of the platform: ISO 8601 or relative to now (\`-5s\`); at most ${TAIL_MAX_BACK_SECONDS} seconds back. Default: now.`,
      examples: ['-5s', '2026-11-20T10:00:00Z'],
    }),
  }),
  response: z
    .array(z.union([spanRowSchema, logRowSchema]))
    .meta({ description: 'Data of a `rows` event: rows as the search of that signal gives them.' }),
  errors: ['bad_query', 'query_too_expensive', 'too_many_streams', 'store_unavailable', 'shutting_down'],
});
