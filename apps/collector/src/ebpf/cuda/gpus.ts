import { join } from 'node:path';
import { readHead } from '../../files.ts';
import { Pid } from '../../host/proc/pid.ts';
import type { HostPaths } from '../../host-paths.ts';

/** A GPU of NVIDIA as the agent knows it, and who is on it as the driver tells. */
export interface KnownGpu {
  readonly id: string;
  /** Among the GPUs of the machine. */
  readonly index: number;
  /** Threads that it runs at a time. */
  readonly cores: number | undefined;
  readonly pids: readonly number[];
}

const MAX_ENVIRONMENT = 262_144;

/** Which GPU a program means by the number of a device. */
export class DeviceResolver {
  readonly #paths: HostPaths;
  readonly #visible = new Map<number, readonly string[] | undefined>();
  #gpus: readonly KnownGpu[] = [];

  constructor(paths: HostPaths) {
    this.#paths = paths;
  }

  set(gpus: readonly KnownGpu[]): void {
    this.#gpus = gpus.toSorted((a, b) => a.index - b.index);
  }

  /** Ticks after the start of the machine at which a process began; 0 when it is gone. */
  startOf(pid: number): number {
    return new Pid(this.#paths, pid).stat()?.startTicks ?? 0;
  }

  /** Name of its program; undefined when it is gone. */
  nameOf(pid: number): string | undefined {
    return new Pid(this.#paths, pid).executableName();
  }

  /**
   * The id of the GPU. A process that the driver lists on one GPU alone is on that one; else its numbers count the GPUs
   * that CUDA_VISIBLE_DEVICES leaves, in the order of the bus.
   */
  gpuOf(pid: number, device: number): string | undefined {
    const on = this.#gpus.filter(({ pids }) => pids.includes(pid));
    if (on.length === 1) return on[0]?.id;
    const visible = this.#visibleTo(pid);
    if (visible === undefined) return this.#gpus[device]?.id;
    const wanted = visible[device];
    if (wanted === undefined) return undefined;
    if (/^\d{1,3}$/.test(wanted)) return this.#gpus.find(({ index }) => index === Number(wanted))?.id;
    return this.#gpus.find(({ id }) => id.startsWith(wanted))?.id;
  }

  cores(pid: number, device: number): number | undefined {
    const id = this.gpuOf(pid, device);
    return this.#gpus.find((gpu) => gpu.id === id)?.cores;
  }

  #visibleTo(pid: number): readonly string[] | undefined {
    if (this.#visible.has(pid)) return this.#visible.get(pid);
    const text = readHead(join(this.#paths.proc, String(pid), 'environ'), MAX_ENVIRONMENT) ?? '';
    const row = text.split('\0').find((one) => one.startsWith('CUDA_VISIBLE_DEVICES='));
    const list = row
      ?.slice(row.indexOf('=') + 1)
      .split(',')
      .map((one) => one.trim());
    // CUDA stops at the first that it does not know.
    const end = list?.findIndex((one) => !/^(\d{1,3}|(GPU|MIG)-[0-9a-fA-F-]{1,64})$/.test(one)) ?? -1;
    const visible = list === undefined ? undefined : end === -1 ? list : list.slice(0, end);
    this.#visible.set(pid, visible);
    return visible;
  }

  forget(pid: number): void {
    this.#visible.delete(pid);
  }
}
