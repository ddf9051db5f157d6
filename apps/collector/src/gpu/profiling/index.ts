import type { RecordPoint, SourceContext } from '../../source.ts';
import type { GpuDevice, GpuReading } from '../device.ts';
import { ProfilerHost } from './host.ts';
import { PROFILERS, type ProfilerEntry } from './libraries.ts';

/** All profiling libraries of this machine. */
export class Profiling {
  readonly #hosts: readonly ProfilerHost[];
  readonly #titles: ReadonlyMap<string, string>;
  readonly #vendors: ReadonlyMap<string, string>;

  constructor(context: SourceContext, entries: readonly ProfilerEntry[] = PROFILERS) {
    const here = entries.filter(({ platforms }) => platforms.includes(process.platform));
    this.#hosts = here.map((entry) => new ProfilerHost(entry, context));
    this.#titles = new Map(here.map(({ id, title }) => [id, title]));
    this.#vendors = new Map(here.map(({ id, vendor }) => [id, vendor]));
  }

  /** Tells which GPUs there are now. */
  setDevices(devices: readonly GpuDevice[]): void {
    for (const host of this.#hosts) host.setDevices(devices);
  }

  /** The reading that is sent, with the values of a preferred library. */
  prefer(device: GpuDevice, reading: GpuReading): GpuReading {
    return this.#hosts.reduce((read, host) => host.prefer(device, read), reading);
  }

  record(record: RecordPoint): void {
    for (const host of this.#hosts) host.record(record);
  }

  /** One line for `--check`: the libraries of the vendors that are here. */
  report(vendors: ReadonlySet<string>): readonly string[] {
    return this.#hosts
      .filter(({ id }) => vendors.has(this.#vendors.get(id) ?? ''))
      .map(({ id, unavailable }) => `${this.#titles.get(id) ?? id}: ${unavailable ?? 'in use'}`);
  }

  get settled(): Promise<unknown> {
    return Promise.all(this.#hosts.map(({ settled }) => settled));
  }

  host(id: ProfilerHost['id']): ProfilerHost | undefined {
    return this.#hosts.find((host) => host.id === id);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.stop()));
  }
}
