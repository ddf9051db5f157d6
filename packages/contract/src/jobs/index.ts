import { z } from 'zod';
import { defineRoute, governs, type RouteDeclaration } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

const jobRunSchema = z
  .object({
    id: z.string(),
    trigger: z.enum(['schedule', 'manual', 'event', 'takeover']).meta({
      description: '`takeover`: the process that ran it before ended in the middle.',
    }),
    owner: z.string().meta({ description: 'Host, process and instance that ran it.' }),
    startedAt: isoTime,
    endedAt: isoTime.nullable(),
    outcome: z.enum(['ok', 'failed', 'lost']).nullable().meta({
      description: 'Null while it runs. `lost`: the process ended before the run did.',
    }),
    error: z.string().nullable(),
    stats: z.record(z.string(), z.number()).nullable(),
  })
  .meta({ id: 'JobRun' });
export type JobRunView = z.output<typeof jobRunSchema>;

const jobSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    everyMs: z.number().nullable().meta({ description: 'Null: it runs when something triggers it.' }),
    running: z.boolean(),
    nextRunAt: isoTime.nullable(),
    lastRun: jobRunSchema.nullable(),
  })
  .meta({ id: 'Job' });
export type JobView = z.output<typeof jobSchema>;

const id = z.object({ id: z.string().min(1).max(100) });

const listJobs = defineRoute({
  id: 'listJobs',
  method: 'GET',
  path: '/api/jobs',
  tag: 'Jobs',
  summary: 'Background jobs of the platform, when each runs next and how its last run ended',
  permission: governs('admin'),
  response: z.object({ data: z.array(jobSchema), nextCursor: z.null() }),
  errors: ['metadata_unavailable'],
});

const listJobRuns = defineRoute({
  id: 'listJobRuns',
  method: 'GET',
  path: '/api/jobs/{id}/runs',
  tag: 'Jobs',
  summary: 'Runs of a job, newest first; the newest 200 are kept',
  permission: governs('admin'),
  params: id,
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(50) }),
  response: z.object({ data: z.array(jobRunSchema), nextCursor: z.null() }),
  errors: ['not_found', 'metadata_unavailable'],
});

const runJob = defineRoute({
  id: 'runJob',
  method: 'POST',
  path: '/api/jobs/{id}/run',
  tag: 'Jobs',
  summary: 'Runs a job as soon as a replica is free; under way already, it runs once more afterwards',
  permission: governs('admin'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', 'metadata_unavailable'],
});

/** Every route of background jobs. */
export const JOB_ROUTES = { listJobs, listJobRuns, runJob } as const satisfies Record<
  string,
  RouteDeclaration
>;
