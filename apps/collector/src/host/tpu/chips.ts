import {
  hwTpuMemoryBandwidthUtilization,
  hwTpuMemoryLimit,
  hwTpuMemoryUsage,
  hwTpuMemoryUtilization,
  hwTpuTensorcoreUtilization,
  hwTpuUtilization,
  type Metric,
} from '@candela/semconv/metrics';
import type { PointAttributes } from '../../point-attributes.ts';
import type { Sample } from './prometheus-text.ts';

const MAX_CHIPS = 1_024;
/** What rounding may add to a share of a hundred. Beyond that it is no percentage. */
const MAX_PERCENT = 101;

/** Families of the device plugin: each exists for the container that holds a chip, and with `_node` for the machine. */
export const FAMILIES = [
  'duty_cycle',
  'tensorcore_utilization',
  'memory_total',
  'memory_used',
  'memory_bandwidth_utilization',
] as const;
type Family = (typeof FAMILIES)[number];

const NODE = '_node';
const isFamily = (name: string): name is Family => FAMILIES.includes(name as Family);

/** Exact names to take from an answer: those of the allowed families, with and without `_node`. */
export function wantedNames(allowed: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of allowed) {
    if (isFamily(name)) {
      names.add(name);
      names.add(name + NODE);
    } else if (name.endsWith(NODE) && isFamily(name.slice(0, -NODE.length))) names.add(name);
  }
  return names;
}

export interface ChipPoint {
  readonly metric: Metric;
  readonly value: number;
  readonly attributes: PointAttributes;
}

/** Who holds a chip: one series of each family. */
interface Holder {
  readonly attributes: PointAttributes;
  readonly values: Map<Family, number>;
}

interface Chip {
  readonly containers: Map<string, Holder>;
  node: Holder | undefined;
}

/**
 * Points of an answer. A family that containers report for a chip is theirs alone; the figure of the machine stands in
 * where there is none, or the same work would count twice.
 */
export function chipPoints(samples: readonly Sample[]): ChipPoint[] {
  const chips = new Map<string, Chip>();
  for (const { name, labels, value } of samples) {
    const id = labels.get('accelerator_id');
    if (id === undefined || id === '') continue;
    const ofNode = name.endsWith(NODE);
    const family = ofNode ? name.slice(0, -NODE.length) : name;
    if (!isFamily(family)) continue;
    let chip = chips.get(id);
    if (chip === undefined) {
      if (chips.size >= MAX_CHIPS) continue;
      chip = { containers: new Map<string, Holder>(), node: undefined };
      chips.set(id, chip);
    }
    const attributes = attributesOf(id, labels);
    if (ofNode) {
      chip.node ??= { attributes, values: new Map<Family, number>() };
      if (!chip.node.values.has(family)) chip.node.values.set(family, value);
      continue;
    }
    const key = JSON.stringify(attributes);
    const holder = chip.containers.get(key) ?? { attributes, values: new Map<Family, number>() };
    if (!holder.values.has(family)) holder.values.set(family, value);
    chip.containers.set(key, holder);
  }
  return [...chips.values()].flatMap((chip) => [...pointsOf(chip)]);
}

function* pointsOf(chip: Chip): Generator<ChipPoint> {
  const containers = [...chip.containers.values()];
  const nodeOnly = new Map(
    [...(chip.node?.values ?? [])].filter(([family]) => !containers.some(({ values }) => values.has(family))),
  );
  for (const { attributes, values } of containers) {
    // The memory of a chip is the same for who holds it, if only the machine's series tells it.
    yield* pointsOfValues(values, attributes, values.get('memory_total') ?? nodeOnly.get('memory_total'));
  }
  if (chip.node !== undefined) {
    yield* pointsOfValues(nodeOnly, chip.node.attributes, nodeOnly.get('memory_total'));
  }
}

function* pointsOfValues(
  values: ReadonlyMap<Family, number>,
  attributes: PointAttributes,
  memory: number | undefined,
): Generator<ChipPoint> {
  const shares: readonly (readonly [Family, Metric])[] = [
    ['duty_cycle', hwTpuUtilization],
    ['tensorcore_utilization', hwTpuTensorcoreUtilization],
    ['memory_bandwidth_utilization', hwTpuMemoryBandwidthUtilization],
  ];
  for (const [family, metric] of shares) {
    const percent = values.get(family);
    if (percent === undefined || percent < 0 || percent > MAX_PERCENT) continue;
    // Always a percentage: taking small ones for shares already would read 1 % as 100 %.
    yield { metric, value: Math.min(percent / 100, 1), attributes };
  }
  const total = values.get('memory_total');
  const used = values.get('memory_used');
  if (total !== undefined && total >= 0) yield { metric: hwTpuMemoryLimit, value: total, attributes };
  if (used !== undefined && used >= 0) {
    yield { metric: hwTpuMemoryUsage, value: used, attributes };
    if (memory !== undefined && memory > 0) {
      yield { metric: hwTpuMemoryUtilization, value: used / memory, attributes };
    }
  }
}

function attributesOf(id: string, labels: ReadonlyMap<string, string>): PointAttributes {
  const attributes: Record<string, string> = {
    'hw.id': `tpu:${id}`,
    'hw.type': 'tpu',
    'hw.tpu.accelerator_id': id,
  };
  const names = [
    ['model', 'hw.model'],
    ['make', 'hw.vendor'],
    ['tpu_topology', 'tpu.topology'],
    ['namespace', 'k8s.namespace.name'],
    ['pod', 'k8s.pod.name'],
    ['container', 'k8s.container.name'],
  ] as const;
  for (const [label, attribute] of names) {
    const value = labels.get(label);
    if (value !== undefined && value !== '') attributes[attribute] = value;
  }
  return attributes;
}
