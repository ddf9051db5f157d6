import type { Config } from '../config.ts';
import { startCpuRing } from '../highres/cpu-ring.ts';
import type { Log } from '../log.ts';
import type { ControlFeatures, DcgmControl, Feature, Offers } from './contract.ts';
import { startKineto } from './kineto/index.ts';
import { startCpuTracer } from './pt/tracer.ts';

/** Starts what the control API offers beyond itself. What is off or cannot be says why. */
export async function startFeatures(config: Config, log: Log, offers: Offers): Promise<ControlFeatures> {
  const off = (variable: string) => ({ state: 'unavailable', reason: `${variable} is false.` }) as const;
  if (config.control.address === undefined) {
    const nobody = { state: 'unavailable', reason: 'OTEL_GPU_CONTROL_ADDR is empty.' } as const;
    return { highres: nobody, cpuTracer: nobody, gpuProfiler: nobody, dcgm: () => nobody };
  }
  const dcgm = (): Feature<DcgmControl> => {
    if (!config.gpu.dcgm.enabled) return off('OTEL_GPU_DCGM_ENABLED');
    const { dcgm: service } = offers;
    if (service === undefined) return { state: 'unavailable', reason: 'DCGM is for Linux.' };
    const { unavailable } = service;
    return unavailable === undefined
      ? { state: 'ready', service }
      : { state: 'unavailable', reason: `DCGM is not in use: ${unavailable}.` };
  };
  return {
    highres: config.cpuHighres ? startCpuRing(config.paths, log) : off('OTEL_HOST_CPU_HIGHRES'),
    cpuTracer: config.pt.enabled ? startCpuTracer(config, log) : off('OTEL_HOST_INTEL_PT_ENABLED'),
    gpuProfiler: config.gpu.kineto.enabled ? await startKineto(config, log) : off('OTEL_GPU_KINETO_ENABLED'),
    dcgm,
  };
}

export async function stopFeatures({ highres, cpuTracer, gpuProfiler }: ControlFeatures): Promise<void> {
  if (highres.state === 'ready') highres.service.stop();
  await Promise.all([
    gpuProfiler.state === 'ready' ? gpuProfiler.service.stop() : undefined,
    cpuTracer.state === 'ready' ? cpuTracer.service.stop() : undefined,
  ]);
}
