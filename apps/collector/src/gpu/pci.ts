import { readLine, readNames } from '../files.ts';

export interface PciGpu {
  /** `dddd:bb:dd.f`, lower case. */
  readonly address: string;
  readonly vendor: number;
  readonly device: number;
  /** Base class, sub-class and programming interface. */
  readonly classCode: number;
}

/** Base class and sub-class: VGA, 3D and other display controllers; processing accelerators (some Instinct parts). */
const GPU_CLASSES: ReadonlySet<number> = new Set([0x0300, 0x0302, 0x0380, 0x1200]);
const ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/;
const MAX_PCI_DEVICES = 16_384;
/** More than any machine has; a tree that lies must not make the agent start threads for it. */
const MAX_GPUS = 256;

const hex = (text: string | undefined): number | undefined =>
  text !== undefined && /^0x[0-9a-f]{1,8}$/i.test(text) ? Number(text) : undefined;

/** GPUs in the device tree of the kernel, by address. */
export function scanPci(sys: string): PciGpu[] {
  const root = `${sys}/bus/pci/devices`;
  const found: PciGpu[] = [];
  for (const address of (readNames(root, MAX_PCI_DEVICES) ?? []).toSorted()) {
    if (!ADDRESS.test(address) || found.length >= MAX_GPUS) continue;
    const classCode = hex(readLine(`${root}/${address}/class`));
    if (classCode === undefined || !GPU_CLASSES.has(classCode >> 8)) continue;
    const vendor = hex(readLine(`${root}/${address}/vendor`));
    const device = hex(readLine(`${root}/${address}/device`));
    if (vendor !== undefined && device !== undefined) found.push({ address, vendor, device, classCode });
  }
  return found;
}

/**
 * A PCI address as the kernel writes it: four digits of the domain unless it has more (`00000000:81:00.0` of NVML is
 * `0000:81:00.0`). Undefined when it is none.
 */
export function pciAddress(text: string): string | undefined {
  const parts = /^([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])$/.exec(text.trim().toLowerCase());
  if (parts === null) return undefined;
  const [, domain = '', bus, device, fn] = parts;
  return `${domain.replace(/^0+/, '').padStart(4, '0')}:${bus}:${device}.${fn}`;
}
