import type { JOB_ROUTES, JobRunView } from '@candela/contract';
import type { MetadataStore, StoredJobRun } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import type { JobRunner } from '../../jobs/runner.ts';
import { record } from '../audit/service.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const runView = (run: StoredJobRun): JobRunView => ({
  id: run.id,
  trigger: run.trigger,
  owner: run.owner,
  startedAt: iso(run.startedAt),
  endedAt: run.endedAt === null ? null : iso(run.endedAt),
  outcome: run.outcome,
  error: run.error,
  stats: run.stats,
});

/** Background jobs as admins see them. */
export function jobHandlers(
  jobs: JobRunner,
  metadata: MetadataStore,
): Pick<Handlers, keyof typeof JOB_ROUTES> {
  return {
    listJobs: async () => ({
      data: (await jobs.list()).map(({ job, running, dueAt, lastRun }) => ({
        id: job.id,
        title: job.title,
        everyMs: job.schedule?.everyMs ?? null,
        running,
        nextRunAt: dueAt === null ? null : iso(dueAt),
        lastRun: lastRun === undefined ? null : runView(lastRun),
      })),
      nextCursor: null,
    }),
    listJobRuns: async ({ params, query }) => ({
      data: (await jobs.runs(params.id, query.limit)).map(runView),
      nextCursor: null,
    }),
    runJob: async ({ context, params }) => {
      await jobs.trigger(params.id, 'manual');
      await metadata.change(undefined, (repositories) =>
        record(repositories, context, { action: 'job.run', objectKind: 'job', objectId: params.id }),
      );
      return { data: { id: params.id } };
    },
  };
}
