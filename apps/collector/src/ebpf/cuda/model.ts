/** Launches that wait for the end of their stream, in one stream and in all of them. */
const MAX_OPEN_IN_STREAM = 50_000;
const MAX_OPEN = 500_000;
const MAX_STREAMS = 1_000;
/** Spans kept between two readings; with more of them the last one is made longer. */
const MAX_SPANS = 10_000;
const STREAM_FORGOTTEN_NS = 30e9;

interface Stream {
  readonly device: number;
  times: number[];
  functions: number[];
  threads: number;
  last: number;
}

interface Span {
  readonly device: number;
  readonly start: number;
  end: number;
  /** Threads in flight at a time, as the mean of its launches. */
  readonly threads: number;
}

interface Process {
  readonly streams: Map<number, Stream>;
  spans: Span[];
}

/** How a process used a device in an interval. */
export interface Use {
  readonly pid: number;
  readonly device: number;
  /** Threads times seconds, no thread counted beyond what the device has. */
  readonly threadSeconds: number;
  /** Merged times in which something of it was on the device, in nanoseconds. */
  readonly busy: readonly (readonly [start: number, end: number])[];
}

/** A launch of a graph has no function. */
export const GRAPH = -1;

export type TakeDuration = (
  pid: number,
  device: number,
  fn: number,
  seconds: number,
  forced: boolean,
) => void;

/**
 * What launches and synchronisations tell of the time in between. A launch is open until a synchronisation of its stream
 * returns: at the latest then it has ended, so every time is an upper bound. Times are nanoseconds of the kernel's
 * monotonic clock.
 */
export class LaunchModel {
  readonly #processes = new Map<number, Process>();
  readonly #take: TakeDuration;
  #open = 0;
  #from: number;

  constructor(now: number, take: TakeDuration) {
    this.#from = now;
    this.#take = take;
  }

  get open(): number {
    return this.#open;
  }

  launch(pid: number, device: number, stream: number, time: number, fn: number, threads: number): void {
    let process = this.#processes.get(pid);
    if (process === undefined) {
      process = { streams: new Map(), spans: [] };
      this.#processes.set(pid, process);
    }
    const key = stream === 0 ? -1 - device : stream;
    let known = process.streams.get(key);
    if (known === undefined) {
      if (process.streams.size >= MAX_STREAMS) return;
      known = { device, times: [], functions: [], threads: 0, last: time };
      process.streams.set(key, known);
    }
    // Nobody waits for this stream: what is open is ended now, and marked so.
    if (known.times.length >= MAX_OPEN_IN_STREAM || this.#open >= MAX_OPEN) {
      this.#close(pid, process, known, time, time, true);
    }
    known.times.push(time);
    known.functions.push(fn);
    known.threads += threads;
    known.last = time;
    this.#open += 1;
  }

  /**
   * A wait for a stream has returned; 0 is the stream that all others of the process wait for. One for an event ends
   * what was launched `until` it was recorded.
   */
  streamEnded(pid: number, device: number, stream: number, time: number, until = time): void {
    if (stream === 0) return this.deviceEnded(pid, device, time, until);
    const process = this.#processes.get(pid);
    const known = process?.streams.get(stream);
    if (process !== undefined && known !== undefined) this.#close(pid, process, known, time, until, false);
  }

  /** A wait for all streams of a device has returned. */
  deviceEnded(pid: number, device: number, time: number, until = time): void {
    const process = this.#processes.get(pid);
    if (process === undefined) return;
    for (const stream of process.streams.values()) {
      if (stream.device === device) this.#close(pid, process, stream, time, until, false);
    }
  }

  #close(pid: number, process: Process, stream: Stream, time: number, until: number, forced: boolean): void {
    const { times, functions } = stream;
    // Launches stand in the order of the ring, which is that of their times but for calls of several threads at once.
    const ended = times.at(-1) ?? 0;
    const count = ended <= until ? times.length : times.findIndex((began) => began > until);
    const [first] = times;
    if (first === undefined || count === 0) return;
    for (const [at, began] of times.slice(0, count).entries()) {
      this.#take(pid, stream.device, functions[at] ?? 0, Math.max(0, time - began) / 1e9, forced);
    }
    this.#span(process, stream, first, Math.max(first, time));
    this.#open -= count;
    stream.threads *= (times.length - count) / times.length;
    stream.times = times.slice(count);
    stream.functions = functions.slice(count);
  }

  #span(process: Process, stream: Stream, start: number, end: number): void {
    const last = process.spans.at(-1);
    if (process.spans.length >= MAX_SPANS && last !== undefined) {
      last.end = Math.max(last.end, end);
      return;
    }
    process.spans.push({ device: stream.device, start, end, threads: stream.threads / stream.times.length });
  }

  /** Forgets what is open: its end was not or will not be seen. */
  forgetOpen(): void {
    for (const { streams } of this.#processes.values()) streams.clear();
    this.#open = 0;
  }

  forget(pid: number): void {
    for (const { times } of this.#processes.get(pid)?.streams.values() ?? []) this.#open -= times.length;
    this.#processes.delete(pid);
  }

  /** From now on time counts, after some in which nothing was seen. */
  resume(now: number): void {
    this.#from = now;
  }

  /** The use of every device since the last call, at most `cores` of its threads at a time. */
  use(now: number, cores: (pid: number, device: number) => number | undefined): Use[] {
    const from = this.#from;
    this.#from = now;
    const uses: Use[] = [];
    for (const [pid, process] of this.#processes) {
      const spans = process.spans;
      process.spans = [];
      for (const [key, stream] of process.streams) {
        const [first] = stream.times;
        if (first !== undefined) {
          const threads = stream.threads / stream.times.length;
          spans.push({ device: stream.device, start: first, end: now, threads });
        } else if (now - stream.last > STREAM_FORGOTTEN_NS) process.streams.delete(key);
      }
      if (process.streams.size === 0 && spans.length === 0) this.#processes.delete(pid);
      for (const device of new Set(spans.map((span) => span.device))) {
        const own = spans.filter((span) => span.device === device && span.end > from && span.start < now);
        const limit = cores(pid, device) ?? Number.MAX_SAFE_INTEGER;
        let threadSeconds = 0;
        const times = own.map((span): [number, number] => {
          const [start, end] = [Math.max(from, span.start), Math.min(now, span.end)];
          threadSeconds += ((end - start) / 1e9) * Math.min(span.threads, limit);
          return [start, end];
        });
        if (times.length > 0) uses.push({ pid, device, threadSeconds, busy: merge(times) });
      }
    }
    return uses;
  }
}

/** The union of intervals. */
export function merge(intervals: readonly (readonly [number, number])[]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [start, end] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

export const lengthOf = (intervals: readonly (readonly [number, number])[]): number =>
  intervals.reduce((sum, [start, end]) => sum + end - start, 0);
