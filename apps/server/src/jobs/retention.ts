import { DEFAULT_DATABASE_CONFIG_ID } from '@candela/kernel';
import { type PruneInput, pruneProject, type TelemetryStore } from '@candela/telemetry-store';
import type { RetentionChoices } from '../features/retention/service.ts';
import type { Job, JobRun } from './job.ts';

export interface RetentionParts {
  readonly choices: Pick<RetentionChoices, 'all'>;
  /** Configurations that records of a project may be in. */
  readonly configsOf: (projectId: string) => Promise<Iterable<string>>;
  /** Name of the cluster that the installation's own database is on. */
  readonly cluster?: string | undefined;
  readonly use: <T>(id: string, projectId: string, work: (store: TelemetryStore) => Promise<T>) => Promise<T>;
}

/**
 * Deletes what projects keep longer than they chose, one project after another. What was stored with fewer days needs
 * nothing: the tables drop it by themselves. A stop waits for no deletion under way: the engine goes on with it, and the
 * next run with the rest.
 */
export function retention(parts: RetentionParts): Job {
  return {
    id: 'retention',
    title: 'Delete telemetry that is older than its project keeps it',
    schedule: { everyMs: 3_600_000, atStart: true },
    async run(run) {
      const counts = { partitions: 0, failures: 0 };
      for (const { projectId, signal, days } of parts.choices.all()) {
        if (run.signal.aborted) break;
        try {
          for (const id of await parts.configsOf(projectId)) {
            await prune(parts, run, id, { of: { projectId, signal, days }, counts });
          }
        } catch (thrown) {
          failed(run, thrown, { projectId, signal });
          counts.failures += 1;
        }
      }
      return counts;
    },
  };
}

/** One database at a time: one that is away keeps nothing longer in the others. */
async function prune(
  { use, cluster: own }: RetentionParts,
  run: JobRun,
  id: string,
  {
    of,
    counts,
  }: {
    readonly of: Omit<PruneInput, 'now' | 'abort' | 'cluster'>;
    readonly counts: { partitions: number; failures: number };
  },
): Promise<void> {
  try {
    const cluster = id === DEFAULT_DATABASE_CONFIG_ID ? own : undefined;
    const input = { ...of, now: run.now(), cluster, abort: run.signal };
    const partitions = await use(id, of.projectId, (store) => pruneProject(store, input));
    counts.partitions += partitions;
    if (partitions > 0) run.logger.info({ ...of, partitions }, 'older records deleted');
  } catch (thrown) {
    counts.failures += 1;
    failed(run, thrown, { ...of, connector: id });
  }
}

function failed({ signal, logger }: JobRun, thrown: unknown, about: object): void {
  if (signal.aborted) return;
  logger.warn({ err: thrown, ...about }, 'older records could not be deleted; tried again later');
}
