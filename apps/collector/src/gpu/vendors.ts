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

const WINDOWS = process.platform === 'win32';

/** One line a vendor. */
export const VENDORS: readonly VendorEntry[] = [
  {
    id: 'nvidia',
    title: 'NVIDIA',
    pciVendor: 0x10de,
    source: 'nvml',
    platforms: ['linux', 'win32'],
    deviceFiles: ['/dev/nvidiactl', '/dev/dxg'],
    load: async () => {
      const { createNvidia } = await import('./nvidia/index.ts');
      if (!WINDOWS) return createNvidia;
      return (await import('./windows/index.ts')).orAdapters(createNvidia, 'nvidia', 0x10de);
    },
  },
  {
    id: 'amd',
    title: 'AMD',
    pciVendor: 0x1002,
    source: 'amdgpu',
    platforms: ['linux', 'win32'],
    deviceFiles: [],
    load: async () =>
      WINDOWS
        ? (await import('./windows/index.ts')).adaptersOf('amd', 0x1002)
        : (await import('./amd/index.ts')).createAmd,
  },
  {
    id: 'intel',
    title: 'Intel',
    pciVendor: 0x8086,
    source: 'sysman',
    platforms: ['linux', 'win32'],
    deviceFiles: [],
    load: async () =>
      WINDOWS
        ? (await import('./windows/index.ts')).adaptersOf('intel', 0x8086)
        : (await import('./intel/index.ts')).createIntel,
  },
];
