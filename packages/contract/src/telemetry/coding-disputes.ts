import { z } from 'zod';
import { defineRoute, manages } from '../route.ts';
import { isoTime } from './common.ts';

/** What a session of a coding agent is: for work where its repository is on the list of the platform. */
export const CODING_CLASSES = ['work', 'personal', 'unknown'] as const;
export type CodingClass = (typeof CODING_CLASSES)[number];
export const DISPUTE_STATES = ['open', 'accepted', 'rejected', 'withdrawn'] as const;

const requested = z.enum(['work', 'personal']);
const text = z.string().trim().min(1).max(1_000);

const codingDisputeSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    agent: z.string(),
    current: z
      .enum(CODING_CLASSES)
      .meta({ description: 'What the session was called when it was disputed.' }),
    requested,
    rationale: z.string(),
    status: z.enum(DISPUTE_STATES),
    createdBy: z.string(),
    own: z.boolean().meta({ description: 'Whether who asks began it: only they may withdraw it.' }),
    createdAt: isoTime,
    resolvedBy: z.string().nullable(),
    resolvedAt: isoTime.nullable(),
    resolution: z.string().nullable(),
  })
  .meta({ id: 'CodingDispute' });
export type CodingDispute = z.output<typeof codingDisputeSchema>;

const response = z.object({ data: codingDisputeSchema });
const params = z.object({ id: z.string().min(1).max(64) });
const BASE = '/api/coding-agents/disputes';

export const listCodingDisputes = defineRoute({
  id: 'listCodingDisputes',
  method: 'GET',
  path: BASE,
  tag: 'Coding agents',
  summary: 'Disputes over the classification of sessions, the newest first: all for admins, else your own',
  permission: manages('viewer'),
  query: z.strictObject({
    status: z.enum(DISPUTE_STATES).optional(),
    sessionId: z.string().min(1).max(512).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  }),
  response: z.object({ data: z.array(codingDisputeSchema) }),
});

export const createCodingDispute = defineRoute({
  id: 'createCodingDispute',
  method: 'POST',
  path: BASE,
  tag: 'Coding agents',
  summary: 'Disputes what a session is called; at most 20 within an hour',
  permission: manages('member'),
  body: z.strictObject({
    sessionId: z.string().min(1).max(512),
    agent: z.string().min(1).max(512),
    requested,
    rationale: text,
  }),
  response,
  success: 201,
  errors: ['not_found', 'conflict', 'refused', 'rate_limited', 'store_unavailable'],
});

export const resolveCodingDispute = defineRoute({
  id: 'resolveCodingDispute',
  method: 'POST',
  path: `${BASE}/{id}/resolve`,
  tag: 'Coding agents',
  summary: 'Accepts a dispute, which renames the session, or rejects it',
  permission: manages('admin'),
  params,
  body: z.strictObject({
    verdict: z.enum(['accepted', 'rejected']),
    resolution: text.nullable().default(null),
  }),
  response,
  errors: ['not_found', 'conflict'],
});

export const withdrawCodingDispute = defineRoute({
  id: 'withdrawCodingDispute',
  method: 'POST',
  path: `${BASE}/{id}/withdraw`,
  tag: 'Coding agents',
  summary: 'Takes back a dispute of your own',
  permission: manages('member'),
  params,
  response,
  errors: ['not_found', 'conflict'],
});
