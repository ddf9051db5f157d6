import { z } from 'zod';
import { defineRoute, ownAccount } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import {
  emailSchema,
  linkTokenSchema,
  nameSchema,
  newPasswordSchema,
  passwordSchema,
  roleSchema,
  totpCodeSchema,
} from './common.ts';

/** A project as its people see it in the switcher. */
const reachedProject = z
  .object({ id: z.string(), name: z.string(), environments: z.array(z.string()) })
  .meta({ id: 'ReachedProject' });

/** Who is signed in and what they reach; the page draws switcher, menu and what is not there from it. */
export const personSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    totp: z.boolean().meta({ description: 'Whether sign-in asks for a code of the authenticator.' }),
    organisation: z
      .object({ id: z.string(), name: z.string(), role: roleSchema })
      .nullable()
      .meta({ description: 'Null: belongs to none (any more).' }),
    projects: z
      .array(reachedProject)
      .meta({ description: 'Those this person reaches, the default one first.' }),
  })
  .meta({ id: 'Person' });
export type Person = z.output<typeof personSchema>;

const providerSchema = z
  .object({ id: z.string(), name: z.string() })
  .meta({ id: 'SignInProvider', description: 'Another place to sign in at: OIDC issuer, Google, GitHub.' });

export const getAuthStatus = defineRoute({
  id: 'getAuthStatus',
  method: 'GET',
  path: '/api/auth/status',
  tag: 'Sign-in',
  summary: 'Who asks, and how one may sign in here; the first call of a page',
  permission: 'public',
  response: z.object({
    data: z.object({
      owned: z.boolean().meta({ description: 'False until the first owner has set this installation up.' }),
      providers: z.array(providerSchema),
      person: personSchema.nullable().meta({ description: 'Null: nobody is signed in.' }),
      anonymous: z
        .object({ projects: z.array(reachedProject) })
        .nullable()
        .meta({
          description:
            'Set while nobody owns this installation and the call comes from its machine: reads work.',
        }),
    }),
  }),
});
export type AuthStatus = z.output<typeof getAuthStatus.response>['data'];

const signedIn = z.object({ data: z.object({ person: personSchema }) });
/** `totp`: call the second step with a code; the cookie of the first one holds five minutes. */
const stepped = z.object({
  data: z.object({ next: z.enum(['done', 'totp']), person: personSchema.nullable() }),
});
const errors = ['rate_limited', 'metadata_unavailable', 'forbidden'] as const;

export const setUp = defineRoute({
  id: 'setUp',
  method: 'POST',
  path: '/api/auth/setup',
  tag: 'Sign-in',
  summary: 'Makes the first owner with the token of the link printed at the start, and signs them in',
  permission: 'public',
  success: 201,
  body: z.strictObject({
    token: linkTokenSchema,
    email: emailSchema,
    name: nameSchema,
    password: newPasswordSchema,
    organisation: nameSchema.optional().meta({ description: 'Name of the organisation; default: as it is.' }),
  }),
  response: signedIn,
  errors: ['not_found', 'conflict', ...errors],
});

export const signIn = defineRoute({
  id: 'signIn',
  method: 'POST',
  path: '/api/auth/sign-in',
  tag: 'Sign-in',
  summary: 'Signs in with e-mail and password; the session is a cookie',
  permission: 'public',
  body: z.strictObject({ email: emailSchema, password: passwordSchema }),
  response: stepped,
  errors: ['wrong_password', ...errors],
});

export const signInTotp = defineRoute({
  id: 'signInTotp',
  method: 'POST',
  path: '/api/auth/sign-in/totp',
  tag: 'Sign-in',
  summary: 'Second step of signing in: a code of the authenticator or a recovery code',
  permission: 'public',
  body: z.strictObject({ code: totpCodeSchema }),
  response: signedIn,
  errors: ['wrong_code', 'not_signed_in', ...errors],
});

const provider = z.object({ provider: z.string().regex(/^[a-z0-9-]{1,40}$/) });
/** Where the page goes after sign-in: a path of ours, nothing else. */
const returnTo = z
  .string()
  .max(2_048)
  .regex(/^\/(?![/\\])[^\p{Cc}\\]*$/u, { error: 'A path of this platform, e.g. "/traces".' })
  .default('/');

export const startProvider = defineRoute({
  id: 'startProvider',
  method: 'POST',
  path: '/api/auth/provider/{provider}/start',
  tag: 'Sign-in',
  summary:
    'Begins sign-in at another place: the browser goes to `url` and comes back to `/sign-in/{provider}`',
  permission: 'public',
  params: provider,
  body: z.strictObject({ returnTo, invitation: linkTokenSchema.optional() }),
  response: z.object({ data: z.object({ url: z.string() }) }),
  errors: ['not_found', 'provider_failed', ...errors],
});

export const finishProvider = defineRoute({
  id: 'finishProvider',
  method: 'POST',
  path: '/api/auth/provider/{provider}/finish',
  tag: 'Sign-in',
  summary:
    'Ends sign-in at another place: the page at `/sign-in/{provider}` sends the query it was called with',
  permission: 'public',
  params: provider,
  body: z.strictObject({
    search: z
      .string()
      .max(8_192)
      .meta({ description: 'The query part of the address, e.g. `?code=...&state=...`.' }),
  }),
  response: z.object({
    data: z.object({ next: z.enum(['done', 'totp']), person: personSchema.nullable(), returnTo: z.string() }),
  }),
  errors: ['not_found', 'provider_failed', 'conflict', ...errors],
});

export const signOut = defineRoute({
  id: 'signOut',
  method: 'POST',
  path: '/api/auth/sign-out',
  tag: 'Sign-in',
  summary: 'Ends this session',
  permission: ownAccount,
  response: z.object({ data: z.object({ signedOut: z.literal(true) }) }),
  errors: ['metadata_unavailable'],
});

export const lookAtInvitation = defineRoute({
  id: 'lookAtInvitation',
  method: 'POST',
  path: '/api/auth/invitation',
  tag: 'Sign-in',
  summary: 'What an invitation link is about',
  permission: 'public',
  body: z.strictObject({ token: linkTokenSchema }),
  response: z.object({
    data: z.object({
      organisation: z.string(),
      email: z.string(),
      role: roleSchema,
      expiresAt: isoTime,
      account: z.enum(['new', 'sign-in', 'ready']).meta({
        description: 'Whether the address has no account yet, must sign in first, or is signed in.',
      }),
    }),
  }),
  errors: ['not_found', ...errors],
});

export const acceptInvitation = defineRoute({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/api/auth/invitation/accept',
  tag: 'Sign-in',
  summary:
    'Accepts an invitation: makes the account and signs in, or joins with the account that is signed in',
  permission: 'public',
  body: z.strictObject({
    token: linkTokenSchema,
    name: nameSchema.optional().meta({ description: 'Of a new account.' }),
    password: newPasswordSchema.optional().meta({ description: 'Of a new account.' }),
  }),
  response: signedIn,
  errors: ['not_found', 'not_signed_in', 'refused', ...errors],
});
