import type { Gpu, HostSummary } from '@candela/contract';
import { HOST_LIMITS } from '@candela/contract/host-limits';
import { formatCount, formatDuration } from '../../lib/format.ts';

/** From where on a figure deserves a look, and from where on it is bad. */
export const THRESHOLDS = {
  temperature: { warn: 83, danger: 90 },
  memory: { warn: 0.9, danger: 0.97 },
  filesystem: { warn: 0.85, danger: 0.93 },
  cpu: { warn: 0.85, danger: 0.95 },
} as const;

export interface Attention {
  readonly level: 'warn' | 'danger';
  readonly what: 'silent' | 'errors' | 'hot' | 'status' | 'full' | 'several' | 'away';
  /** A few words that stand alone. */
  readonly text: string;
  /** When that was, oldest first. */
  readonly when?: readonly { readonly from: string; readonly to: string }[];
}

/** How many machines report under its name; beyond a bound they are not told. */
export const machineCount = ({ machines }: Pick<HostSummary, 'machines'>): string =>
  `${machines.length}${machines.length < HOST_LIMITS.machines ? '' : ' or more'}`;

/** Errors that the hardware mended by itself. */
const MENDED = new Set(['corrected', 'ras_corrected', 'pcie_replay']);

const levelOf = (value: number | null, { warn, danger }: { warn: number; danger: number }) =>
  value === null || value < warn ? undefined : value < danger ? ('warn' as const) : ('danger' as const);

/** What is wrong with a GPU, the worst first. */
export function attentionOfGpu(gpu: Gpu): Attention[] {
  // Of one that is gone its errors say why, its last state and heat nothing.
  if (gpu.stale) return [{ level: 'danger', what: 'silent', text: 'Not reported' }, ...errorsOf(gpu)];
  const found: Attention[] = [];
  if (gpu.status !== null && gpu.status !== 'ok') {
    const level = gpu.status === 'failed' ? 'danger' : 'warn';
    found.push({ level, what: 'status', text: gpu.status.replaceAll('_', ' ') });
  }
  found.push(...errorsOf(gpu));
  const heat = levelOf(gpu.temperatureCelsius, THRESHOLDS.temperature);
  if (heat) found.push({ level: heat, what: 'hot', text: `${Math.round(gpu.temperatureCelsius ?? 0)} °C` });
  return found.sort((a, b) => Number(b.level === 'danger') - Number(a.level === 'danger'));
}

/** Its errors in one: those that the hardware mended only where there are no others. */
function errorsOf(gpu: Gpu): Attention[] {
  const bad = gpu.errors.filter(({ type }) => !MENDED.has(type));
  const listed = bad.length > 0 ? bad : gpu.errors;
  if (listed.length === 0) return [];
  const text = listed.map(({ type, count }) => `${formatCount(count)} ${errorName(type)}`).join(', ');
  return [{ level: bad.length > 0 ? 'danger' : 'warn', what: 'errors', text }];
}

/** `XID`, `ECC uncorrected`. */
export function errorName(type: string): string {
  if (type === 'xid') return 'XID';
  if (type === 'corrected' || type === 'uncorrected') return `ECC ${type}`;
  if (type === 'pcie_replay') return 'PCIe replay';
  return type.replace(/^ras_/, 'RAS ').replaceAll('_', ' ');
}

/** What is wrong with a host itself, GPUs apart. */
export function attentionOfHost(
  host: Pick<
    HostSummary,
    'stale' | 'away' | 'machines' | 'filesystem' | 'memoryUsedBytes' | 'memoryTotalBytes'
  >,
): Attention[] {
  if (host.stale) return [{ level: 'danger', what: 'silent', text: 'Stopped reporting' }];
  const found: Attention[] = [];
  // First, since no other figure can be trusted then.
  if (host.machines.length > 0)
    found.push({ level: 'warn', what: 'several', text: `${machineCount(host)} machines of this name` });
  const { away } = host;
  if (away !== null && away.length > 0)
    found.push({ level: 'warn', what: 'away', text: awayText(away), when: away });
  const full = levelOf(host.filesystem?.utilization ?? null, THRESHOLDS.filesystem);
  if (full && host.filesystem)
    found.push({ level: full, what: 'full', text: `${host.filesystem.mountpoint} is full` });
  const memory = levelOf(shareOf(host.memoryUsedBytes, host.memoryTotalBytes), THRESHOLDS.memory);
  if (memory) found.push({ level: memory, what: 'full', text: 'Memory is full' });
  return found;
}

/** How long that was, and how often where it was more than once; beyond a bound not all times are told. */
function awayText(away: NonNullable<HostSummary['away']>): string {
  if (away.length >= HOST_LIMITS.away) return `Away ${away.length} times or more`;
  const all = formatDuration(away.reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0));
  return away.length === 1 ? `Away for ${all}` : `Away ${away.length} times, ${all}`;
}

/** Part of a whole; null when either is not known. */
export const shareOf = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : part / whole;
