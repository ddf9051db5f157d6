import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Pid } from '../../host/proc/pid.ts';
import type { HostPaths } from '../../host-paths.ts';
import type { Kernel } from '../loader/native.ts';
import type { BpfObject } from '../loader/object.ts';
import { LoadedObject, type Way } from '../loader/programs.ts';
import { refusalOf } from '../loader/refusal.ts';
import { RingReader } from '../loader/ring.ts';
import { callOf } from './calls.ts';
import { Connection } from './connection.ts';
import { attachTo } from './probes.ts';
import { type Span, spanOf, type Speaker } from './spans.ts';

export interface Target extends Speaker {
  readonly start: number;
}
export interface TargetStatus {
  readonly state: 'attached' | 'unavailable';
  readonly detail: string;
}

const HEADER = 32;
const CHUNK_BYTES = 4_096;
const CHUNKS = 16;
const [READ, CLOSE] = [0, 2] as const;
const MAX_CONNECTIONS = 10_000;

interface Watched {
  target: Target;
  readonly exe: string;
  readonly close: () => void;
  readonly status: TargetStatus;
}

/** Watches the TLS of processes and tells the calls of models that they make. */
export class LlmTap {
  readonly #object: LoadedObject;
  readonly #ring: RingReader;
  readonly #paths: HostPaths;
  readonly #tell: (target: Target, span: Span) => void;
  readonly #watched = new Map<number, Watched>();
  readonly #connections = new Map<string, Connection>();
  readonly #offset = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
  /** Connections that were given up for want of room. */
  crowded = 0;

  /** @throws SystemCallError where the kernel has no room for it */
  constructor(
    kernel: Kernel,
    object: BpfObject,
    paths: HostPaths,
    tell: (target: Target, span: Span) => void,
    ways?: readonly Way[],
  ) {
    this.#object = LoadedObject.load(kernel, object, ways);
    this.#ring = new RingReader(kernel, this.#object.map('ring'));
    this.#paths = paths;
    this.#tell = tell;
  }

  /** Watches these and no others. A process that is another one by now, or runs another program, is looked at anew. */
  watch(targets: readonly Target[]): void {
    const wanted = new Map(targets.map((target) => [target.pid, target]));
    for (const [pid, watched] of this.#watched) {
      const now = wanted.get(pid);
      const same = now?.start === watched.target.start && this.#is(now) && this.#exeOf(pid) === watched.exe;
      if (now !== undefined && same && watched.status.state === 'attached') watched.target = now;
      else this.#leave(pid, watched);
    }
    for (const target of targets) if (!this.#watched.has(target.pid)) this.#enter(target);
  }

  #is({ pid, start }: Target): boolean {
    return new Pid(this.#paths, pid).stat()?.startTicks === start;
  }
  #exeOf(pid: number): string {
    try {
      return readlinkSync(join(this.#paths.proc, String(pid), 'exe'));
    } catch {
      return '';
    }
  }

  #enter(target: Target): void {
    const { pid } = target;
    const exe = this.#exeOf(pid);
    const out = (detail: string) =>
      this.#watched.set(pid, {
        target,
        exe,
        close: () => undefined,
        status: { state: 'unavailable', detail },
      });
    if (!this.#is(target)) return void out('the process has ended');
    try {
      const { links, reason, files } = attachTo(
        this.#object,
        this.#paths,
        pid,
        exe.replace(/ \(deleted\)$/, ''),
      );
      if (reason !== undefined) return void out(reason);
      this.#watched.set(pid, {
        target,
        exe,
        close: () => {
          for (const link of links) link.close();
        },
        status: { state: 'attached', detail: `probes on ${files.join(', ')}` },
      });
    } catch (thrown) {
      out(refusalOf(thrown, this.#paths));
    }
  }

  #leave(pid: number, { close }: Watched): void {
    close();
    this.#watched.delete(pid);
    for (const key of this.#connections.keys()) if (key.startsWith(`${pid} `)) this.#connections.delete(key);
  }

  /** By workload: attached when one of its processes is. */
  status(): ReadonlyMap<string, TargetStatus & { readonly content: boolean }> {
    const found = new Map<string, TargetStatus & { content: boolean }>();
    for (const { target, status } of this.#watched.values()) {
      if (found.get(target.workload)?.state === 'attached') continue;
      found.set(target.workload, { ...status, content: target.content });
    }
    return found;
  }

  /** Records that found no room in the ring, and writes of which the end was left out. */
  lost(): { readonly ring: number; readonly long: number } {
    const read = (index: number) => {
      const key = Buffer.alloc(4);
      key.writeUInt32LE(index);
      return Number(this.#object.map('drops').get(key)?.readBigUInt64LE(0) ?? 0n);
    };
    return { ring: read(0), long: read(1) };
  }

  /** Reads what has come. Returns how many records. */
  drain(): number {
    return this.#ring.read((bytes, at) => this.#record(bytes.subarray(at)));
  }

  #record(record: Buffer): void {
    const time = record.readBigUInt64LE(0);
    const stream = record.readBigUInt64LE(8);
    const pid = record.readUInt32LE(16);
    const total = record.readUInt32LE(20);
    const kind = record.readUInt16LE(24);
    const size = record.readUInt16LE(26);
    const offset = record.readUInt32LE(28);
    const watched = this.#watched.get(pid);
    if (watched === undefined) return;
    const key = `${pid} ${stream}`;
    if (kind === CLOSE) {
      this.#connections.get(key)?.close(time);
      this.#connections.delete(key);
      return;
    }
    let connection = this.#connections.get(key);
    if (connection === undefined) {
      if (this.#connections.size >= MAX_CONNECTIONS) {
        const [oldest = ''] = this.#connections.keys();
        this.#connections.delete(oldest);
        this.crowded += 1;
      }
      connection = new Connection((exchange) => {
        const { target } = watched;
        const call = callOf(exchange, target.content);
        if (call !== undefined) this.#tell(target, spanOf(exchange, call, target, this.#offset));
      });
      this.#connections.set(key, connection);
    }
    const side = kind === READ ? 'read' : 'written';
    connection.push(side, record.subarray(HEADER, HEADER + size), time);
    const most = CHUNKS * CHUNK_BYTES;
    if (total > most && offset + size === most) connection.skip(side, total - most, time);
  }

  close(): void {
    for (const [pid, watched] of this.#watched) this.#leave(pid, watched);
    this.#ring.close();
    this.#object.close();
  }
}
