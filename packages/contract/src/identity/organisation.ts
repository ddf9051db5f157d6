import { z } from 'zod';
import { defineRoute, governs } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import { emailSchema, idSchema, nameSchema, nextCursor, pagingShape, roleSchema } from './common.ts';

const organisationSchema = z
  .object({ id: z.string(), name: z.string(), createdAt: isoTime })
  .meta({ id: 'Organisation' });
export type Organisation = z.output<typeof organisationSchema>;

const errors = ['metadata_unavailable'] as const;

export const getOrganisation = defineRoute({
  id: 'getOrganisation',
  method: 'GET',
  path: '/api/organisation',
  tag: 'Organisation',
  summary: 'The organisation',
  permission: governs('viewer'),
  response: z.object({ data: organisationSchema }),
  errors,
});

export const updateOrganisation = defineRoute({
  id: 'updateOrganisation',
  method: 'PATCH',
  path: '/api/organisation',
  tag: 'Organisation',
  summary: 'Renames the organisation',
  permission: governs('admin'),
  body: z.strictObject({ name: nameSchema }),
  response: z.object({ data: organisationSchema }),
  errors,
});

const memberSchema = z
  .object({
    id: z.string().meta({ description: 'Of the person.' }),
    email: z.string(),
    name: z.string(),
    role: roleSchema,
    totp: z.boolean(),
    joinedAt: isoTime,
    lastSeenAt: isoTime.nullable(),
  })
  .meta({ id: 'Member' });
export type Member = z.output<typeof memberSchema>;

const params = z.object({ id: idSchema });

export const listMembers = defineRoute({
  id: 'listMembers',
  method: 'GET',
  path: '/api/organisation/members',
  tag: 'Organisation',
  summary: 'Members by e-mail',
  permission: governs('viewer'),
  query: z.strictObject(pagingShape),
  response: z.object({ data: z.array(memberSchema), nextCursor }),
  errors: ['bad_query', ...errors],
});

export const updateMember = defineRoute({
  id: 'updateMember',
  method: 'PATCH',
  path: '/api/organisation/members/{id}',
  tag: 'Organisation',
  summary:
    'Changes the role of a member: nobody gives more than they have, admins are changed by owners only',
  permission: governs('admin'),
  params,
  body: z.strictObject({ role: roleSchema }),
  response: z.object({ data: memberSchema }),
  errors: ['not_found', 'refused', ...errors],
});

export const removeMember = defineRoute({
  id: 'removeMember',
  method: 'DELETE',
  path: '/api/organisation/members/{id}',
  tag: 'Organisation',
  summary: 'Removes a person: account, sessions, and the API keys they made, die with it',
  permission: governs('admin'),
  params,
  response: z.object({ data: z.object({ id: z.string(), keysRevoked: z.number() }) }),
  errors: ['not_found', 'refused', ...errors],
});

const invitationSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role: roleSchema,
    projects: z.array(z.string()).meta({ description: 'Ids of the projects the person will reach.' }),
    invitedBy: z.string().nullable().meta({ description: 'E-mail; null: gone.' }),
    createdAt: isoTime,
    expiresAt: isoTime,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.output<typeof invitationSchema>;

export const listInvitations = defineRoute({
  id: 'listInvitations',
  method: 'GET',
  path: '/api/organisation/invitations',
  tag: 'Organisation',
  summary: 'Invitations that were neither accepted nor taken back, latest first; expired ones too',
  permission: governs('admin'),
  query: z.strictObject(pagingShape),
  response: z.object({ data: z.array(invitationSchema), nextCursor }),
  errors: ['bad_query', ...errors],
});

export const createInvitation = defineRoute({
  id: 'createInvitation',
  method: 'POST',
  path: '/api/organisation/invitations',
  tag: 'Organisation',
  summary:
    'Invites an address; the link is in the answer and nowhere else. One before it for that address is void',
  permission: governs('admin'),
  success: 201,
  body: z.strictObject({
    email: emailSchema,
    role: roleSchema.default('member'),
    projects: z
      .array(idSchema)
      .max(100)
      .optional()
      .meta({ description: 'Projects to reach; default: the default one. Admins and owners reach all.' }),
    expiresInHours: z.int().min(1).max(720).default(168),
  }),
  response: z.object({
    data: z.object({
      invitation: invitationSchema,
      link: z.string(),
      mailed: z
        .boolean()
        .meta({ description: 'Whether it was sent by mail too: SMTP is set up and took it.' }),
    }),
  }),
  errors: ['conflict', 'refused', ...errors],
});

export const revokeInvitation = defineRoute({
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/api/organisation/invitations/{id}',
  tag: 'Organisation',
  summary: 'Takes an invitation back',
  permission: governs('admin'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});
