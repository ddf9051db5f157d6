import { sampledProjects, setSampled } from '@candela/telemetry-store';
import { mayBeSampled } from '../../ingest/sampling.ts';
import { retention as retentionJob } from '../../jobs/retention.ts';
import { traceSampling, type TraceSamplingParts } from '../../jobs/trace-sampling.ts';
import type { FeatureParts } from '../feature.ts';
import { retentionHandlers } from './routes.ts';

/**
 * How long records are kept, and the jobs that delete older ones and ordinary traces. Traces on a cluster are not sampled.
 */
export function retentionFeature({ metadata, retention, stores, config, jobs, logger }: FeatureParts) {
  const { routes, pool } = stores;
  const stored: Pick<TraceSamplingParts, 'configsOf' | 'use'> = {
    configsOf: async (projectId) => (await routes.of(projectId)).all(),
    use: (id, projectId, work) => pool.use(id, projectId, work),
  };
  const job = retentionJob({ choices: retention, ...stored, cluster: config.clickhouseCluster });
  const { sampling } = config;
  const before = new Set<string>();
  setSampled((projectId) => mayBeSampled(sampling, projectId) || before.has(projectId));
  sampledProjects(stores.builtIn).then(
    (ids) => ids.forEach((id) => before.add(id)),
    (thrown: unknown) => logger.warn({ err: thrown }, 'which projects were sampled could not be read'),
  );
  const isSampling =
    config.clickhouseCluster === undefined && (sampling.oneIn > 1 || sampling.projects.size > 0);
  const projects = async () => (await metadata.projects.all()).map(({ id }) => id);
  const sampler = traceSampling({ sampling, projects, ...stored });
  const onChange = async () => {
    await jobs.trigger(job.id);
  };
  return {
    name: 'retention',
    handlers: retentionHandlers(metadata, retention, onChange),
    jobs: isSampling ? [job, sampler] : [job],
  };
}
