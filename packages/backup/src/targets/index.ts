import { isAbsolute } from 'node:path';
import { folderTarget } from './folder.ts';
import { s3Target } from './s3.ts';
import { BackupError, type Target } from './target.ts';

/** Variables that targets read besides their address. */
export interface TargetEnv {
  readonly PLATFORM_BACKUP_S3_ENDPOINT?: string | undefined;
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
  readonly AWS_REGION?: string | undefined;
}

/** Those of an environment. */
export const targetEnvOf = (env: Readonly<Record<string, string | undefined>>): TargetEnv => ({
  PLATFORM_BACKUP_S3_ENDPOINT: env['PLATFORM_BACKUP_S3_ENDPOINT'],
  AWS_ACCESS_KEY_ID: env['AWS_ACCESS_KEY_ID'],
  AWS_SECRET_ACCESS_KEY: env['AWS_SECRET_ACCESS_KEY'],
  AWS_REGION: env['AWS_REGION'],
});

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/;

/** The place that `PLATFORM_BACKUP_TARGET` names: an absolute path, or `s3://bucket/prefix`. @throws BackupError */
export function targetOf(address: string, env: TargetEnv): Target {
  const s3 = S3.exec(address);
  if (s3 === null) {
    if (isAbsolute(address)) return folderTarget(address);
    throw new BackupError(
      `${JSON.stringify(address)} is no place for backups. Name an absolute path of a folder, or s3://bucket/prefix.`,
    );
  }
  const [, bucket = '', path = ''] = s3;
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION = 'us-east-1' } = env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new BackupError('A bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.');
  }
  const prefix = path.replace(/^\/+|\/+$/g, '');
  return s3Target({
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    region: AWS_REGION,
    endpoint: env.PLATFORM_BACKUP_S3_ENDPOINT,
  });
}
