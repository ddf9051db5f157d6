import { retention as retentionJob } from '../../jobs/retention.ts';
import type { FeatureParts } from '../feature.ts';
import { retentionHandlers } from './routes.ts';

/**
 * How long records are kept, and the job that deletes older ones. Tables of a cluster are not deleted from here: what is
 * stored there goes when its own days are over.
 */
export function retentionFeature({ metadata, retention, stores, config, jobs }: FeatureParts) {
  const { routes, pool } = stores;
  const job = retentionJob({
    choices: retention,
    configsOf: async (projectId) => (await routes.of(projectId)).all(),
    use: (id, projectId, work) => pool.use(id, projectId, work),
  });
  const enforced = config.clickhouseCluster === undefined;
  const onChange = async () => {
    if (enforced) await jobs.trigger(job.id);
  };
  return {
    name: 'retention',
    handlers: retentionHandlers(metadata, retention, onChange),
    jobs: enforced ? [job] : [],
  };
}
