import { capture, Repository, targetOf } from '@candela/backup';
import { exportMetadata } from '@candela/metadata-store/copy';
import type { Job } from '../../jobs/job.ts';
import type { FeatureParts } from '../feature.ts';

/** How long what is acknowledged may take to be stored before a backup begins, milliseconds. */
const STILL_MS = 120_000;
const HOUR_MS = 3_600_000;

/** The job that makes backups, where a place for them is named. */
export function backupFeature(parts: FeatureParts) {
  const { backup } = parts.config;
  return { name: 'backups', handlers: {}, jobs: backup === undefined ? [] : [backupJob(parts, backup)] };
}

function backupJob(
  { config, stores, logs, version }: FeatureParts,
  { target, passphrase, everyHours, keep, env }: NonNullable<FeatureParts['config']['backup']>,
): Job {
  const { dataDir, databaseUrl, clickhouseUrl } = config;
  return {
    id: 'backup',
    title: 'Back up telemetry, settings and keys',
    ...(everyHours === 0 ? {} : { schedule: { everyMs: everyHours * HOUR_MS } }),
    async run({ signal, now, logger }) {
      const repository = await Repository.open(targetOf(target, env), passphrase, { make: true });
      if (clickhouseUrl !== undefined) {
        logger.warn({}, 'the backup holds no telemetry: back the ClickHouse up by its own means');
      }
      const made = await capture({
        repository,
        dataDir,
        version,
        signal,
        now: now(),
        store: clickhouseUrl === undefined ? stores.builtIn : undefined,
        hold: async () => {
          const release = await logs.hold(STILL_MS);
          if (release !== undefined) return release;
          throw new Error(
            'What is acknowledged could not be stored within two minutes, so no backup was made: is a store away?',
          );
        },
        metadata: (file) => exportMetadata({ dataDir, databaseUrl, file, logger }),
      });
      const pruned = await repository.prune(keep);
      logger.info({ id: made.id, bytes: made.bytes, newBytes: made.newBytes }, 'backup made');
      return {
        bytes: made.bytes,
        newBytes: made.newBytes,
        rows: made.counts.reduce((sum, { rows }) => sum + rows, 0),
        pruned: pruned.backups,
      };
    },
  };
}
