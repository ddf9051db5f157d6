import { httpUrl, integer, text, variable, type Variable } from './variable.ts';

/** Backups of everything, made by the platform while it runs. */
export const BACKUP_VARIABLES = {
  PLATFORM_BACKUP_TARGET: variable({
    description:
      'Where backups are kept: a folder, best on another disk, or a bucket of S3 (with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION). Unset: none are made. See docs/operate.md.',
    takes: 'an absolute path, or s3://bucket/prefix',
    default: undefined,
    schema: text.regex(/^(\/|s3:\/\/).+/),
  }),
  PLATFORM_BACKUP_PASSPHRASE: variable({
    description:
      'Seals backups, which then hold the master key of the vault too. Keep it elsewhere as well: without it they cannot be read.',
    takes: 'at least 16 characters',
    default: undefined,
    secret: true,
    schema: text.min(16).max(1_000),
  }),
  PLATFORM_BACKUP_HOURS: variable({
    description: 'Hours between two backups. 0: only when somebody asks for one.',
    takes: 'a whole number from 0 to 720',
    default: '24',
    schema: integer(0, 720),
  }),
  PLATFORM_BACKUP_KEEP: variable({
    description: 'So many backups are kept; older ones are removed after each new one.',
    takes: 'a whole number from 1 to 1000',
    default: '14',
    schema: integer(1, 1_000),
  }),
  PLATFORM_BACKUP_S3_ENDPOINT: variable({
    description:
      'Address of a service that speaks the protocol of S3 and is not Amazon. The bucket goes into the path.',
    takes: 'an http or https URL',
    default: undefined,
    schema: httpUrl,
  }),
} as const satisfies Record<string, Variable<unknown>>;
