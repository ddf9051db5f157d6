import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { type MasterKeys, parseMasterKeys } from '@candela/vault';
import { httpUrl, text, variable, type Variable } from './variable.ts';

/** One key or several, the one that seals first. */
const masterKeys = text.transform((value, context): MasterKeys => {
  const keys = parseMasterKeys(value);
  if (keys !== undefined) return keys;
  context.addIssue({ code: 'custom', message: 'not a key' });
  return z.NEVER;
});

/** Where everything is kept. */
export const STORES_VARIABLES = {
  PLATFORM_DATA_DIR: variable({
    description: 'Directory of all data. One platform process per directory.',
    takes: 'a path, absolute or relative to the working directory',
    default: './data',
    schema: text.min(1).transform((value) => (isAbsolute(value) ? value : resolve(value))),
  }),
  PLATFORM_DATABASE_URL: variable({
    description:
      'PostgreSQL database to keep in what people make (users, keys, saved views), instead of a SQLite file in the data directory. Needed for several replicas. The database is UTF-8 and the user may create tables in it; `sslmode` and `sslrootcert` go into the URL.',
    takes: 'a URL such as postgres://user:password@host:5432/candela',
    default: undefined,
    secret: true,
    schema: text.refine((value) => /^postgres(ql)?:\/\/./.test(value) && URL.canParse(value)),
  }),
  PLATFORM_CLICKHOUSE_URL: variable({
    description:
      'ClickHouse server to keep telemetry in, instead of the embedded engine: user, password and database are part of the URL.',
    takes: 'an http or https URL, e.g. http://user:password@clickhouse:8123/candela',
    default: undefined,
    secret: true,
    schema: httpUrl,
  }),
  PLATFORM_CLICKHOUSE_CLUSTER: variable({
    description: 'Name of the ClickHouse cluster: tables become replicated and distributed.',
    takes: 'a cluster name of letters, digits, "_" and "-"',
    default: undefined,
    schema: text.regex(/^[A-Za-z0-9_-]{1,100}$/),
  }),
  PLATFORM_VAULT_KEY: variable({
    description:
      'Master key that the secrets kept here are sealed with, e.g. made by `openssl rand -base64 32`. Unset: the first start makes one, in the file vault.key of the data directory. All replicas need the same. To change it, give the new and the old one, separated by a comma, and run `candela vault rotate` (docs/steer/vault.md).',
    takes: '32 bytes in base64 or 64 hexadecimal digits; several separated by commas',
    default: undefined,
    secret: true,
    schema: masterKeys,
  }),
} as const satisfies Record<string, Variable<unknown>>;
