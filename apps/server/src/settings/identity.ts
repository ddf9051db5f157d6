import { z } from 'zod';
import { httpUrl, integer, text, variable, type Variable } from './variable.ts';

const hours = (description: string, fallback: number, max: number) =>
  variable({
    description,
    takes: `whole hours from 1 to ${max}`,
    default: String(fallback),
    schema: integer(1, max).transform((value) => value * 3_600_000),
  });

/** The two parts of an application registered at a provider. */
const clientId = (where: string) =>
  variable({
    description: `Id of the application registered at ${where}; its redirect address is the public URL followed by`,
    takes: '1 to 500 characters',
    default: undefined,
    schema: text.min(1).max(500),
  });
const clientSecret = (where: string) =>
  variable({
    description: `Secret of the application registered at ${where}.`,
    takes: '1 to 1000 characters',
    default: undefined,
    secret: true,
    schema: text.min(1).max(1_000),
  });
const withRedirect = <T extends { readonly description: string }>(row: T, path: string): T => ({
  ...row,
  description: `${row.description} \`${path}\`.`,
});

/** Who is let in. */
export const IDENTITY_VARIABLES = {
  PLATFORM_BOOTSTRAP_API_KEY: variable({
    description: 'A full-access API key of the project "default". Only its hash is held in memory.',
    takes: '16 to 256 characters of A-Z, a-z, 0-9, ".", "_", "~" and "-"',
    default: undefined,
    secret: true,
    schema: text.regex(/^[A-Za-z0-9._~-]{16,256}$/),
  }),
  PLATFORM_ADMIN_EMAIL: variable({
    description:
      'E-mail of the first owner, made at the start of an installation that nobody owns; later it has no effect. Without it the start prints a link that makes one.',
    takes: 'an e-mail address',
    default: undefined,
    schema: text.toLowerCase().pipe(z.email()),
  }),
  PLATFORM_ADMIN_PASSWORD: variable({
    description: 'Password of the first owner; change it after the first sign-in.',
    takes: '8 to 128 characters',
    default: undefined,
    secret: true,
    schema: text.min(8).max(128),
  }),
  PLATFORM_SESSION_IDLE: hours('A signed-in person who did nothing for so long is signed out.', 168, 8_760),
  PLATFORM_SESSION_LIFETIME: hours(
    'A signed-in person signs in again after so long, whatever they did.',
    720,
    8_760,
  ),
  PLATFORM_SIGN_IN_LIMIT: variable({
    description:
      'Tries to sign in a minute for one account from one address; an address gets five times as many, an account ten times as many from everywhere together. More get 429 with Retry-After. A browser in which somebody signed in before has tries of its own for that account, so that strangers cannot use them up.',
    takes: 'a whole number from 1 to 1000',
    default: '10',
    schema: integer(1, 1_000),
  }),
  PLATFORM_OIDC_ISSUER: variable({
    description: 'Another place to sign in at: any OpenID Connect issuer. Needs its client id and secret.',
    takes: 'an https URL, e.g. https://login.example.com/realms/main',
    default: undefined,
    schema: httpUrl,
  }),
  PLATFORM_OIDC_NAME: variable({
    description: 'What the button of that issuer says.',
    takes: '1 to 60 characters',
    default: 'single sign-on',
    schema: text.min(1).max(60),
  }),
  PLATFORM_OIDC_CLIENT_ID: withRedirect(clientId('that issuer'), '/sign-in/oidc'),
  PLATFORM_OIDC_CLIENT_SECRET: clientSecret('that issuer'),
  PLATFORM_GOOGLE_CLIENT_ID: withRedirect(clientId('Google'), '/sign-in/google'),
  PLATFORM_GOOGLE_CLIENT_SECRET: clientSecret('Google'),
  PLATFORM_GITHUB_CLIENT_ID: withRedirect(clientId('GitHub'), '/sign-in/github'),
  PLATFORM_GITHUB_CLIENT_SECRET: clientSecret('GitHub'),
  PLATFORM_SMTP_URL: variable({
    description: 'Mail server for invitations; without it their links are copied by hand.',
    takes: 'an smtp or smtps URL, e.g. smtp://user:password@mail.example.com:587',
    default: undefined,
    secret: true,
    schema: text.refine((value) => URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol)),
  }),
  PLATFORM_MAIL_FROM: variable({
    description: 'Sender of mails.',
    takes: 'an e-mail address',
    default: 'candela@localhost',
    schema: text.regex(/^[^\s@<>]+@[^\s@<>]+$/),
  }),
  PLATFORM_OAUTH_CLIENT_DOCUMENTS: variable({
    description:
      'Whether applications that nobody registered may ask people for access, named by the https address of a document about them (OAuth client ID metadata documents): the platform then reads documents from public addresses.',
    takes: '"true" or "false"',
    default: 'true',
    schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
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
  PLATFORM_SDK_RATE_LIMIT: variable({
    description:
      'Prompts, secrets and rule evaluations that applications fetch, requests a minute for one credential.',
    takes: 'a whole number from 1 to 10000000',
    default: '120000',
    schema: integer(1, 10_000_000),
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
