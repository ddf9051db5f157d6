import { collectorGpuDcgmSampleValid, collectorGpuScrapeErrors } from '@candela/semconv/metrics';
import type { RecordPoint, SourceContext } from '../../source.ts';
import type { GpuDevice, GpuReading } from '../device.ts';
import { recordActivity } from '../points.ts';
import { ProfilerThread } from '../thread.ts';
import type { ProfilerEntry } from './libraries.ts';
import { Preference } from './prefer.ts';
import type { ProfileRound, ProfileSample } from './profiler.ts';
import type { ProfilerAnswer, ProfilerAsk } from './thread-main.ts';

/** An engine that starts within this process loads modules and looks at every GPU. */
const OPEN_MS = 20_000;
const CALL_MS = 5_000;
/** After a library could not be opened, or was lost. */
const RETRY_SECONDS = 30;
/** A round that is older than so many intervals says nothing of now. */
const STALE_INTERVALS = 3;
/** A pause that nobody ends, ends. */
const MAX_PAUSE_SECONDS = 3_600;

type Why = 'blank_sample' | 'api_error';

/** One profiling library behind its thread: sampled at its own interval, and told at every tick. */
export class ProfilerHost {
  readonly #entry: ProfilerEntry;
  readonly #context: SourceContext;
  readonly #preference: Preference | undefined;
  readonly #intervalSeconds: number;
  readonly #errors = new Map<Why, number>();
  readonly #samples = new Map<string, ProfileSample>();
  #devices: readonly GpuDevice[] = [];
  #thread: ProfilerThread | undefined;
  #open = false;
  #hangs = false;
  #turning: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #roundAt: number | undefined;
  #pausedUntil = 0;
  #reason: string;
  #stopped = false;
  /** The error that was told last: once a change, not once a round. */
  #said = '';

  constructor(entry: ProfilerEntry, context: SourceContext) {
    this.#entry = entry;
    this.#context = context;
    this.#intervalSeconds = entry.intervalSeconds(context.config);
    this.#reason = entry.off(context.config) ?? `no GPU of its vendor`;
    if (entry.prefer(context.config)) this.#preference = new Preference(this.#intervalSeconds);
  }

  get id(): ProfilerEntry['id'] {
    return this.#entry.id;
  }

  /** In one line, for `--check`; undefined while it samples. */
  get unavailable(): string | undefined {
    return this.#open ? undefined : this.#reason;
  }

  /** Tells which GPUs there are now. The first of its vendor's loads the library, none at all ends it. */
  setDevices(all: readonly GpuDevice[]): void {
    if (this.#entry.off(this.#context.config) !== undefined || this.#stopped) return;
    this.#devices = all.filter(({ vendor }) => vendor === this.#entry.vendor);
    const ids = new Set(this.#devices.map(({ id }) => id));
    for (const id of this.#samples.keys()) if (!ids.has(id)) this.#samples.delete(id);
    this.#preference?.keep(ids);
    if (ids.size > 0 && this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#turn(), this.#intervalSeconds * 1_000);
      this.#timer.unref();
      void this.#turn();
    } else if (ids.size === 0 && this.#timer !== undefined) {
      this.#reason = 'no GPU of its vendor';
      void this.#end();
    }
  }

  /** The turn that is under way, for who wants to wait for the first sample. */
  get settled(): Promise<void> {
    return this.#turning ?? Promise.resolve();
  }

  #turn(): Promise<void> {
    this.#turning ??= this.#sample().finally(() => {
      this.#turning = undefined;
    });
    return this.#turning;
  }

