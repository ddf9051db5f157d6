import {
  hwCpuBranchEvents,
  hwCpuCacheEvents,
  hwCpuCycles,
  hwCpuInstructions,
  hwCpuTlbEvents,
  type Metric,
} from '@candela/semconv/metrics';
import type { PointAttributes } from '../../point-attributes.ts';

/** Numbers of linux/perf_event.h. */
const HARDWARE = 0;
const CACHE = 3;
const READ = 0;
const ACCESS = 0;
const MISS = 1;

/** A counter of the cores, by the numbers that mean the same on every processor. */
export interface CoreEvent {
  readonly metric: Metric;
  readonly attributes: PointAttributes;
  readonly type: number;
  readonly config: bigint;
}

const hardware = (metric: Metric, config: bigint, attributes: PointAttributes = {}): CoreEvent => ({
  metric,
  attributes,
  type: HARDWARE,
  config,
});

const cache = (metric: Metric, id: number, result: number, attributes: PointAttributes): CoreEvent => ({
  metric,
  attributes,
  type: CACHE,
  config: BigInt(id | (READ << 8) | (result << 16)),
});

const cacheLevel = (level: string, id: number): readonly CoreEvent[] => [
  cache(hwCpuCacheEvents, id, ACCESS, { 'hw.cpu.cache.level': level, 'hw.cpu.cache.op': 'access' }),
  cache(hwCpuCacheEvents, id, MISS, { 'hw.cpu.cache.level': level, 'hw.cpu.cache.op': 'miss' }),
];

const tlbLevel = (level: string, id: number): readonly CoreEvent[] => [
  cache(hwCpuTlbEvents, id, ACCESS, { 'hw.cpu.tlb.level': level, 'hw.cpu.tlb.op': 'access' }),
  cache(hwCpuTlbEvents, id, MISS, { 'hw.cpu.tlb.level': level, 'hw.cpu.tlb.op': 'miss' }),
];

const INSTRUCTIONS = hardware(hwCpuInstructions, 1n);
const CYCLES = hardware(hwCpuCycles, 0n);
const BRANCHES: readonly CoreEvent[] = [
  hardware(hwCpuBranchEvents, 4n, { 'hw.cpu.branch.result': 'retired' }),
  hardware(hwCpuBranchEvents, 5n, { 'hw.cpu.branch.result': 'mispredicted' }),
];

export interface ChosenEvents {
  /** What is counted together, so that ratios within a group are true. */
  readonly groups: readonly (readonly CoreEvent[])[];
  /** Whether the memory controllers are to be counted. */
  readonly memory: boolean;
  readonly unknown: readonly string[];
}

/** Names that OTEL_HOST_PMU_EVENTS takes. */
export const EVENT_NAMES = [
  'instructions',
  'cycles',
  'branch',
  'cache',
  'tlb',
  'memory_bandwidth',
  'uncore',
] as const;

export function chooseEvents(names: readonly string[]): ChosenEvents {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const first = [
    ...(wanted.has('instructions') ? [INSTRUCTIONS] : []),
    ...(wanted.has('cycles') ? [CYCLES] : []),
  ];
  const groups = [
    first,
    ...(wanted.has('branch') ? [BRANCHES] : []),
    ...(wanted.has('cache') ? [cacheLevel('l1d', 0), cacheLevel('l1i', 1), cacheLevel('ll', 2)] : []),
    ...(wanted.has('tlb') ? [tlbLevel('dtlb', 3), tlbLevel('itlb', 4)] : []),
  ];
  const known: ReadonlySet<string> = new Set(EVENT_NAMES);
  return {
    groups: groups.filter((group) => group.length > 0),
    memory: wanted.has('memory_bandwidth') || wanted.has('uncore'),
    unknown: [...wanted].filter((name) => !known.has(name)),
  };
}
