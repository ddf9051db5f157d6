import { sampleTraces, type TelemetryStore } from '@candela/telemetry-store';
import { oneInOf, type Sampling } from '../ingest/sampling.ts';
import type { Job } from './job.ts';

export interface TraceSamplingParts {
  readonly sampling: Sampling;
  readonly projects: () => Promise<readonly string[]>;
  /** Configurations that traces of a project may be in. */
  readonly configsOf: (projectId: string) => Promise<Iterable<string>>;
  readonly use: <T>(id: string, projectId: string, work: (store: TelemetryStore) => Promise<T>) => Promise<T>;
}

/** Takes ordinary traces of days that are over away, but for one of so many. */
export function traceSampling({ sampling, projects, configsOf, use }: TraceSamplingParts): Job {
  return {
    id: 'trace-sampling',
    title: 'Keep a share of the ordinary traces of days that are over',
    schedule: { everyMs: 3_600_000, atStart: true },
    async run({ signal, now, logger }) {
      const counts = { days: 0, spans: 0, kept: 0, failures: 0 };
      for (const projectId of await projects()) {
        const oneIn = oneInOf(sampling, projectId);
        if (oneIn <= 1) continue;
        for (const id of await configsOf(projectId)) {
          if (signal.aborted) return counts;
          try {
            const input = { ...sampling, projectId, oneIn, now: now(), abort: signal };
            const { days, spans, kept } = await use(id, projectId, (store) => sampleTraces(store, input));
            counts.days += days;
            counts.spans += spans;
            counts.kept += kept;
            if (days > 0) logger.info({ projectId, days, spans, kept, oneIn }, 'traces were sampled');
          } catch (thrown) {
            if (signal.aborted) return counts;
            counts.failures += 1;
            logger.warn(
              { err: thrown, projectId, connector: id },
              'traces could not be sampled; tried again later',
            );
          }
        }
      }
      return counts;
    },
  };
}
