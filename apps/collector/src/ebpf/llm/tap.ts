import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Pid } from '../../host/proc/pid.ts';
import type { HostPaths } from '../../host-paths.ts';
import type { Kernel } from '../loader/native.ts';
import type { BpfObject } from '../loader/object.ts';
import { type Link, LoadedObject, type Way } from '../loader/programs.ts';
import { refusalOf } from '../loader/refusal.ts';
import { RingReader } from '../loader/ring.ts';
import { callOf } from './calls.ts';
import { Connection } from './connection.ts';
import { hostOf } from './exchange.ts';
import { attachTo } from './probes.ts';
import { type Span, spanOf, type Speaker } from './spans.ts';

export interface Target extends Speaker {
  readonly start: number;
}
/** A TCP connection that a process of this host began. */
export interface Connect {
  readonly pid: number;
  readonly address: string;
  readonly port: number;
}
export interface TargetStatus {
  readonly state: 'attached' | 'unavailable';
  readonly detail: string;
}

const HEADER = 32;
const CHUNK_BYTES = 4_096;
const CHUNKS = 16;
const [READ, CLOSE, SERVER, CONNECT] = [0, 2, 3, 4] as const;
const MAX_CONNECTS = 1_000;
const MAX_HOSTS = 32;
/** Field 28 of `/proc/<pid>/stat`, counted from the state. */
const START_STACK = 25;
const MAX_CONNECTIONS = 10_000;

interface Watched {
  target: Target;
  readonly image: string;
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
  readonly #now: () => bigint;
  /** From the clock of the kernel's records to that of the wall. */
  readonly #offset: bigint;
  readonly #hosts = new Map<string, Set<string>>();
  #connects: Connect[] = [];
  #tracepoint: Link | undefined;
  #lostBefore = 0;
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
    this.#now = () => kernel.monotonicNs();
    this.#offset = BigInt(Date.now()) * 1_000_000n - this.#now();
    this.#object = LoadedObject.load(kernel, object, ways);
    this.#ring = new RingReader(kernel, this.#object.map('ring'));
    this.#paths = paths;
    this.#tell = tell;
  }

  /** Listens to connections of all processes from now on. @throws SystemCallError where the kernel does not let us */
  listen(): void {
    this.#tracepoint ??= this.#object.attachTracepoint('inet_sock_set_state');
  }
  /** Connections since the last time it was asked; the newest, if there were too many. */
  connects(): readonly Connect[] {
    return this.#connects.splice(0);
  }

  /** Watches these and no others. A process that is another one by now, or runs another program, is looked at anew. */
  watch(targets: readonly Target[]): void {
    const wanted = new Map(targets.map((target) => [target.pid, target]));
    for (const [pid, watched] of this.#watched) {
      const now = wanted.get(pid);
      const same =
        now?.start === watched.target.start && this.#is(now) && this.#imageOf(pid) === watched.image;
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
  /** What a process runs: its program, and where that lies in memory, which is another place after each exec. */
  #imageOf(pid: number): string {
    try {
      const stat = readFileSync(join(this.#paths.proc, String(pid), 'stat'), 'latin1');
      return `${this.#exeOf(pid)} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_STACK] ?? ''}`;
    } catch {
      return '';
    }
  }

  #enter(target: Target): void {
    const { pid } = target;
    const exe = this.#exeOf(pid);
    const image = this.#imageOf(pid);
    const out = (detail: string) =>
      this.#watched.set(pid, {
        target,
        image,
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
        image,
        close: () => {
          for (const link of links) link.close();
        },
        status: { state: 'attached', detail: `probes on ${files.join(', ')}` },
      });
    } catch (thrown) {
      out(refusalOf(thrown, this.#paths));
    }
  }

  #leave(pid: number, { close, target: { workload } }: Watched): void {
    close();
    this.#watched.delete(pid);
    if (![...this.#watched.values()].some(({ target }) => target.workload === workload))
      this.#hosts.delete(workload);
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

  /** Who the programs of a workload called, by the names they gave (SNI, `Host`). */
  hostsOf(workload: string): readonly string[] {
    return [...(this.#hosts.get(workload) ?? [])];
  }
  #called(workload: string, host: string | undefined): void {
    if (host === undefined || !/^[\w.:[\]-]{1,255}$/.test(host)) return;
    const hosts = this.#hosts.get(workload) ?? new Set();
    this.#hosts.set(workload, hosts);
    if (hosts.size < MAX_HOSTS) hosts.add(host.toLowerCase());
  }

  /** Reads what has come. Returns how many records. */
  drain(): number {
    const count = this.#ring.read((bytes, at) => this.#record(bytes.subarray(at)));
    const { ring } = this.lost();
    if (ring > this.#lostBefore) {
      this.#lostBefore = ring;
      // Nobody knows whose they were: better a call that is said to be broken than one that is told wrong.
      for (const connection of this.#connections.values()) connection.lose(this.#now());
    }
    return count;
  }

  #record(record: Buffer): void {
    const time = record.readBigUInt64LE(0);
    const stream = record.readBigUInt64LE(8);
    const pid = record.readUInt32LE(16);
    const total = record.readUInt32LE(20);
    const kind = record.readUInt16LE(24);
    const size = record.readUInt16LE(26);
    const offset = record.readUInt32LE(28);
    if (kind === CONNECT) {
      const connect = connectOf(pid, record.subarray(HEADER, HEADER + size));
      if (this.#connects.length >= MAX_CONNECTS) this.#connects.shift();
      this.#connects.push(connect);
      return;
    }
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
        if (call === undefined) return;
        this.#called(target.workload, hostOf(exchange));
        this.#tell(target, spanOf(exchange, call, target, this.#offset));
      });
      this.#connections.set(key, connection);
    }
    if (kind === SERVER) {
      const name = record.toString('latin1', HEADER, HEADER + size);
      connection.server = /^[\w.-]{1,253}$/.test(name) ? name : undefined;
      this.#called(watched.target.workload, connection.server);
      return;
    }
    const side = kind === READ ? 'read' : 'written';
    connection.push(side, record.subarray(HEADER, HEADER + size), time);
    const most = CHUNKS * CHUNK_BYTES;
    if (total > most && offset + size === most) connection.skip(side, total - most, time);
  }

  close(): void {
    this.#tracepoint?.close();
    for (const [pid, watched] of this.#watched) this.#leave(pid, watched);
    this.#ring.close();
    this.#object.close();
  }
}

/** Port and address in the order of the network. */
function connectOf(pid: number, bytes: Buffer): Connect {
  const port = bytes.readUInt16BE(0);
  const rest = bytes.subarray(2);
  const mapped = rest.length === 16 && rest.subarray(0, 12).equals(MAPPED) ? rest.subarray(12) : rest;
  if (mapped.length === 4) return { pid, port, address: mapped.join('.') };
  const groups = Array.from({ length: 8 }, (_, at) => mapped.readUInt16BE(2 * at).toString(16));
  return { pid, port, address: new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1) };
}
const MAPPED = Buffer.from('00000000000000000000ffff', 'hex');
