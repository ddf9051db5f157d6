import type { GpuDevice } from './device.ts';

/** The GPUs of this machine and who is on them: what the source of GPUs found, for other sources. */
export class GpuRegister {
  #devices: readonly GpuDevice[] = [];
  readonly #pids = new Map<string, readonly number[]>();

  get devices(): readonly GpuDevice[] {
    return this.#devices;
  }

  set(devices: readonly GpuDevice[]): void {
    this.#devices = devices;
    const ids = new Set(devices.map(({ id }) => id));
    for (const id of this.#pids.keys()) if (!ids.has(id)) this.#pids.delete(id);
  }

  setPids(id: string, pids: readonly number[]): void {
    this.#pids.set(id, pids);
  }

  /** As the driver told them last; empty where it does not. */
  pidsOn(id: string): readonly number[] {
    return this.#pids.get(id) ?? [];
  }
}
