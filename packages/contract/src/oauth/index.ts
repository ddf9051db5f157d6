import { SCOPES } from '@candela/kernel';
import { z } from 'zod';
import { idSchema, keyNameSchema, nextCursor, pagingShape } from '../identity/common.ts';
import { defineRoute, governs, ownAccount, type RouteDeclaration } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of applications that ask for tokens. */
export const OAUTH_LIMITS = { clients: 500, redirectUris: 20, redirectUri: 1_000 } as const;

const scopes = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Where a browser may be sent with a code: `https:`, `http:` on the person's own machine, or an app's own scheme. */
function redirectProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'An absolute address such as https://app.example.com/callback.';
  const { protocol, hostname, hash, username, password } = new URL(text);
  if (hash !== '' || text.includes('#')) return 'An address without "#".';
  if (username !== '' || password !== '') return 'An address without a user name.';
  if (text.includes('*')) return 'A whole address: "*" stands for nothing here.';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    return LOOPBACK.has(hostname) ? undefined : 'Use https, or http on localhost.';
  }
  // RFC 8252 section 7.1: a scheme of an app's own is a domain name in reverse.
  return /^[a-z][a-z0-9+-]*\.[a-z0-9.+-]+:$/.test(protocol)
    ? undefined
    : 'Use https, http on localhost, or a scheme such as com.example.app:.';
}

const redirectUri = z
  .string()
  .max(OAUTH_LIMITS.redirectUri)
  .superRefine((text, issues) => {
    const problem = redirectProblem(text);
    if (problem !== undefined) issues.addIssue({ code: 'custom', message: problem });
  });

const grants = z
  .array(z.enum(['authorization_code', 'refresh_token', 'client_credentials']))
  .min(1)
  .max(3)
  .meta({
    description:
      '`authorization_code`: people allow it in their browser (PKCE S256). `refresh_token`: it may go on without them. `client_credentials`: it acts for itself, confidential clients only.',
  });

const clientShape = {
  name: keyNameSchema,
  redirectUris: z
    .array(redirectUri)
    .max(OAUTH_LIMITS.redirectUris)
    .meta({ description: 'Compared letter by letter; on localhost the port is free.' }),
  grants,
  scopes: scopes.meta({ description: 'The most it may be given.' }),
};

const oauthClientSchema = z
  .object({
    ...clientShape,
    id: z.string().meta({ description: 'The `client_id`.' }),
    kind: z.enum(['confidential', 'public']).meta({
      description: 'confidential: keeps a secret on a server. public: an app or a command line, without one.',
    }),
    projectId: z.string().meta({ description: 'The project of the tokens that it gets for itself.' }),
    createdBy: z.string().nullable().meta({ description: 'E-mail.' }),
    createdAt: isoTime,
    lastUsedAt: isoTime.nullable().meta({ description: 'When it last got a token.' }),
  })
  .meta({ id: 'OauthClient' });
export type OauthClient = z.output<typeof oauthClientSchema>;

const withSecret = z.object({
  data: oauthClientSchema.extend({
    clientSecret: z.string().nullable().meta({ description: 'Shown once; null: a public client has none.' }),
  }),
});
const base = { tag: 'OAuth 2.0' } as const;
const params = z.object({ id: idSchema });
const errors = ['metadata_unavailable'] as const;

export const listOauthClients = defineRoute({
  ...base,
  id: 'listOauthClients',
  method: 'GET',
  path: '/api/oauth/clients',
  summary: 'Applications that may ask for tokens, by name',
  permission: governs('admin'),
  query: z.strictObject(pagingShape),
  response: z.object({ data: z.array(oauthClientSchema), nextCursor }),
  errors: ['bad_query', ...errors],
});

export const createOauthClient = defineRoute({
  ...base,
  id: 'createOauthClient',
  method: 'POST',
  path: '/api/oauth/clients',
  summary: 'Registers an application; its secret is in this answer only',
  permission: governs('admin'),
  success: 201,
  body: z.strictObject({
    ...clientShape,
    kind: z.enum(['confidential', 'public']),
    projectId: idSchema.optional().meta({ description: 'Default: the project of the request.' }),
  }),
  response: withSecret,
  errors: ['refused', 'conflict', 'not_found', ...errors],
});

