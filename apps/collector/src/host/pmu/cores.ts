import { join } from 'node:path';
import { readLine, readNames, readNumber } from '../../files.ts';
import { parseCpuList } from '../cpu-list.ts';
import type { CoreEvent } from './events.ts';
import type { PerfEvent } from './native.ts';

const MAX_UNITS = 1_024;

/** What counts on one kind of core. */
export interface CoreUnit {
  readonly type: number;
  /** The kernel's word for the kind: `core`, `atom`. */
  readonly coreType: string;
  readonly cpus: ReadonlySet<number>;
}

/** Units of a processor with several kinds of core (`cpu_core`, `cpu_atom`); none on others. */
export function findCoreUnits(sys: string): readonly CoreUnit[] {
  const root = join(sys, 'bus/event_source/devices');
  const units: CoreUnit[] = [];
  for (const name of readNames(root, MAX_UNITS) ?? []) {
    const coreType = /^cpu_([a-z]\w{0,30})$/.exec(name)?.[1];
    if (coreType === undefined) continue;
    const type = readNumber(join(root, name, 'type'));
    const cpus = parseCpuList(readLine(join(root, name, 'cpus'), 16_384) ?? '');
    if (type !== undefined && cpus.length > 0) units.push({ type, coreType, cpus: new Set(cpus) });
  }
  return units;
}

/** The event for a core: on a processor with several kinds the upper half of the number says which unit counts. */
export function eventFor(event: CoreEvent, unit: CoreUnit | undefined): PerfEvent {
  const config = unit === undefined ? event.config : event.config | (BigInt(unit.type) << 32n);
  return { type: event.type, config };
}

/** CPUs online, as text and as numbers. */
export function readOnline(sys: string): { readonly text: string; readonly cpus: readonly number[] } {
  const text = readLine(join(sys, 'devices/system/cpu/online'), 16_384) ?? '';
  return { text, cpus: parseCpuList(text) };
}

/** `hw.id` of the processor that a CPU is part of. */
export function processorOf(sys: string, cpu: number): string {
  const socket = readNumber(join(sys, `devices/system/cpu/cpu${cpu}/topology/physical_package_id`)) ?? 0;
  return `cpu${Math.max(0, socket)}`;
}
