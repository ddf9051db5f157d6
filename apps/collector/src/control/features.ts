import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { ControlFeatures } from './contract.ts';

/** Starts what the control API offers beyond itself. What is off or cannot be says why. */
export async function startFeatures(config: Config, _log: Log): Promise<ControlFeatures> {
  const off = (variable: string) => ({ state: 'unavailable', reason: `${variable} is false.` }) as const;
  return {
    highres: config.cpuHighres
      ? { state: 'unavailable', reason: `The CPU ring is not made for ${process.platform}.` }
      : off('OTEL_HOST_CPU_HIGHRES'),
    cpuTracer: config.pt.enabled
      ? { state: 'unavailable', reason: `CPU traces are not made for ${process.platform}.` }
      : off('OTEL_HOST_INTEL_PT_ENABLED'),
  };
}

export async function stopFeatures({ highres, cpuTracer }: ControlFeatures): Promise<void> {
  if (highres.state === 'ready') highres.service.stop();
  if (cpuTracer.state === 'ready') await cpuTracer.service.stop();
}
