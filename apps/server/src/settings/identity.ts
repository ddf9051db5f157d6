import { z } from 'zod';
import { integer, text, variable, type Variable } from './variable.ts';

/** Who is let in. */
export const IDENTITY_VARIABLES = {
  PLATFORM_BOOTSTRAP_API_KEY: variable({
    description: 'A full-access API key of the project "default". Only its hash is held in memory.',
    takes: '16 to 256 characters of A-Z, a-z, 0-9, ".", "_", "~" and "-"',
    default: undefined,
    secret: true,
    schema: text.regex(/^[A-Za-z0-9._~-]{16,256}$/),
  }),
  PLATFORM_INGEST_ANONYMOUS: variable({
    description:
      'Whether OTLP without an API key is taken from programs on this machine. Never when PLATFORM_HOST or PLATFORM_PUBLIC_URL open the platform to others.',
    takes: '"loopback" or "false"',
    default: 'loopback',
    schema: z.enum(['loopback', 'true', 'false']).transform((value) => value !== 'false'),
  }),
  PLATFORM_RATE_LIMIT: variable({
    description:
      'API requests a minute for one credential (or one address without a credential). OTLP is not limited.',
    takes: 'a whole number from 1 to 1000000',
    default: '1200',
    schema: integer(1, 1_000_000),
  }),
  PLATFORM_WRONG_KEY_LIMIT: variable({
    description:
      'Requests a minute with a wrong API key, OTLP and API together, that one address is answered with 401; more get 429 with Retry-After. A right key always passes.',
    takes: 'a whole number from 1 to 1000000',
    default: '60',
    schema: integer(1, 1_000_000),
  }),
  PLATFORM_AUDIT_RETENTION_DAYS: variable({
    description: 'Days that the audit log (who did what) is kept.',
    takes: 'whole days from 30 to 36500',
    default: '365',
    schema: integer(30, 36_500),
  }),
} as const satisfies Record<string, Variable<unknown>>;
