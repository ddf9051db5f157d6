import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { largeHost } from './large-host.ts';

/** The library for tests that answers like NVML, from the agent's own tests. */
const SOURCE = join(import.meta.dirname, '../../../apps/collector/src/gpu/fixtures/libnvidia-ml.c');
export const GPUS = 8;
export const GPU_PROCESSES = 200;
const MIB = 1_048_576;
/** Longer than a device may take: its thread is given up. */
const HANG_MS = 5_000;

export interface GpuHost {
  readonly env: Readonly<Record<string, string>>;
  /** Makes every call to the first GPU take as long as a sick driver's. */
  hang(): void;
}

/** A machine with GPUs and processes on them. @throws when there is no C compiler */
export function gpuHost(folder: string): GpuHost {
  const env = largeHost(join(folder, 'host'));
  const libraries = join(folder, 'lib');
  mkdirSync(libraries, { recursive: true });
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', join(libraries, 'libnvidia-ml.so.1'), SOURCE, '-ldl']);
  const lines = [`gpus ${GPUS}`];
  for (let gpu = 0; gpu < GPUS; gpu += 1) {
    const address = `0000:${(0x10 + gpu).toString(16)}:00.0`;
    const device = join(folder, 'host', 'sys/bus/pci/devices', address);
    mkdirSync(device, { recursive: true });
    writeFileSync(join(device, 'class'), '0x030200\n');
    writeFileSync(join(device, 'vendor'), '0x10de\n');
    writeFileSync(join(device, 'device'), '0x2330\n');
    lines.push(...gpuLines(gpu, address).map((line) => `${gpu}.${line}`));
  }
  const profile = join(libraries, 'nvidia-ml.profile');
  writeFileSync(profile, `${lines.join('\n')}\n`);
  return {
    env: { ...env, LD_LIBRARY_PATH: libraries },
    hang: () => writeFileSync(profile, `${lines.join('\n')}\n0.sleep/MemoryInfo_v2 ${HANG_MS}\n`),
  };
}

function gpuLines(gpu: number, address: string): string[] {
  const share = GPU_PROCESSES / GPUS;
  const processes = Array.from({ length: share }, (_, at) => {
    const pid = gpu * share + at + 1;
    return [`process/Compute/${at} ${pid} ${1_000 * MIB} -`, `sample/${at} ${pid} ${at % 4} ${1_000 + at}`];
  });
  return [
    `UUID GPU-00000000-0000-0000-0000-00000000000${gpu}`,
    'Name NVIDIA H100 80GB HBM3',
    `BusId 0000${address.toUpperCase()}`,
    `MinorNumber ${gpu}`,
    'UtilizationRates 87 45',
    'EncoderUtilization 0 167000',
    'DecoderUtilization 0 167000',
    `MemoryInfo ${[80_000, 500, 53_500, 26_000].map((mib) => mib * MIB).join(' ')}`,
    'Temperature/0 55',
    'PowerUsage 512000',
    'EnforcedPowerLimit 700000',
    'TotalEnergyConsumption 812345678',
    'ClockInfo/0 1755',
    'ClockInfo/1 1755',
    'ClockInfo/2 2619',
    'TotalEccErrors/0/1 0',
    'TotalEccErrors/1/1 0',
    'PcieReplayCounter 0',
    'RemappedRows 0 0 0 0',
    'CurrentClocksEventReasons 0',
    'SupportedEventTypes 31',
    'MigMode 0 0',
    'process/Compute',
    'sample',
    ...processes.flat(),
  ];
}