  async #sample(): Promise<void> {
    const now = this.#context.monotonic();
    if (this.#hangs || now < this.#notBefore) return this.#expire(now);
    if (this.#pausedUntil !== 0) {
      if (now < this.#pausedUntil) return this.#expire(now);
      await this.resume();
    }
    if (!this.#open && !(await this.#begin())) return;
    const answer = await this.#ask('read', CALL_MS);
    if (answer.op === 'read') this.#take(answer.round, this.#context.monotonic());
    else if (answer.op === 'failed') await this.#lost(answer.message);
    this.#expire(this.#context.monotonic());
  }

  async #begin(): Promise<boolean> {
    const { config, paths, log } = this.#context;
    const { dcgm } = config.gpu;
    this.#thread ??= new ProfilerThread(
      {
        profiler: this.#entry.id,
        settings: {
          paths,
          libraries: this.#entry.libraries(config),
          dcgm: { address: dcgm.address, intervalSeconds: dcgm.intervalSeconds, fields: dcgm.fields },
        },
      },
      (level, message, fields) => log[level](message, fields),
    );
    const answer = await this.#ask('open', OPEN_MS);
    if (answer.op === 'done') {
      this.#open = true;
      log.info('GPU profiling library is in use', { library: this.#entry.title });
      return true;
    }
    if (answer.op === 'failed') {
      this.#unavailable(answer.message);
      await this.#dropThread();
    }
    return false;
  }

  /** Asks the thread. One that does not come back is abandoned, and none takes its place before it does. */
  async #ask(op: ProfilerAsk['op'], milliseconds: number): Promise<ProfilerAnswer | { readonly op: 'none' }> {
    const thread = this.#thread;
    if (thread === undefined) return { op: 'none' };
    const outcome = await thread.ask({ op }, milliseconds, () => {
      this.#hangs = false;
    });
    if (outcome.op === 'late') {
      this.#hangs = true;
      this.#thread = undefined;
      this.#open = false;
      this.#count('api_error', 1);
      this.#unavailable(`it has not answered for ${milliseconds / 1_000} s`);
      return { op: 'none' };
    }
    if (outcome.op === 'ended') {
      this.#thread = undefined;
      return { op: 'failed', message: outcome.message };
    }
    return outcome;
  }

  #take({ samples, errors }: ProfileRound, now: number): void {
    this.#roundAt = now;
    this.#count('api_error', errors.length);
    if (errors.length > 0) this.#say(errors[0] ?? '');
    const told = new Set<string>();
    for (const sample of samples) {
      const device = this.#deviceOf(sample);
      if (device === undefined) continue;
      told.add(device.id);
      if (sample.blank) this.#count('blank_sample', 1);
      this.#samples.set(device.id, sample);
      this.#preference?.sampled(device.id, sample);
    }
    // One that failed has no sample: its vendor takes over at once.
    for (const { id } of this.#devices) if (!told.has(id)) this.#forget(id);
  }

  #deviceOf({ device: { ...of } }: ProfileSample): GpuDevice | undefined {
    const found = this.#devices.filter(({ id, pciAddress, partition }) => {
      if ('pci' in of) return partition === undefined && pciAddress === of.pci;
      if (of.instance === undefined) return id === of.uuid;
      return partition?.parent === of.uuid && partition.mig?.instanceId === of.instance;
    });
    // Several that compute within one instance share what is measured of it: it is none of theirs.
    return found.length === 1 ? found[0] : undefined;
  }

  /** What nobody renewed for long is given up. */
  #expire(now: number): void {
    if (this.#roundAt === undefined || now - this.#roundAt <= STALE_INTERVALS * this.#intervalSeconds) return;
    this.#roundAt = undefined;
    for (const { id } of this.#devices) this.#forget(id);
  }

  #forget(id: string): void {
    this.#samples.delete(id);
    this.#preference?.sampled(id, undefined);
  }

  async #lost(message: string): Promise<void> {
    this.#count('api_error', 1);
    this.#unavailable(message);
    for (const { id } of this.#devices) this.#forget(id);
    await this.#dropThread();
  }

  async #dropThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#open = false;
    await thread?.stop();
  }

  #unavailable(reason: string): void {
    this.#notBefore = this.#context.monotonic() + RETRY_SECONDS;
    if (this.#reason !== reason) {
      this.#context.log.info('GPU profiling library is not in use', {
        library: this.#entry.title,
        reason,
        again_in_s: RETRY_SECONDS,
      });
    }
    this.#reason = reason;
  }

  #say(error: string): void {
    if (this.#said !== error) this.#context.log.warn('GPU profiling library failed', { detail: error });
    this.#said = error;
  }

  #count(why: Why, by: number): void {
    if (by > 0) this.#errors.set(why, (this.#errors.get(why) ?? 0) + by);
  }

  /**
   * The reading that is sent: with the values of this library where they are preferred. How busy the parts of a device are
   * is told once, by whoever measures it for long.
   */
  prefer(device: GpuDevice, reading: GpuReading): GpuReading {
    const ours = this.#preference !== undefined && this.#devices.some(({ id }) => id === device.id);
    const preferred = ours ? (this.#preference?.apply(device, reading) ?? reading) : reading;
    if (preferred.activity === undefined || !this.#samples.has(device.id)) return preferred;
    const { activity: _, ...rest } = preferred;
    return rest;
  }

  /** What only this library tells, and how it goes with it. */
  record(record: RecordPoint): void {
    this.#expire(this.#context.monotonic());
    const source = { 'gpu.measurement.source': this.#entry.id };
    const tells = this.#entry.id === 'dcgm' && (this.#open || this.#roundAt !== undefined);
    for (const device of this.#devices) {
      const sample = this.#samples.get(device.id);
      if (tells && device.partition === undefined) {
        const which = { 'hw.id': device.id, 'gpu.index': device.index };
        record(collectorGpuDcgmSampleValid, sample === undefined || sample.blank ? 0 : 1, which);
      }
      if (sample !== undefined) recordActivity(record, device, sample.activity, this.#entry.id);
    }
    for (const [type, count] of this.#errors) {
      record(collectorGpuScrapeErrors, count, { ...source, 'error.type': type });
    }
  }

  /**
   * Leaves the counters to another profiler for so many seconds, at most `MAX_PAUSE_SECONDS`.
   * Says why it cannot; undefined when it did.
   */
  async pause(seconds: number): Promise<string | undefined> {
    if (!this.#open) return `${this.#entry.title} is not in use: ${this.#reason}.`;
    await this.#turning;
    const answer = await this.#ask('pause', CALL_MS);
    if (answer.op !== 'done') return this.#refused(answer);
    this.#pausedUntil = this.#context.monotonic() + Math.min(MAX_PAUSE_SECONDS, seconds);
    return undefined;
  }

  /** Takes them again. Says why it cannot; undefined when it did, or there was nothing to resume. */
  async resume(): Promise<string | undefined> {
    if (this.#pausedUntil === 0) return this.#open ? undefined : `${this.#entry.title} is not in use.`;
    this.#pausedUntil = 0;
    const answer = await this.#ask('resume', CALL_MS);
    return answer.op === 'done' ? undefined : this.#refused(answer);
  }

  #refused(answer: ProfilerAnswer | { readonly op: 'none' }): string {
    return answer.op === 'failed' ? answer.message : `${this.#entry.title} does not answer.`;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#turning;
    this.#samples.clear();
    this.#roundAt = undefined;
    await this.#dropThread();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#end();
  }
}
