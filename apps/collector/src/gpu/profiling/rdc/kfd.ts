import { join } from 'node:path';
import { readHead, readNames, readNumber } from '../../../files.ts';

const MAX_NODES = 1_024;
const MAX_PROPERTIES_BYTES = 65_536;

/** PCI addresses (`dddd:bb:dd.f`) of GPUs by their number in the kernel's compute driver. */
export function kfdAddresses(sys: string): ReadonlyMap<number, string> {
  const nodes = join(sys, 'class/kfd/kfd/topology/nodes');
  const addresses = new Map<number, string>();
  for (const node of readNames(nodes, MAX_NODES) ?? []) {
    const id = readNumber(join(nodes, node, 'gpu_id'));
    // CPUs are nodes too, with the number 0.
    if (id === undefined || id === 0) continue;
    const properties = readHead(join(nodes, node, 'properties'), MAX_PROPERTIES_BYTES) ?? '';
    const property = (name: string): number | undefined => {
      const value = new RegExp(`^${name} (\\d{1,10})$`, 'm').exec(properties)?.[1];
      return value === undefined ? undefined : Number(value);
    };
    const location = property('location_id');
    if (location === undefined) continue;
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
    const [bus, slot, fn] = [(location >> 8) & 0xff, (location >> 3) & 0x1f, location & 7];
    addresses.set(id, `${hex(property('domain') ?? 0, 4)}:${hex(bus, 2)}:${hex(slot, 2)}.${fn}`);
  }
  return addresses;
}
