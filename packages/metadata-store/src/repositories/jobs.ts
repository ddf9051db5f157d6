import type { Selectable } from 'kysely';
import type { JobRunTable, JobStateTable } from '../tables/jobs.ts';
import type { Access } from './access.ts';

/** Why a run began. */
export type JobTrigger = 'schedule' | 'manual' | 'event' | 'takeover';
export type JobOutcome = 'ok' | 'failed' | 'lost';
export type JobStats = Readonly<Record<string, number>>;

/** Times are epoch milliseconds. */
export interface StoredJobRun {
  readonly id: string;
  readonly jobId: string;
  readonly trigger: JobTrigger;
  /** The process that ran it. */
  readonly owner: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Null while it runs. */
  readonly outcome: JobOutcome | null;
  readonly error: string | null;
  readonly stats: JobStats | null;
}

export interface StoredJobState {
  readonly jobId: string;
  readonly dueAt: number | null;
  readonly running: boolean;
}

/** Runs that are kept of one job: the newest. */
const KEPT_RUNS = 200;
const MAX_ERROR = 1_000;

/** Leases and history of jobs. Of several processes that claim one due job, one gets it. */
export interface Jobs {
  /** Makes the row of a job that has none. `due` at a time given is kept where the row says an earlier one. */
  register(jobId: string, dueAt: number | null): Promise<void>;
  /** Makes a job due now; under way already, it runs once more afterwards. False: unknown. */
  trigger(jobId: string, trigger: JobTrigger): Promise<boolean>;
  /**
   * Takes the job if it is due and free, or if the lease of the process that ran it has ended, and begins a run.
   * Undefined: neither. `nextDueAt` is when it is due after this run.
   */
  claim(
    jobId: string,
    by: { readonly owner: string; readonly leaseMs: number; readonly nextDueAt: number | null },
  ): Promise<StoredJobRun | undefined>;
  /** Prolongs the lease of a run. False: another process has taken the job over. */
  heartbeat(run: Pick<StoredJobRun, 'id' | 'jobId'>, leaseMs: number): Promise<boolean>;
  /** Ends a run. False: another process has taken the job over, and the run counts as lost. */
  end(
    run: Pick<StoredJobRun, 'id' | 'jobId'>,
    how: {
      readonly outcome: 'ok' | 'failed';
      readonly error: string | null;
      readonly stats: JobStats | null;
    },
  ): Promise<boolean>;
  states(): Promise<StoredJobState[]>;
  /** Newest first. */
  runs(jobId: string, limit: number): Promise<StoredJobRun[]>;
}

const toRun = (row: Selectable<JobRunTable>): StoredJobRun => ({
  id: row.id,
  jobId: row.job_id,
  trigger: row.trigger as JobTrigger,
  owner: row.owner,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  outcome: row.outcome as JobOutcome | null,
  error: row.error,
  stats: row.stats === null ? null : (JSON.parse(row.stats) as JobStats),
});

export function jobs({ quiet, clock }: Access): Jobs {
  const runs: Jobs['runs'] = async (jobId, limit) => {
    const newest = quiet.selectFrom('job_runs').selectAll().where('job_id', '=', jobId);
    return (await newest.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute()).map(
      toRun,
    );
  };

  async function forgetOld(jobId: string): Promise<void> {
    const oldest = (await runs(jobId, KEPT_RUNS)).at(KEPT_RUNS - 1);
    if (oldest === undefined) return;
    await quiet
      .deleteFrom('job_runs')
      .where('job_id', '=', jobId)
      .where('started_at', '<', oldest.startedAt)
      .where('ended_at', 'is not', null)
      .execute();
  }

  const free = { lease_owner: null, lease_until: null, run_id: null };

  return {
    runs,

    async register(jobId, dueAt) {
      await quiet
        .insertInto('job_states')
        .values({ job_id: jobId, due_at: dueAt, trigger: 'schedule', ...free })
        .onConflict((conflict) => conflict.column('job_id').doNothing())
        .execute();
      if (dueAt === null) return;
      await quiet
        .updateTable('job_states')
        .set({ due_at: dueAt })
        .where('job_id', '=', jobId)
        .where(({ or, eb }) => or([eb('due_at', 'is', null), eb('due_at', '>', dueAt)]))
        .execute();
    },

    async trigger(jobId, trigger) {
      const result = await quiet
        .updateTable('job_states')
        .set({ due_at: clock.now(), trigger })
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async claim(jobId, { owner, leaseMs, nextDueAt }) {
      const now = clock.now();
      const before: Selectable<JobStateTable> | undefined = await quiet
        .selectFrom('job_states')
        .selectAll()
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      if (before === undefined) return undefined;
      const isTakeover = before.lease_until !== null && before.lease_until < now;
      const isDue = before.lease_until === null && before.due_at !== null && before.due_at <= now;
      if (!isTakeover && !isDue) return undefined;
      const id = crypto.randomUUID();
      const lease = { lease_owner: owner, lease_until: now + leaseMs, run_id: id };
      const taking = quiet
        .updateTable('job_states')
        .set(isTakeover ? lease : { ...lease, due_at: nextDueAt, trigger: 'schedule' })
        .where('job_id', '=', jobId);
      // Only as it was read: whoever was first has changed the run.
      const taken = await (isTakeover
        ? taking.where('run_id', '=', before.run_id).where('lease_until', '<', now)
        : taking.where('run_id', 'is', null).where('due_at', '<=', now)
      ).executeTakeFirst();
      if (taken.numUpdatedRows === 0n) return undefined;
      if (before.run_id !== null) {
        await quiet
          .updateTable('job_runs')
          .set({ ended_at: now, outcome: 'lost', error: 'The process that ran it ended or lost its lease.' })
          .where('id', '=', before.run_id)
          .where('ended_at', 'is', null)
          .execute();
      }
      const row = {
        id,
        job_id: jobId,
        trigger: isTakeover ? 'takeover' : before.trigger,
        owner,
        started_at: now,
        ended_at: null,
        outcome: null,
        error: null,
        stats: null,
      };
      await quiet.insertInto('job_runs').values(row).execute();
      return toRun(row);
    },

    async heartbeat({ id, jobId }, leaseMs) {
      const result = await quiet
        .updateTable('job_states')
        .set({ lease_until: clock.now() + leaseMs })
        .where('job_id', '=', jobId)
        .where('run_id', '=', id)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async end({ id, jobId }, { outcome, error, stats }) {
      const freed = await quiet
        .updateTable('job_states')
        .set(free)
        .where('job_id', '=', jobId)
        .where('run_id', '=', id)
        .executeTakeFirst();
      if (freed.numUpdatedRows === 0n) return false;
      await quiet
        .updateTable('job_runs')
        .set({
          ended_at: clock.now(),
          outcome,
          error: error === null ? null : error.slice(0, MAX_ERROR),
          stats: stats === null ? null : JSON.stringify(stats),
        })
        .where('id', '=', id)
        .execute();
      await forgetOld(jobId);
      return true;
    },

    async states() {
      const rows = await quiet.selectFrom('job_states').selectAll().execute();
      const now = clock.now();
      return rows.map((row) => ({
        jobId: row.job_id,
        dueAt: row.due_at,
        running: row.lease_until !== null && row.lease_until >= now,
      }));
    },
  };
}
