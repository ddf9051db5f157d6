import type { Config } from '../config.ts';
import { startCpuRing } from '../highres/cpu-ring.ts';
import type { Log } from '../log.ts';
import type { ControlFeatures } from './contract.ts';
import { startCpuTracer } from './pt/tracer.ts';

/** Starts what the control API offers beyond itself. What is off or cannot be says why. */
export async function startFeatures(config: Config, log: Log): Promise<ControlFeatures> {
  const off = (variable: string) => ({ state: 'unavailable', reason: `${variable} is false.` }) as const;
  if (config.control.address === undefined) {
    const nobody = { state: 'unavailable', reason: 'OTEL_GPU_CONTROL_ADDR is empty.' } as const;
    return { highres: nobody, cpuTracer: nobody };
  }
  return {
    highres: config.cpuHighres ? startCpuRing(config.paths, log) : off('OTEL_HOST_CPU_HIGHRES'),
    cpuTracer: config.pt.enabled ? startCpuTracer(config, log) : off('OTEL_HOST_INTEL_PT_ENABLED'),
  };
}

export async function stopFeatures({ highres, cpuTracer }: ControlFeatures): Promise<void> {
  if (highres.state === 'ready') highres.service.stop();
  if (cpuTracer.state === 'ready') await cpuTracer.service.stop();
}
