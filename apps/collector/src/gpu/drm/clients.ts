import { existsSync } from 'node:fs';
import { readLink, readNames } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';
import { isHostPidView } from '../processes/view.ts';
import { driverText } from './driver-files.ts';
import { type DrmClient, type EngineUse, parseFdinfo } from './fdinfo.ts';

const MAX_PROCESSES = 100_000;
const MAX_DESCRIPTORS = 16_384;
const MAX_FDINFO_BYTES = 65_536;
/** Milliseconds for looking at processes that had nothing to do with graphics before; the others go on at the next scan. */
const SEARCH_BUDGET_MS = 200;
/** Seconds after which such a process, and what else a process with a device holds, is looked at again. */
const SEARCH_AGAIN_S = 30;
/** Seconds for which the descriptors of such a process need not be followed as long as it has the same ones. */
const SAME_DESCRIPTORS_S = 600;
/** All devices of a tick share a scan: seconds. */
const SHARED_S = 0.5;
/** Shorter than this, growth over time says nothing. Seconds. */
const MIN_INTERVAL_S = 0.05;

/** What a process did with a device since the scan before. */
export interface DrmProcess {
  readonly pid: number;
  /** Bytes by region. */
  readonly memory: ReadonlyMap<string, number>;
  /** 0 to 1 by engine; absent at the first sight of a client. */
  readonly engines: ReadonlyMap<string, number>;
}

export interface DrmUse {
  readonly processes: readonly DrmProcess[];
  /** Every process could be looked at: what all of them did is what the device did. */
  readonly complete: boolean;
}

interface Seen {
  readonly busy: bigint;
  readonly total: bigint | undefined;
  readonly at: number;
}

interface Building {
  readonly memory: Map<string, number>;
  readonly engines: Map<string, number>;
}

/** One descriptor for each client of a process, and when they were looked for. */
interface Held {
  readonly descriptors: readonly string[];
  readonly at: number;
  readonly followed: number;
  readonly names: number;
}

/** A process that held no device when it was looked at. */
interface Idle {
  readonly at: number;
  /** It is somebody else's, and we may not look. */
  readonly refused: boolean;
  /** When its descriptors were followed, and what tells whether they are the same. */
  readonly followed: number;
  readonly names: number;
}

/** A number that differs when other descriptors are open. */
const fingerprint = (names: readonly string[]): number =>
  names.reduce((hash, name) => (Math.imul(hash, 31) + Number(name)) | 0, names.length);

const keyOf = ({ address, client }: DrmClient): string => `${address} ${client}`;

/** Finds the processes that hold graphics devices, by their descriptors. For drivers that keep count in fdinfo. */
export class DrmClients {
  readonly #proc: string;
  readonly #now: () => number;
  readonly #idle = new Map<number, Idle>();
  /** Processes that hold devices. */
  #holders: Map<number, Held> = new Map();
  #seen = new Map<string, Seen>();
  #scanned:
    | { readonly at: number; readonly byAddress: ReadonlyMap<string, ReadonlyMap<number, Building>> }
    | undefined;
  #complete = false;

  readonly #hostView: boolean;

  /** `now` gives monotonic seconds. */
  constructor(paths: HostPaths, now: () => number) {
    this.#proc = paths.proc;
    this.#now = now;
    this.#hostView = isHostPidView(paths, readLink);
  }

  /** Who uses the device at this PCI address. */
  use(address: string): DrmUse {
    const now = this.#now();
    if (this.#scanned === undefined || now - this.#scanned.at >= SHARED_S) {
      this.#scanned = { at: now, byAddress: this.#scan(now) };
    }
    const found = this.#scanned.byAddress.get(address) ?? new Map<number, Building>();
    return {
      processes: [...found].map(([pid, { memory, engines }]) => ({ pid, memory, engines })),
      complete: this.#complete,
    };
  }

