import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { entityKeySchema } from './activity.ts';
import { isoTime, MAX_PREVIEWS, windowShape } from './common.ts';

/** Places that one answer names at most. */
export const MAX_SAID_HITS = 500;

export const saidHitSchema = z
  .object({
    id: z.string().meta({ description: 'Which of the ids asked for; of a session its traces.' }),
    traceId: z.string(),
    spanId: z.string(),
    time: isoTime.meta({ description: 'Start of the span.' }),
    role: z.string().meta({ description: 'Who said it: user, assistant, system or tool.' }),
    before: z.string(),
    match: z.string().meta({ description: 'The first word or text of the filter in that message.' }),
    after: z.string(),
  })
  .meta({
    id: 'SaidHit',
    description: 'A message that holds what is sought: the text around the first place.',
  });
export type SaidHit = z.output<typeof saidHitSchema>;

export const findSaid = defineRoute({
  id: 'findSaid',
  method: 'POST',
  path: '/api/telemetry/said',
  tag: 'Telemetry',
  summary: 'Where in rows of a list the texts of a filter were said first, with the text around',
  permission: reads('telemetry'),
  body: z.strictObject({
    ...windowShape,
    of: z.enum(['traces', 'sessions', 'spans']),
    ids: z.array(z.string().min(1).max(512)).max(MAX_PREVIEWS).meta({
      description: 'Ids of traces or sessions; of spans `traceId-spanId`.',
    }),
  }),
  response: z.object({ data: z.array(saidHitSchema) }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const searchSession = defineRoute({
  id: 'searchSession',
  method: 'GET',
  path: '/api/telemetry/sessions/{session}/search',
  tag: 'Telemetry',
  summary: 'Messages of one session that hold what a filter seeks, in order; repeated history counts once',
  permission: reads('telemetry'),
  params: z.object({ session: entityKeySchema }),
  query: z.strictObject({
    q: z
      .string()
      .trim()
      .min(1)
      .max(400)
      .meta({
        description:
          'Words, or fields of the search: `user_said:`, `assistant_said:`, `system_prompt:`, `tool_result:`.',
        examples: ['user_said:refund'],
      }),
  }),
  response: z.object({
    data: z.object({
      hits: z.array(saidHitSchema),
      truncated: z.boolean().meta({ description: `True when there may be more than ${MAX_SAID_HITS}.` }),
    }),
  }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});
