import { z } from 'zod';
import { defineRoute, ownAccount } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import {
  idSchema,
  nameSchema,
  newPasswordSchema,
  nextCursor,
  passwordSchema,
  totpCodeSchema,
} from './common.ts';

const accountSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    hasPassword: z.boolean().meta({ description: 'False: signs in at a provider only.' }),
    totp: z.boolean(),
    recoveryCodesLeft: z.number(),
    providers: z.array(z.string()).meta({ description: 'Ids of the providers this account is linked to.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'Account' });
export type Account = z.output<typeof accountSchema>;

const shown = z.object({ data: accountSchema });
const base = { tag: 'Account', permission: ownAccount } as const;
const errors = ['metadata_unavailable'] as const;
const guarded = ['wrong_password', 'rate_limited', ...errors] as const;

export const getAccount = defineRoute({
  ...base,
  id: 'getAccount',
  method: 'GET',
  path: '/api/account',
  summary: 'The account that is signed in',
  response: shown,
  errors,
});

export const updateAccount = defineRoute({
  ...base,
  id: 'updateAccount',
  method: 'PATCH',
  path: '/api/account',
  summary: 'Changes the name',
  body: z.strictObject({ name: nameSchema }),
  response: shown,
  errors,
});

export const changePassword = defineRoute({
  ...base,
  id: 'changePassword',
  method: 'POST',
  path: '/api/account/password',
  summary: 'Changes the password; every other session is signed out',
  body: z.strictObject({
    currentPassword: passwordSchema.optional().meta({ description: 'Needed when there is one.' }),
    newPassword: newPasswordSchema,
  }),
  response: z.object({ data: z.object({ signedOut: z.number() }) }),
  errors: guarded,
});

const password = passwordSchema.optional().meta({
  description: 'The password, asked again. An account without one needs none.',
});

export const startTotp = defineRoute({
  ...base,
  id: 'startTotp',
  method: 'POST',
  path: '/api/account/totp',
  summary: 'Begins a second factor: a secret for the authenticator, in force once a code of it was sent',
  body: z.strictObject({ password }),
  response: z.object({
    data: z.object({
      secret: z.string().meta({ description: 'Base32, for typing.' }),
      uri: z.string().meta({ description: '`otpauth://` address, for the QR code.' }),
    }),
  }),
  errors: ['conflict', ...guarded],
});

const codes = z.object({
  data: z.object({
    recoveryCodes: z.array(z.string()).meta({ description: 'Shown once; each signs in once.' }),
  }),
});

export const confirmTotp = defineRoute({
  ...base,
  id: 'confirmTotp',
  method: 'POST',
  path: '/api/account/totp/confirm',
  summary: 'Puts the second factor in force with a code of the authenticator',
  body: z.strictObject({ code: totpCodeSchema }),
  response: codes,
  errors: ['conflict', 'wrong_code', ...guarded],
});

export const newRecoveryCodes = defineRoute({
  ...base,
  id: 'newRecoveryCodes',
  method: 'POST',
  path: '/api/account/totp/recovery-codes',
  summary: 'New recovery codes; the old ones are void',
  body: z.strictObject({ password, code: totpCodeSchema }),
  response: codes,
  errors: ['conflict', 'wrong_code', ...guarded],
});

export const removeTotp = defineRoute({
  ...base,
  id: 'removeTotp',
  method: 'POST',
  path: '/api/account/totp/remove',
  summary: 'Ends the second factor',
  body: z.strictObject({ password, code: totpCodeSchema }),
  response: shown,
  errors: ['conflict', 'wrong_code', ...guarded],
});

const sessionSchema = z
  .object({
    id: z.string(),
    current: z.boolean(),
    createdAt: isoTime,
    lastSeenAt: isoTime,
    expiresAt: isoTime,
    address: z.string(),
    userAgent: z.string(),
  })
  .meta({ id: 'AccountSession' });
export type AccountSession = z.output<typeof sessionSchema>;

export const listAccountSessions = defineRoute({
  ...base,
  id: 'listAccountSessions',
  method: 'GET',
  path: '/api/account/sessions',
  summary: 'Where this account is signed in, latest first',
  response: z.object({ data: z.array(sessionSchema), nextCursor }),
  errors,
});

export const endAccountSession = defineRoute({
  ...base,
  id: 'endAccountSession',
  method: 'DELETE',
  path: '/api/account/sessions/{id}',
  summary: 'Signs one session out',
  params: z.object({ id: idSchema }),
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});

export const signOutEverywhere = defineRoute({
  ...base,
  id: 'signOutEverywhere',
  method: 'POST',
  path: '/api/account/sign-out-everywhere',
  summary: 'Signs every session of this account out, this one too unless it is kept',
  body: z.strictObject({ keepThis: z.boolean().default(false) }),
  response: z.object({ data: z.object({ signedOut: z.number() }) }),
  errors,
});