export const updateOauthClient = defineRoute({
  ...base,
  id: 'updateOauthClient',
  method: 'PATCH',
  path: '/api/oauth/clients/{id}',
  summary: 'Changes an application; tokens it has lose the scopes that it may not have any more',
  permission: governs('admin'),
  params,
  body: z.strictObject(clientShape).partial(),
  response: z.object({ data: oauthClientSchema }),
  errors: ['not_found', 'refused', 'conflict', ...errors],
});

export const rotateOauthSecret = defineRoute({
  ...base,
  id: 'rotateOauthSecret',
  method: 'POST',
  path: '/api/oauth/clients/{id}/rotate',
  summary: 'A new secret; the old one is void at once',
  permission: governs('admin'),
  params,
  response: withSecret,
  errors: ['not_found', 'refused', ...errors],
});

export const deleteOauthClient = defineRoute({
  ...base,
  id: 'deleteOauthClient',
  method: 'DELETE',
  path: '/api/oauth/clients/{id}',
  summary: 'Removes an application; all its tokens are void at once',
  permission: governs('admin'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});

const consentParams = z.object({ uid: z.string().regex(/^[A-Za-z0-9_-]{10,64}$/) });

export const getOauthConsent = defineRoute({
  ...base,
  id: 'getOauthConsent',
  method: 'GET',
  path: '/api/oauth/consent/{uid}',
  summary: 'What an application asks of the person who is signed in; the page at `/consent` shows it',
  permission: ownAccount,
  params: consentParams,
  response: z.object({
    data: z.object({
      client: z.object({
        id: z.string(),
        name: z.string(),
        goesTo: z.string().meta({ description: 'Host (or scheme) of the address the browser is sent to.' }),
      }),
      scopes: z.array(z.enum(SCOPES)).meta({ description: 'What it asks for and may be given.' }),
      staysAllowed: z.boolean().meta({ description: 'It may go on without the person being there.' }),
      projects: z
        .array(z.object({ id: z.string(), name: z.string() }))
        .meta({ description: 'Projects of which one can be chosen, the default one first.' }),
    }),
  }),
  errors: ['not_found', ...errors],
});

export const decideOauthConsent = defineRoute({
  ...base,
  id: 'decideOauthConsent',
  method: 'POST',
  path: '/api/oauth/consent/{uid}',
  summary: 'Allows or refuses; the browser then goes to `redirect`',
  permission: ownAccount,
  params: consentParams,
  body: z.discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('allow'), projectId: idSchema, scopes: scopes.optional() }),
    z.strictObject({ decision: z.literal('deny') }),
  ]),
  response: z.object({ data: z.object({ redirect: z.string() }) }),
  errors: ['not_found', 'forbidden', 'refused', ...errors],
});

const applicationSchema = z
  .object({
    id: z.string().meta({ description: 'Of the permission that was given.' }),
    client: z.object({ id: z.string(), name: z.string() }),
    project: z.object({ id: z.string(), name: z.string() }).nullable(),
    scopes: z.array(z.enum(SCOPES)),
    allowedAt: isoTime,
  })
  .meta({ id: 'AllowedApplication' });
export type AllowedApplication = z.output<typeof applicationSchema>;

export const listApplications = defineRoute({
  ...base,
  id: 'listApplications',
  method: 'GET',
  path: '/api/account/applications',
  summary: 'Applications this person has allowed, latest first',
  permission: ownAccount,
  response: z.object({ data: z.array(applicationSchema), nextCursor }),
  errors,
});

export const revokeApplication = defineRoute({
  ...base,
  id: 'revokeApplication',
  method: 'DELETE',
  path: '/api/account/applications/{id}',
  summary: 'Takes a permission back; its tokens are void at once',
  permission: ownAccount,
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});

/** Every route of applications. */
export const OAUTH_ROUTES = {
  listOauthClients,
  createOauthClient,
  updateOauthClient,
  rotateOauthSecret,
  deleteOauthClient,
  getOauthConsent,
  decideOauthConsent,
  listApplications,
  revokeApplication,
} as const satisfies Record<string, RouteDeclaration>;
