import type { GpuDevice } from '../device.ts';
import { isGone, SUCCESS } from './codes.ts';
import { NvmlHandle } from './handle.ts';
import type { Nvml } from './native.ts';

const ENABLED = 1;
/** A GPU has seven at most; more is told by no driver. */
const MAX_PARTS = 64;
/** `nvmlDeviceAttributes_t`. */
const ATTRIBUTES_BYTES = 40;
const AT = { gpuSlices: 24, computeSlices: 28, memoryMb: 32 } as const;
const MIB = 1_048_576;
const GIB = 1_073_741_824;
/** Memory is cut in eighths. */
const SLICES = 8;

/** Whether a GPU is cut into MIG devices; undefined where there is no such thing. @throws GpuError */
export function migEnabled(handle: NvmlHandle): boolean | undefined {
  const [now, pending] = [Buffer.alloc(4), Buffer.alloc(4)];
  if (!handle.answers('nvmlDeviceGetMigMode', '', now, pending)) return undefined;
  return now.readUInt32LE() === ENABLED;
}

export interface MigPart {
  readonly id: string;
  readonly handle: NvmlHandle;
}

/** The MIG devices of a GPU. @throws GpuError */
export function migParts(nvml: Nvml, gpu: NvmlHandle): MigPart[] {
  const most = gpu.u32('nvmlDeviceGetMaxMigDeviceCount') ?? 0;
  const out = Buffer.alloc(8);
  const parts: MigPart[] = [];
  for (let index = 0; index < Math.min(most, MAX_PARTS); index += 1) {
    // The places are not filled one after another. A place without a device says "not found", and is asked again.
    const code = gpu.call('nvmlDeviceGetMigDeviceHandleByIndex', index, index, out);
    if (code !== SUCCESS) {
      if (isGone(code)) continue;
      break;
    }
    const handle = new NvmlHandle(nvml, out.readBigUInt64LE());
    const id = handle.text('nvmlDeviceGetUUID');
    if (id !== undefined) parts.push({ id, handle });
  }
  return parts;
}

/** A device that is a part. */
interface MigDevice extends GpuDevice {
  readonly partition: Required<NonNullable<GpuDevice['partition']>>;
}

/** What a MIG device is. `total`: bytes of the whole GPU, undefined when not known. @throws GpuError */
export function describePart(
  { id, handle }: MigPart,
  parent: GpuDevice,
  minor: number | undefined,
  total: number | undefined,
): MigDevice {
  const instance = handle.u32('nvmlDeviceGetGpuInstanceId') ?? 0;
  const compute = handle.u32('nvmlDeviceGetComputeInstanceId') ?? 0;
  const attributes = Buffer.alloc(ATTRIBUTES_BYTES);
  const profile = handle.answers('nvmlDeviceGetAttributes_v2', '', attributes)
    ? migProfile(attributes, total)
    : undefined;
  return {
    id,
    name: `${parent.name} MIG${profile === undefined ? '' : ` ${profile}`}`,
    vendor: 'nvidia',
    index: parent.index,
    ...(parent.pciAddress === undefined ? {} : { pciAddress: parent.pciAddress }),
    migEnabled: true,
    partition: {
      parent: parent.id,
      name: `${instance}/${compute}`,
      mig: { instanceId: instance, ...(profile === undefined ? {} : { profile }) },
    },
    aliases: minor === undefined ? [] : [`nvidia${minor}/gi${instance}`],
  };
}

/**
 * The profile as NVIDIA names it, `1g.10gb` or `1c.2g.20gb`. A part has a little less memory than its name says: the name
 * is the number of eighths it has, of the gigabytes the whole is sold with.
 */
export function migProfile(attributes: Buffer, total: number | undefined): string | undefined {
  const gpuSlices = attributes.readUInt32LE(AT.gpuSlices);
  const computeSlices = attributes.readUInt32LE(AT.computeSlices);
  const memory = Number(attributes.readBigUInt64LE(AT.memoryMb)) * MIB;
  if (total === undefined || total <= 0 || gpuSlices === 0) return undefined;
  const share = Math.ceil((memory / total) * SLICES) / SLICES;
  const gigabytes = Math.round(share * Math.ceil(total / GIB));
  const compute = computeSlices === gpuSlices || computeSlices === 0 ? '' : `${computeSlices}c.`;
  return `${compute}${gpuSlices}g.${gigabytes}gb`;
}
