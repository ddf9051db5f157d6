import type { GpuDevice, GpuReading } from '../device.ts';
import { type PciGpu, pciAddress } from '../pci.ts';
import { type CreateVendor, GpuError, type GpuVendor, type Probe, type VendorSettings } from '../vendor.ts';
import { codeText, isLost, isStale, SUCCESS } from './codes.ts';
import { Nvml, type NvmlFunction } from './native.ts';

const LIBRARIES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['libnvidia-ml.so.1', '/usr/lib/wsl/lib/libnvidia-ml.so.1'],
  win32: ['nvml.dll', 'C:\\Program Files\\NVIDIA Corporation\\NVSMI\\nvml.dll'],
};
/** Do not fail where there is no GPU. */
const INIT_NO_GPUS = 1;
const MAX_DEVICES = 256;
const TEXT_BYTES = 96;
const PCI_INFO_BYTES = 68;
const MEMORY_V2 = 0x0200_0028;

interface Handle {
  readonly device: GpuDevice;
  readonly handle: bigint;
}

class Nvidia implements GpuVendor {
  readonly id = 'nvidia';
  readonly #settings: VendorSettings;
  readonly #devices = new Map<string, Handle>();
  #nvml: Nvml | undefined;

  constructor(settings: VendorSettings) {
    this.#settings = settings;
  }

  probe(pci: readonly PciGpu[]): Probe {
    this.#devices.clear();
    let nvml: Nvml;
    try {
      nvml = this.#open();
    } catch (thrown) {
      return { state: 'unavailable', reason: thrown instanceof Error ? thrown.message : String(thrown) };
    }
    for (const handle of this.#handles(nvml, pci)) {
      const device = this.#describe(nvml, handle);
      if (device !== undefined) this.#devices.set(device.id, { device, handle });
    }
    return { state: 'found', devices: Array.from(this.#devices.values(), ({ device }) => device) };
  }

  #open(): Nvml {
    if (this.#nvml !== undefined) return this.#nvml;
    const nvml = Nvml.load(this.#settings.libraries ?? LIBRARIES[process.platform] ?? []);
    const code = nvml.call('nvmlInitWithFlags', INIT_NO_GPUS);
    if (code !== SUCCESS) {
      nvml.unload();
      throw new Error(codeText(code));
    }
    this.#nvml = nvml;
    return nvml;
  }

  *#handles(nvml: Nvml, pci: readonly PciGpu[]): Generator<bigint> {
    const out = Buffer.alloc(8);
    if (pci.length > 0) {
      for (const { address } of pci) {
        const name = Buffer.from(`${address}\0`);
        if (nvml.call('nvmlDeviceGetHandleByPciBusId_v2', name, out) === SUCCESS) yield out.readBigUInt64LE();
      }
      return;
    }
    if (nvml.call('nvmlDeviceGetCount_v2', out) !== SUCCESS) return;
    const count = Math.min(MAX_DEVICES, out.readUInt32LE());
    for (let index = 0; index < count; index += 1) {
      if (nvml.call('nvmlDeviceGetHandleByIndex_v2', index, out) === SUCCESS) yield out.readBigUInt64LE();
    }
  }

  #describe(nvml: Nvml, handle: bigint): GpuDevice | undefined {
    const id = text(nvml, 'nvmlDeviceGetUUID', handle);
    if (id === undefined) return undefined;
    const index = Buffer.alloc(4);
    nvml.call('nvmlDeviceGetIndex', handle, index);
    const pci = Buffer.alloc(PCI_INFO_BYTES);
    const known = nvml.call('nvmlDeviceGetPciInfo_v3', handle, pci) === SUCCESS;
    const address = known ? pciAddress(cString(pci.subarray(36))) : undefined;
    return {
      id,
      name: text(nvml, 'nvmlDeviceGetName', handle) ?? 'NVIDIA GPU',
      vendor: 'nvidia',
      index: index.readUInt32LE(),
      ...(address === undefined ? {} : { pciAddress: address }),
      aliases: [`nvidia${index.readUInt32LE()}`],
    };
  }

  read(id: string): GpuReading {
    const known = this.#devices.get(id);
    const nvml = this.#nvml;
    if (known === undefined || nvml === undefined) throw new GpuError('failed', 'it is not known');
    const { handle } = known;
    const rates = Buffer.alloc(8);
    const busy = check(nvml.call('nvmlDeviceGetUtilizationRates', handle, rates));
    const info = Buffer.alloc(40);
    info.writeUInt32LE(MEMORY_V2);
    const memory = check(nvml.call('nvmlDeviceGetMemoryInfo_v2', handle, info));
    return {
      ...(busy ? { utilization: { general: rates.readUInt32LE(0) / 100 } } : {}),
      ...(busy ? { memoryControllerUtilization: rates.readUInt32LE(4) / 100 } : {}),
      ...(memory
        ? {
            memory: {
              limit: Number(info.readBigUInt64LE(8)),
              usage: Number(info.readBigUInt64LE(8) - info.readBigUInt64LE(24)),
            },
          }
        : {}),
    };
  }

  stop(): void {
    this.#devices.clear();
    this.#nvml?.call('nvmlShutdown');
    this.#nvml?.unload();
    this.#nvml = undefined;
  }
}

/** Whether a call answered. @throws GpuError when the device or the library is of no use any more */
function check(code: number): boolean {
  if (isLost(code)) throw new GpuError('lost', codeText(code));
  if (isStale(code)) throw new GpuError('stale', codeText(code));
  return code === SUCCESS;
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function text(nvml: Nvml, name: NvmlFunction, handle: bigint): string | undefined {
  const bytes = Buffer.alloc(TEXT_BYTES);
  return nvml.call(name, handle, bytes, TEXT_BYTES) === SUCCESS ? cString(bytes) : undefined;
}

export const createNvidia: CreateVendor = (settings) => new Nvidia(settings);
