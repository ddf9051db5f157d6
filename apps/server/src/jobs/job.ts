import type { Logger, RequestContext } from '@candela/kernel';
import type { JobStats } from '@candela/metadata-store';

/** What a run of a job is given. */
export interface JobRun {
  /** Fires when the platform stops or another replica has taken the job over. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  now(): number;
  readonly logger: Logger;
  /** The context in which the platform itself works on a project: principal `system`, all scopes. */
  contextOf(tenant: Tenant): RequestContext;
}

/** What a job works on. */
export interface Tenant {
  readonly organisationId: string;
  readonly projectId: string;
  /** Default: all environments. */
  readonly environment?: string;
  readonly databaseConfigId?: string;
}

/**
 * Work of the platform itself. Of several replicas one runs it at a time. It may be run again from the start at any
 * moment, so it is idempotent: a process may end in the middle.
 */
export interface Job {
  /** Lower case with hyphens; unique. */
  readonly id: string;
  /** What people read in the settings. */
  readonly title: string;
  /** Undefined: only when it is triggered. */
  readonly schedule?: {
    readonly everyMs: number;
    /** Also at every start of a platform. Default: no. */
    readonly atStart?: true;
  };
  /** Counts of what was done, or nothing. A thrown error ends the run as failed; it runs again when it is due. */
  run(run: JobRun): Promise<JobStats | void>;
}

/** How often jobs are looked for, and for how long one is held. */
export interface JobTiming {
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
}

/** A killed process is followed by another after at most lease and poll: 35 seconds. */
export const JOB_TIMING: JobTiming = { pollMs: 5_000, leaseMs: 30_000, heartbeatMs: 10_000 };

/** Jobs that one process runs beside each other. */
export const MAX_JOBS_AT_ONCE = 4;
