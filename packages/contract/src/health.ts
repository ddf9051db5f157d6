import { z } from 'zod';
import { defineRoute } from './route.ts';

export const getPlatformHealth = defineRoute({
  id: 'getPlatformHealth',
  method: 'GET',
  path: '/api/health',
  tag: 'Platform',
  summary: 'Whether this process answers, and how well its parts do',
  permission: 'public',
  response: z.object({
    status: z.literal('ok').meta({ description: 'This process answers.' }),
    service: z.string(),
    version: z.string(),
    state: z.enum(['starting', 'ready', 'degraded', 'stopping']),
    store: z.object({ state: z.string(), version: z.string().nullable(), restarts: z.number() }),
    ingest: z.object({
      backlogBytes: z.number().nullable(),
      /** Age of the oldest record that is acknowledged but not yet stored. */
      lagMs: z.number().nullable(),
    }),
    /** Why the state is not `ready`; empty when it is. */
    reasons: z.array(z.string()),
  }),
});

export const getReady = defineRoute({
  id: 'getReady',
  method: 'GET',
  path: '/api/ready',
  tag: 'Platform',
  summary: '200 while traffic is welcome, 503 before the start is done and from the first moment of a stop',
  permission: 'public',
  response: z.object({ ready: z.boolean() }),
  errors: ['shutting_down'],
});