  #scan(now: number): ReadonlyMap<string, ReadonlyMap<number, Building>> {
    const pids = (readNames(this.#proc, MAX_PROCESSES) ?? [])
      .filter((name) => /^\d{1,10}$/.test(name))
      .map(Number);
    const present = new Set(pids);
    for (const pid of this.#idle.keys()) if (!present.has(pid)) this.#idle.delete(pid);
    const held = this.#holders;
    this.#holders = new Map();
    const until = performance.now() + SEARCH_BUDGET_MS;
    // Who held one before comes first, then who was not looked at for longest.
    const order = pids.toSorted(
      (a, b) =>
        Number(held.has(b)) - Number(held.has(a)) ||
        (this.#idle.get(a)?.at ?? 0) - (this.#idle.get(b)?.at ?? 0) ||
        a - b,
    );
    const clients: { readonly pid: number; readonly client: DrmClient }[] = [];
    for (const pid of order) {
      const known = held.get(pid);
      const idle = this.#idle.get(pid);
      if (known === undefined && idle !== undefined && now - idle.at < SEARCH_AGAIN_S) continue;
      if (known === undefined && performance.now() > until) break;
      for (const client of this.#clientsOf(pid, known, now)) clients.push({ pid, client });
    }
    // Within a container only its own processes are seen, and all of these may be looked at.
    this.#complete =
      this.#hostView && pids.every((pid) => this.#holders.has(pid) || this.#idle.get(pid)?.refused === false);
    return this.#byAddress(clients, now);
  }

  #byAddress(
    found: readonly { readonly pid: number; readonly client: DrmClient }[],
    now: number,
  ): ReadonlyMap<string, ReadonlyMap<number, Building>> {
    const byAddress = new Map<string, Map<number, Building>>();
    const before = this.#seen;
    this.#seen = new Map();
    const counted = new Set<string>();
    for (const { pid, client } of found) {
      const key = keyOf(client);
      if (client.address === undefined || counted.has(key)) continue;
      counted.add(key);
      const processes = byAddress.get(client.address) ?? new Map<number, Building>();
      byAddress.set(client.address, processes);
      const process = processes.get(pid) ?? { memory: new Map(), engines: new Map() };
      processes.set(pid, process);
      this.#add(process, client, key, before, now);
    }
    return byAddress;
  }

  /** What the process holds: by its known descriptors as long as these say something, at times by all it has. */
  #clientsOf(pid: number, known: Held | undefined, now: number): readonly DrmClient[] {
    const again = known?.descriptors.map((descriptor) => this.#clientOf(pid, descriptor));
    if (known !== undefined && again?.every((client) => client !== undefined) === true) {
      const recent = now - known.at < SEARCH_AGAIN_S;
      if (recent || this.#isSame(pid, known, now)) {
        this.#holders.set(pid, recent ? known : { ...known, at: now });
        return again;
      }
    }
    const clients = this.#search(pid, now);
    if (clients.size === 0) return [];
    const { names = 0 } = this.#idle.get(pid) ?? {};
    this.#idle.delete(pid);
    const descriptors = [...clients.values()].map(({ descriptor }) => descriptor);
    this.#holders.set(pid, { descriptors, at: now, followed: now, names });
    return [...clients.values()].map(({ client }) => client);
  }

  /** Follows all descriptors of a process; one of each client is enough. */
  #search(
    pid: number,
    now: number,
  ): ReadonlyMap<string, { readonly descriptor: string; readonly client: DrmClient }> {
    const clients = new Map<string, { readonly descriptor: string; readonly client: DrmClient }>();
    const listed = this.#descriptors(pid);
    const names = listed ?? [];
    const idle = this.#idle.get(pid);
    if (idle !== undefined && this.#isSame(pid, idle, now, names)) {
      this.#idle.set(pid, { ...idle, at: now });
      return clients;
    }
    for (const descriptor of names) {
      const target = readLink(`${this.#proc}/${pid}/fd/${descriptor}`);
      if (target === undefined || !/\/dri\/(?:renderD|card)\d+$/.test(target)) continue;
      const client = this.#clientOf(pid, descriptor);
      if (client !== undefined) clients.set(keyOf(client), { descriptor, client });
    }
    // Not listed: it has ended, or is somebody else's.
    const refused = listed === undefined && existsSync(`${this.#proc}/${pid}`);
    this.#idle.set(pid, { at: now, refused, followed: now, names: fingerprint(names) });
    return clients;
  }

  /** Undefined when they are not listed. */
  #descriptors(pid: number): readonly string[] | undefined {
    return readNames(`${this.#proc}/${pid}/fd`, MAX_DESCRIPTORS)?.filter((name) => /^\d+$/.test(name));
  }

  /** Whether the process has the descriptors open that were followed not too long ago. */
  #isSame(
    pid: number,
    before: { readonly followed: number; readonly names: number },
    now: number,
    names: readonly string[] = this.#descriptors(pid) ?? [],
  ): boolean {
    return now - before.followed < SAME_DESCRIPTORS_S && fingerprint(names) === before.names;
  }

  #clientOf(pid: number, descriptor: string): DrmClient | undefined {
    const text = driverText(`${this.#proc}/${pid}/fdinfo/${descriptor}`, MAX_FDINFO_BYTES);
    return text === undefined ? undefined : parseFdinfo(text);
  }

  #add(to: Building, client: DrmClient, key: string, before: ReadonlyMap<string, Seen>, now: number): void {
    for (const [region, bytes] of client.memory) to.memory.set(region, (to.memory.get(region) ?? 0) + bytes);
    for (const engine of client.engines) {
      const name = `${key} ${engine.name}`;
      const last = before.get(name);
      const seen = { busy: engine.busy, total: engine.total, at: now };
      const share = last === undefined ? undefined : shareSince(last, engine, now);
      this.#seen.set(name, last !== undefined && share === undefined ? last : seen);
      if (share !== undefined) {
        to.engines.set(engine.name, Math.min(1, (to.engines.get(engine.name) ?? 0) + share));
      }
    }
  }
}

/** Share of the time since `last` in which the engines of this kind worked; undefined when too little of it went by. */
function shareSince(last: Seen, engine: EngineUse, now: number): number | undefined {
  const busy = Number(engine.busy - last.busy);
  const elapsed =
    engine.total === undefined || last.total === undefined
      ? (now - last.at) * 1e9
      : Number(engine.total - last.total);
  if (now - last.at < MIN_INTERVAL_S || elapsed <= 0) return undefined;
  return Math.min(1, Math.max(0, busy) / elapsed / engine.capacity);
}
