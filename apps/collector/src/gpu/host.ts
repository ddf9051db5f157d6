import type { GpuDevice, GpuErrorCounts, GpuReading } from './device.ts';
import type { PciGpu } from './pci.ts';
import { errorText } from '../log.ts';
import { VendorThread } from './thread.ts';
import type { GpuFailure, Probe, Tell, VendorSettings } from './vendor.ts';
import type { VendorEntry } from './vendors.ts';

/** Time one device may take. A reading is some dozens of calls of microseconds to milliseconds each. */
const DEVICE_MS = 1_000;
/** After this nobody is asked any more in a tick; with the last device it stays below the budget of the source. */
const ROUND_MS = 2_500;
/** A driver that was idle brings up its devices first, some seconds for each. */
const PROBE_MS = 30_000;
/** Threads of a vendor that may hang at once; when all do, nothing of it is asked until one is back. */
const MAX_STUCK = 3;

export type Read =
  | { readonly reading: GpuReading }
  | {
      readonly failure: GpuFailure | 'timeout';
      readonly message: string;
      readonly errors?: GpuErrorCounts | undefined;
    };

/**
 * One vendor behind its thread. A device whose calls hang costs itself alone: its thread is abandoned, another is begun
 * that leaves it out, and it is asked again when its call has come back.
 */
export class VendorHost {
  readonly #entry: VendorEntry;
  readonly #settings: VendorSettings;
  readonly #tell: Tell;
  /** Devices that hang, by id. */
  readonly #hanging = new Map<string, GpuDevice>();
  readonly #askedAt = new Map<string, number>();
  /** Devices that have not answered in time since their last reading. */
  readonly #slow = new Set<string>();
  #thread: VendorThread | undefined;
  #pci: readonly PciGpu[] = [];
  /** What the last probe found, with what was left out of it. */
  #found: readonly GpuDevice[] = [];
  #probing: Promise<unknown> = Promise.resolve();
  /** The last look left devices out: somebody should look again. */
  #partial = false;
  /** Probes asked for and not answered. */
  #probes = 0;
  /** A device that was left out is back: the thread does not know it. */
  #outdated = false;
  #stuck = 0;
  #round = 0;

  constructor(entry: VendorEntry, settings: VendorSettings, tell: Tell) {
    this.#entry = entry;
    this.#settings = settings;
    this.#tell = tell;
  }

