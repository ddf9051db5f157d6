import { z } from 'zod';
import { defineRoute, governs } from './route.ts';
import { isoTime, timeSchema } from './telemetry/common.ts';

const text = z.string().min(1).max(500);
const nullable = z.string().nullable();

const auditEventSchema = z
  .object({
    id: z.string(),
    at: isoTime,
    projectId: nullable,
    actorKind: z.enum(['user', 'key', 'anonymous', 'system']).meta({
      description: '`anonymous` is this machine without a credential, `system` the platform itself.',
    }),
    actorId: nullable,
    actorName: nullable.meta({ description: 'What the actor was called then: an e-mail address.' }),
    action: z.string().meta({ description: '`<thing>.<verb>`.', examples: ['view.create'] }),
    objectKind: z.string(),
    objectId: nullable,
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
      .meta({ description: 'What was done, by name; never a secret.' }),
    address: nullable.meta({ description: 'Address of the connection.' }),
    userAgent: nullable,
    requestId: z.string(),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEventView = z.output<typeof auditEventSchema>;

export const listAuditEvents = defineRoute({
  id: 'listAuditEvents',
  method: 'GET',
  path: '/api/audit',
  tag: 'Audit',
  summary: 'Who did what to which object in the organisation, latest first',
  permission: governs('admin'),
  query: z.strictObject({
    from: timeSchema.optional(),
    to: timeSchema.optional(),
    projectId: text.optional(),
    actorId: text.optional(),
    action: text.optional().meta({ description: 'The whole action: `view.create`.' }),
    objectKind: text.optional(),
    objectId: text.optional(),
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().min(1).max(1_024).optional(),
  }),
  response: z.object({ data: z.array(auditEventSchema), nextCursor: z.string().nullable() }),
  errors: ['bad_query', 'metadata_unavailable'],
});
