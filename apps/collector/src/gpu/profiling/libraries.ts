import type { Config } from '../../config.ts';
import type { VendorId } from '../device.ts';
import type { ProfilingLibrary } from './profiler.ts';
import type { ProfilerSettings } from './settings.ts';

export type ProfilerId = 'dcgm' | 'rdc';

/** A profiling library's line: what is known of it without loading it. */
export interface ProfilerEntry {
  readonly id: ProfilerId;
  readonly title: string;
  /** Whose GPUs it profiles; without one of them it is not loaded. */
  readonly vendor: VendorId;
  readonly platforms: readonly NodeJS.Platform[];
  readonly off: (config: Config) => string | undefined;
  /** Its values stand for the series that the vendor could send too. */
  readonly prefer: (config: Config) => boolean;
  readonly intervalSeconds: (config: Config) => number;
  readonly libraries: (config: Config) => readonly string[];
  /** Loaded in its thread only. */
  readonly load: () => Promise<(settings: ProfilerSettings) => ProfilingLibrary>;
}

const MULTIARCH = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
const VERSIONS = ['4', '3', '2'] as const;
const RDC_INTERVAL_SECONDS = 10;

/** The path that was told, then the names under which distributions have it. */
function dcgmLibraries({ gpu: { dcgm } }: Config): string[] {
  const folders = ['/lib64', `/usr/lib/${MULTIARCH}`, '/usr/lib64'];
  return [
    dcgm.libPath,
    ...VERSIONS.flatMap((version) => folders.map((folder) => `${folder}/libdcgm.so.${version}`)),
    ...VERSIONS.map((version) => `libdcgm.so.${version}`),
  ];
}

/** One line a library. */
export const PROFILERS: readonly ProfilerEntry[] = [
  {
    id: 'dcgm',
    title: 'DCGM',
    vendor: 'nvidia',
    platforms: ['linux'],
    off: ({ gpu }) => (gpu.dcgm.enabled ? undefined : 'OTEL_GPU_DCGM_ENABLED is false'),
    prefer: ({ gpu }) => gpu.dcgm.enabled && gpu.dcgm.prefer,
    intervalSeconds: ({ gpu }) => gpu.dcgm.intervalSeconds,
    libraries: dcgmLibraries,
    load: async () => (await import('./dcgm/index.ts')).createDcgm,
  },
  {
    id: 'rdc',
    title: 'RDC',
    vendor: 'amd',
    platforms: ['linux'],
    off: ({ gpu }) => (gpu.rdc.enabled ? undefined : 'OTEL_GPU_RDC_ENABLED is false'),
    prefer: () => false,
    intervalSeconds: () => RDC_INTERVAL_SECONDS,
    libraries: ({ gpu }) => [gpu.rdc.libPath, 'librdc.so.1', '/opt/rocm/lib/librdc.so.1'],
    load: async () => (await import('./rdc/index.ts')).createRdc,
  },
];
