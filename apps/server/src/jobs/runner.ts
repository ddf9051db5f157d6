import { hostname } from 'node:os';
import {
  CandelaError,
  type Clock,
  DEFAULT_DATABASE_CONFIG_ID,
  fail,
  type Logger,
  newRequestId,
  type RequestContext,
  type Role,
  SCOPES,
} from '@candela/kernel';
import type { JobStats, JobTrigger, MetadataStore, StoredJobRun } from '@candela/metadata-store';
import { type Job, JOB_TIMING, type JobTiming, MAX_JOBS_AT_ONCE, type Tenant } from './job.ts';

export interface JobRunnerParts {
  readonly metadata: Pick<MetadataStore, 'jobs'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing?: JobTiming;
}

/** A job as people see it. Times are epoch milliseconds. */
export interface JobView {
  readonly job: Job;
  readonly running: boolean;
  readonly dueAt: number | null;
  readonly lastRun: StoredJobRun | undefined;
}

/** Runs the jobs of a platform, each on one replica at a time. */
export class JobRunner {
  /** Names this process in leases and history. */
  readonly owner = `${hostname()} ${process.pid} ${crypto.randomUUID().slice(0, 8)}`;
  readonly #parts: JobRunnerParts;
  readonly #timing: JobTiming;
  /** Jobs that the store does not know yet, with when they are due first. */
  readonly #unregistered = new Map<string, number | null>();
  readonly #jobs = new Map<string, Job>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #runs = false;
  #look: Promise<void> | undefined;

  constructor(parts: JobRunnerParts) {
    this.#parts = parts;
    this.#timing = parts.timing ?? JOB_TIMING;
  }

  /**
   * Makes the jobs known and begins to look for those that are due.
   * @param runs false: they are listed and triggered here, and run by other replicas
   * @throws metadata_unavailable
   */
  async start(jobs: readonly Job[], runs = true): Promise<void> {
    const now = this.#parts.clock.now();
    for (const job of jobs) {
      if (this.#jobs.has(job.id)) throw new Error(`Two jobs are called "${job.id}".`);
      this.#jobs.set(job.id, job);
      const { schedule } = job;
      const dueAt = schedule === undefined ? null : schedule.atStart ? now : now + schedule.everyMs;
      this.#unregistered.set(job.id, dueAt);
    }
    try {
      await this.#register();
    } catch (thrown) {
      // A full disk keeps nobody from reading: jobs begin once there is room.
      if (!(thrown instanceof CandelaError) || thrown.code !== 'metadata_unavailable') throw thrown;
    }
    this.#runs = runs;
    if (!runs) return;
    this.#timer = setInterval(() => this.#poll(), this.#timing.pollMs);
    this.#timer.unref();
    this.#poll();
  }

  /** Runs a job as soon as a replica is free; under way already, it runs once more afterwards. @throws not_found */
  async trigger(id: string, trigger: JobTrigger = 'event'): Promise<void> {
    if (!this.#jobs.has(id)) throw fail('not_found', { what: `The job "${id}"` });
    await this.#parts.metadata.jobs.trigger(id, trigger);
    this.#poll();
  }

  async list(): Promise<JobView[]> {
    const { jobs } = this.#parts.metadata;
    const states = new Map((await jobs.states()).map((state) => [state.jobId, state]));
    return Promise.all(
      [...this.#jobs.values()].map(async (job) => ({
        job,
        running: states.get(job.id)?.running ?? false,
        dueAt: states.get(job.id)?.dueAt ?? null,
        lastRun: (await jobs.runs(job.id, 1))[0],
      })),
    );
  }

  /** Newest first. @throws not_found */
  async runs(id: string, limit: number): Promise<StoredJobRun[]> {
    if (!this.#jobs.has(id)) throw fail('not_found', { what: `The job "${id}"` });
    return this.#parts.metadata.jobs.runs(id, limit);
  }

  /** Tells runs under way to end, and waits for them. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#timer);
    await this.#look;
    await Promise.all(this.#underWay.values());
  }

  async #register(): Promise<void> {
    for (const [id, dueAt] of this.#unregistered) {
      await this.#parts.metadata.jobs.register(id, dueAt);
      this.#unregistered.delete(id);
    }
  }

  #poll(): void {
    if (!this.#runs || this.#stopped.signal.aborted || this.#look !== undefined) return;
    this.#look = this.#claimDue()
      .catch((thrown: unknown) => {
        this.#parts.logger.warn({ err: thrown }, 'due jobs could not be looked up; tried again later');
      })
      .finally(() => {
        this.#look = undefined;
      });
  }

  async #claimDue(): Promise<void> {
    const { metadata, clock } = this.#parts;
    await this.#register();
    for (const job of this.#jobs.values()) {
      if (this.#stopped.signal.aborted || this.#underWay.size >= MAX_JOBS_AT_ONCE) return;
      if (this.#underWay.has(job.id)) continue;
      const { schedule } = job;
      const nextDueAt = schedule === undefined ? null : clock.now() + schedule.everyMs;
      const by = { owner: this.owner, leaseMs: this.#timing.leaseMs, nextDueAt };
      const run = await metadata.jobs.claim(job.id, by);
      if (run === undefined) continue;
      const running = this.#run(job, run).finally(() => {
        this.#underWay.delete(job.id);
        // It may have been triggered meanwhile, and others may have waited for a free place.
        this.#poll();
      });
      this.#underWay.set(job.id, running);
    }
  }

  async #run(job: Job, run: StoredJobRun): Promise<void> {
    const { metadata, clock, logger } = this.#parts;
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#stopped.signal, lost.signal]);
    const beat = setInterval(() => {
      metadata.jobs.heartbeat(run, this.#timing.leaseMs).then(
        (held) => held || lost.abort(),
        (thrown: unknown) =>
          logger.warn({ err: thrown, job: job.id }, 'the lease of a job was not prolonged'),
      );
    }, this.#timing.heartbeatMs);
    beat.unref();
    let error: string | null = null;
    let stats: JobStats | null = null;
    try {
      const done = await job.run({ signal, now: () => clock.now(), logger, contextOf });
      stats = done ?? null;
    } catch (thrown) {
      error = thrown instanceof Error ? thrown.message : String(thrown);
      if (!signal.aborted) logger.warn({ err: thrown, job: job.id }, 'a job failed');
    } finally {
      clearInterval(beat);
    }
    const outcome = error === null ? 'ok' : 'failed';
    try {
      await metadata.jobs.end(run, { outcome, error, stats });
    } catch (thrown) {
      logger.warn({ err: thrown, job: job.id }, 'the end of a job was not written; it counts as lost');
    }
  }
}

/** The platform itself, working on one project. @param role of those who see what it finds; default: nobody but itself does */
export function contextOf(tenant: Tenant, role?: Role): RequestContext {
  return {
    principal: {
      kind: 'system',
      id: 'platform',
      name: 'Candela',
      ...(role === undefined ? {} : { role }),
    },
    organisationId: tenant.organisationId,
    projectId: tenant.projectId,
    environment: tenant.environment,
    databaseConfigId: tenant.databaseConfigId ?? DEFAULT_DATABASE_CONFIG_ID,
    scopes: new Set(SCOPES),
    requestId: newRequestId(),
  };
}