  /** Looks for devices, in the present thread or a new one. Those that hang are left out. */
  probe(pci: readonly PciGpu[]): Promise<Probe> {
    this.#probes += 1;
    const probed = this.#probing
      .then(() => this.#probe(pci))
      // A thread that could not be begun: there may be memory for it later.
      .catch((thrown: unknown): Probe => ({ state: 'unavailable', reason: errorText(thrown) }))
      .finally(() => {
        this.#probes -= 1;
      });
    this.#probing = probed;
    return probed;
  }

  /** Whether the last look left devices out, because they or all threads hung: what it found is not all there is. */
  get partial(): boolean {
    return this.#partial;
  }

  async #probe(pci: readonly PciGpu[]): Promise<Probe> {
    this.#pci = pci;
    // As of the asking: one that is back when the answer comes was not asked about.
    const left = this.#found.filter((device) => this.#hangs(device));
    this.#partial = this.#stuck > 0;
    if (this.#stuck >= MAX_STUCK) {
      // Who is there is not known now; that they are gone is not known either.
      return this.#found.length > 0
        ? { state: 'found', devices: this.#found }
        : { state: 'unavailable', reason: 'its driver does not answer' };
    }
    this.#outdated = false;
    const asked = pci.filter(({ address }) => !this.#hangsAt(address));
    // Without addresses a vendor looks for itself, and would come upon what hangs.
    if (asked.length === 0 && pci.length > 0) return this.#with(left, { state: 'found', devices: [] });
    const thread = (this.#thread ??= new VendorThread(
      { vendor: this.#entry.id, settings: this.#settings },
      this.#tell,
    ));
    const outcome = await thread.ask({ op: 'probe', pci: asked }, PROBE_MS, () => {
      this.#stuck -= 1;
    });
    if (outcome.op === 'probe') return this.#with(left, outcome.probe);
    this.#thread = undefined;
    if (outcome.op === 'late') {
      this.#stuck += 1;
      return { state: 'unavailable', reason: `its driver has not answered for ${PROBE_MS / 1_000} s` };
    }
    if (outcome.op === 'failed') await thread.stop();
    return { state: 'unavailable', reason: 'message' in outcome ? outcome.message : 'its thread ended' };
  }

  /** What was left out is there still. */
  #with(left: readonly GpuDevice[], probe: Probe): Probe {
    if (probe.state === 'unavailable') return probe;
    const ids = new Set(left.map(({ id }) => id));
    this.#found = [...probe.devices.filter(({ id }) => !ids.has(id)), ...left];
    return { state: 'found', devices: this.#found };
  }

  /** With a GPU its partitions hang, and it with them. */
  #hangs({ id, pciAddress }: GpuDevice): boolean {
    return this.#hanging.has(id) || (pciAddress !== undefined && this.#hangsAt(pciAddress));
  }

  #hangsAt(address: string): boolean {
    return [...this.#hanging.values()].some(({ pciAddress }) => pciAddress === address);
  }

  /**
   * Reads devices: those that hung before come last, among the others those that wait longest come first. Absent: its turn
   * comes in the next round.
   */
  async read(devices: readonly GpuDevice[], signal: AbortSignal): Promise<Map<string, Read>> {
    const reads = new Map<string, Read>();
    const until = performance.now() + ROUND_MS;
    this.#round += 1;
    const rank = ({ id }: GpuDevice): number =>
      (this.#slow.has(id) ? Number.MAX_SAFE_INTEGER / 2 : 0) + (this.#askedAt.get(id) ?? 0);
    const order = devices.toSorted((a, b) => rank(a) - rank(b));
    let goesOn = true;
    for (const device of order) {
      if (this.#hangs(device)) {
        reads.set(device.id, { failure: 'timeout', message: 'an earlier call has not returned' });
        continue;
      }
      const left = until - performance.now();
      goesOn = goesOn && left > 0 && !signal.aborted && (await this.#ready(left));
      if (!goesOn) continue;
      this.#askedAt.set(device.id, this.#round);
      reads.set(device.id, await this.#read(device));
    }
    const known = new Set(devices.map(({ id }) => id));
    for (const id of this.#askedAt.keys()) if (!known.has(id)) this.#askedAt.delete(id);
    for (const id of this.#slow) if (!known.has(id)) this.#slow.delete(id);
    return reads;
  }

  /** Whether a thread that knows its devices is there, within `milliseconds`; one is begun if there is none. */
  async #ready(milliseconds: number): Promise<boolean> {
    if (this.#probes === 0 && (this.#thread === undefined || this.#outdated)) void this.probe(this.#pci);
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), milliseconds);
    await Promise.race([this.#probing, late.promise]);
    clearTimeout(timer);
    return this.#probes === 0 && this.#thread !== undefined;
  }

  async #read(device: GpuDevice): Promise<Read> {
    const thread = this.#thread;
    if (thread === undefined) return { failure: 'failed', message: 'there is no thread' };
    const outcome = await thread.ask({ op: 'read', id: device.id }, DEVICE_MS, () => {
      this.#stuck -= 1;
      this.#hanging.delete(device.id);
      this.#outdated = true;
      this.#tell('info', 'a GPU answers again', { gpu: device.id });
    });
    if (outcome.op === 'read') {
      this.#slow.delete(device.id);
      return { reading: outcome.reading };
    }
    if (outcome.op === 'failed') {
      const { failure, message, errors } = outcome;
      return { failure, message, errors };
    }
    this.#thread = undefined;
    if (outcome.op !== 'late') {
      return { failure: 'failed', message: outcome.op === 'ended' ? outcome.message : 'no reading came' };
    }
    this.#stuck += 1;
    this.#hanging.set(device.id, device);
    this.#slow.add(device.id);
    this.#tell('warn', 'a GPU does not answer; it is left out until its call returns', { gpu: device.id });
    return { failure: 'timeout', message: `it has not answered for ${DEVICE_MS} ms` };
  }

  /** Ends the present thread; the next probe begins another, which loads the library anew. */
  async restart(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.stop();
  }
}
