import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import {
  ACTIVITY_SORTS,
  activityShape,
  earlyQueryShape,
  entityKeySchema,
  listQueryShape,
} from './activity.ts';
import { count, listSampleSchema, timeSchema } from './common.ts';

export const USER_SORTS = [...ACTIVITY_SORTS, '-sessions', 'sessions'] as const;
export type UserSort = (typeof USER_SORTS)[number];

const userShape = {
  userId: z.string(),
  key: z.string().meta({ description: 'The id for a path.' }),
  sessions: count,
  ...activityShape,
};

export const userRowSchema = z.object(userShape).meta({ id: 'UserRow' });
export type UserRow = z.output<typeof userRowSchema>;

export const listUsers = defineRoute({
  id: 'listUsers',
  method: 'GET',
  path: '/api/telemetry/users',
  tag: 'Telemetry',
  summary:
    'Users of whom a span lies in the window; with a filter, of whom at least one span matches. The figures are those of all spans of the user in the window.',
  permission: reads('telemetry'),
  shared: true,
  query: z.strictObject({ ...listQueryShape, ...earlyQueryShape, sort: z.enum(USER_SORTS).default('-last') }),
  response: z.object({
    data: z.array(userRowSchema),
    nextCursor: z.string().nullable(),
    sample: listSampleSchema,
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const getUser = defineRoute({
  id: 'getUser',
  method: 'GET',
  path: '/api/telemetry/users/{user}',
  tag: 'Telemetry',
  summary: 'One user: the figures of a window',
  permission: reads('telemetry'),
  params: z.object({ user: entityKeySchema }),
  query: z.strictObject({ from: timeSchema.default('-24h'), to: timeSchema.default('now') }),
  response: z.object({
    data: z
      .object({ ...userShape, services: z.array(z.string()), environments: z.array(z.string()) })
      .meta({ id: 'User' }),
  }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});
