import { ROLES } from '@candela/kernel';
import { z } from 'zod';

/** Bounds of people, organisations and what belongs to them. */
export const IDENTITY_LIMITS = {
  email: 254,
  name: 100,
  passwordMin: 8,
  passwordMax: 128,
  projects: 1_000,
  /** Environments of one project; what is sent for more is still taken, but cannot be chosen. */
  environments: 1_000,
  invitations: 1_000,
  keys: 1_000,
  sessions: 100,
} as const;

export const roleSchema = z.enum(ROLES).meta({
  id: 'Role',
  description:
    'viewer reads, member also makes and changes, admin also manages people and settings, owner owns.',
});

const line = (min: number, max: number) =>
  z
    .string()
    .trim()
    .min(min)
    .max(max)
    .regex(/^[^\p{Cc}<>]*$/u, { error: 'One line, without control characters, "<" and ">".' });

export const nameSchema = line(1, IDENTITY_LIMITS.name);
export const keyNameSchema = line(3, IDENTITY_LIMITS.name);

/** Deliverable is for the mail server to say; this keeps out what no address is. Compared in lower case. */
export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(IDENTITY_LIMITS.email)
  .regex(/^[^\s@<>"'`&,;:\\()[\]]{1,64}@[^\s@.<>"'`&,;:\\()[\]]+(?:\.[^\s@.<>"'`&,;:\\()[\]]+)*$/u, {
    error: 'An e-mail address such as jo@example.com.',
  })
  .refine((value) => !value.includes('..') && !value.startsWith('.') && !value.includes('.@'), {
    error: 'An e-mail address such as jo@example.com.',
  });

/** A password as it is chosen: length is what counts. */
export const newPasswordSchema = z
  .string()
  .min(IDENTITY_LIMITS.passwordMin, {
    error: `A password has at least ${IDENTITY_LIMITS.passwordMin} characters.`,
  })
  .max(IDENTITY_LIMITS.passwordMax, {
    error: `A password has at most ${IDENTITY_LIMITS.passwordMax} characters.`,
  });

/** A password as it is typed at sign-in: only bounded. */
export const passwordSchema = z.string().min(1).max(1_024);

/** What is behind a link we made: setup, invitation. */
export const linkTokenSchema = z.string().regex(/^[A-Za-z0-9_-]{20,128}$/, {
  error: 'The token of a link is 20 to 128 letters, digits, "_" and "-".',
});

/** Six digits of the authenticator, or one of the recovery codes. */
export const totpCodeSchema = z
  .string()
  .trim()
  .min(6)
  .max(20)
  .regex(/^[A-Za-z0-9 -]+$/, { error: 'Six digits, or a recovery code.' });

export const idSchema = z.string().min(1).max(64);

export const pagingShape = {
  limit: z.coerce.number().int().min(1).max(500).default(50),
  cursor: z.string().min(1).max(1_024).optional().meta({ description: '`nextCursor` of the page before.' }),
};

export const nextCursor = z.string().nullable();
