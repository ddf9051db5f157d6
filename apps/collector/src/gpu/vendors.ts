import type { VendorId } from './device.ts';
import type { CreateVendor } from './vendor.ts';

/** A vendor's line: what is known of it without loading it. */
export interface VendorEntry {
  readonly id: VendorId;
  readonly title: string;
  /** Of its devices on the PCI bus. */
  readonly pciVendor: number;
  /** `gpu.measurement.source` of what fails. */
  readonly source: string;
  readonly platforms: readonly NodeJS.Platform[];
  /** Device files by which it may be there without a device on the PCI bus (WSL, systems on a chip). */
  readonly deviceFiles: readonly string[];
  /** Loaded in its thread only. */
  readonly load: () => Promise<CreateVendor>;
}

/** One line a vendor. */
export const VENDORS: readonly VendorEntry[] = [
  {
    id: 'nvidia',
    title: 'NVIDIA',
    pciVendor: 0x10de,
    source: 'nvml',
    platforms: ['linux', 'win32'],
    deviceFiles: ['/dev/nvidiactl', '/dev/dxg'],
    load: async () => (await import('./nvidia/index.ts')).createNvidia,
  },
  {
    id: 'amd',
    title: 'AMD',
    pciVendor: 0x1002,
    source: 'amdgpu',
    platforms: ['linux'],
    deviceFiles: [],
    load: async () => (await import('./amd/index.ts')).createAmd,
  },
  {
    id: 'intel',
    title: 'Intel',
    pciVendor: 0x8086,
    source: 'sysman',
    platforms: ['linux'],
    deviceFiles: [],
    load: async () => (await import('./intel/index.ts')).createIntel,
  },
];
