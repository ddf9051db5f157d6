import type { Config } from '../config.ts';

/** Why the metrics of the system and of the agent itself are off; undefined when they are wanted. */
export function hostMetricsOff(config: Config): string | undefined {
  return config.hostMetrics ? undefined : 'PLATFORM_HOST_METRICS is false';
}
