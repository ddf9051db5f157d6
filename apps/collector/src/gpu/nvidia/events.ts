import type { Tell } from '../vendor.ts';
import { SUCCESS } from './codes.ts';
import type { NvmlHandle } from './handle.ts';
import type { Nvml } from './native.ts';

const XID_ERROR = 8n;
/** `nvmlEventData_t`. */
const DATA_BYTES = 32;
const AT = { device: 0, type: 8, data: 16 } as const;
/** Events taken in one reading; a storm is taken in several. */
const MAX_EVENTS = 512;
const MAX_TOLD = 200;

/**
 * XIDs by which the GPU itself is in trouble, from NVIDIA's list: double-bit errors, a halted controller, pages or rows
 * that had to be replaced or could not be, NVLink, off the bus, errors contained and not, the GSP. The rest are most often
 * the fault of a program, and say nothing of the state of the GPU.
 */
const HARDWARE: ReadonlySet<number> = new Set([48, 61, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120, 140]);

interface Counted {
  xids: bigint;
  /** One of the hardware since it was last asked. */
  sick: boolean;
}

/** XIDs (what the driver logs of errors) of all GPUs, taken without waiting whenever one of them is read. */
export class XidEvents {
  readonly #tell: Tell;
  /** By id of the device; kept over probes. Absent: it does not tell. */
  readonly #counted = new Map<string, Counted>();
  readonly #byHandle = new Map<bigint, string>();
  readonly #told = new Set<string>();
  #nvml: Nvml | undefined;
  #set: bigint | undefined;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Begins anew, with no devices; what was counted stays. */
  begin(nvml: Nvml): void {
    this.end();
    const out = Buffer.alloc(8);
    if (nvml.call('nvmlEventSetCreate', out) !== SUCCESS) return;
    this.#nvml = nvml;
    this.#set = out.readBigUInt64LE();
  }

  watch(id: string, handle: NvmlHandle): void {
    if (this.#set === undefined || this.#nvml === undefined) return;
    const supported = handle.u64('nvmlDeviceGetSupportedEventTypes');
    if (supported === undefined || (supported & XID_ERROR) === 0n) return;
    if (!handle.answers('nvmlDeviceRegisterEvents', '', XID_ERROR, this.#set)) return;
    this.#byHandle.set(handle.address, id);
    if (!this.#counted.has(id)) this.#counted.set(id, { xids: 0n, sick: false });
  }

  /** What has happened to a device; `sick` is told once. Undefined when it does not tell. */
  of(id: string): { readonly xids: bigint; readonly sick: boolean } | undefined {
    this.#take();
    const counted = this.#counted.get(id);
    if (counted === undefined) return undefined;
    const { xids, sick } = counted;
    counted.sick = false;
    return { xids, sick };
  }

  #take(): void {
    if (this.#nvml === undefined || this.#set === undefined) return;
    const data = Buffer.alloc(DATA_BYTES);
    for (let taken = 0; taken < MAX_EVENTS; taken += 1) {
      if (this.#nvml.call('nvmlEventSetWait_v2', this.#set, data, 0) !== SUCCESS) return;
      if (data.readBigUInt64LE(AT.type) !== XID_ERROR) continue;
      const id = this.#byHandle.get(data.readBigUInt64LE(AT.device));
      const counted = id === undefined ? undefined : this.#counted.get(id);
      if (id === undefined || counted === undefined) continue;
      const xid = Number(data.readBigUInt64LE(AT.data));
      counted.xids += 1n;
      counted.sick ||= HARDWARE.has(xid);
      this.#say(id, xid);
    }
  }

  /** Which it was stands in the log, once a device: the counter does not tell them apart. */
  #say(id: string, xid: number): void {
    const key = `${id} ${xid}`;
    if (this.#told.has(key) || this.#told.size >= MAX_TOLD) return;
    this.#told.add(key);
    this.#tell('warn', 'a GPU reports an XID', { gpu: id, xid });
  }

  end(): void {
    if (this.#set !== undefined) this.#nvml?.call('nvmlEventSetFree', this.#set);
    this.#set = undefined;
    this.#nvml = undefined;
    this.#byHandle.clear();
  }
}
