import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  headOf,
  linkOf,
  parseCgroup,
  parseConnections,
  pidsOf,
  readProc,
  type Runtime,
  runtimeOf,
  socketsOf,
  startOf,
} from './proc.ts';
import type { VendorAddresses } from './vendors.ts';

export interface FoundProcess {
  readonly pid: number;
  readonly start: number;
}

/** A program that calls vendors of models, with every process of its workload that does. */
export interface FoundService {
  readonly workload: string;
  readonly name: string;
  readonly namespace: string;
  readonly runtime: Runtime;
  readonly vendors: readonly string[];
  readonly exe: string;
  readonly container: string;
  readonly unit: string | undefined;
  readonly processes: readonly FoundProcess[];
  readonly firstSeen: string;
  readonly tap: { readonly possible: boolean; readonly detail: string };
}

/** Words of a command line that only programs of models have. */
const HINTS = /\b(?:langchain|langgraph|llama[-_]index|openai|anthropic|litellm|crewai|autogen|mcp)\b/i;
const MAX_SERVICES = 2_000;
const FORGET_MS = 600_000;

/** Whether the tap can see what a program says, and what to do where it cannot. */
function tapOf(runtime: Runtime, maps: string): { possible: boolean; detail: string } {
  const library = /\/[^\s]*(libssl|libgnutls|libboringssl)[^/\s]*\.so[^\s]*/.exec(maps)?.[0];
  if (library !== undefined)
    return { possible: true, detail: `TLS of ${library.slice(library.lastIndexOf('/') + 1)}` };
  switch (runtime) {
    case 'node':
      return { possible: true, detail: 'TLS inside of the node executable' };
    case 'go':
      return {
        possible: false,
        detail: 'Go has its own TLS, which the tap does not see: use the OpenTelemetry SDK for Go.',
      };
    case 'java':
      return {
        possible: false,
        detail: 'Java has its own TLS (JSSE): inject the OpenTelemetry agent instead.',
      };
    case 'bun':
      return {
        possible: false,
        detail: 'Bun has no TLS symbols: use its own OpenTelemetry, or a proxy such as a base URL.',
      };
    case 'deno':
      return {
        possible: false,
        detail: 'Deno uses rustls, which has no symbols to probe: use OTEL_DENO=true.',
      };
    default:
      return {
        possible: false,
        detail:
          'No OpenSSL, BoringSSL or GnuTLS is loaded (a static library without symbols, or rustls): use an SDK.',
      };
  }
}

/** Looks for programs that call vendors, from /proc alone. */
export class Discovery {
  readonly #proc: string;
  readonly #vendors: VendorAddresses;
  readonly #seen = new Map<string, { service: FoundService; at: number }>();

  constructor(proc: string, vendors: VendorAddresses) {
    this.#proc = proc;
    this.#vendors = vendors;
  }

  /** One look. A workload stays for ten minutes after its last connection, while one of its processes lives. */
  look(): readonly FoundService[] {
    const now = Date.now();
    const tables = new Map<string, Map<string, string>>();
    const vendorsOf = (pid: number): Set<string> => {
      const space = linkOf(join(this.#proc, String(pid), 'ns/net')) ?? 'own';
      let table = tables.get(space);
      if (table === undefined) {
        table = new Map();
        for (const file of ['tcp', 'tcp6']) {
          const text = readProc(join(this.#proc, String(pid), 'net', file)) ?? '';
          for (const { address, port, inode } of parseConnections(text)) {
            const vendor = this.#vendors.of(address, port);
            if (vendor !== undefined) table.set(inode, vendor);
          }
        }
        tables.set(space, table);
      }
      const found = new Set<string>();
      if (table.size === 0) return found;
      for (const inode of socketsOf(this.#proc, pid)) {
        const vendor = table.get(inode);
        if (vendor !== undefined) found.add(vendor);
      }
      return found;
    };
    const fresh = new Map<string, FoundService>();
    for (const pid of pidsOf(this.#proc)) {
      if (pid === process.pid) continue;
      const command = readProc(join(this.#proc, String(pid), 'cmdline'), 65_536)
        ?.replaceAll('\0', ' ')
        .trim();
      if (command === undefined || command === '') continue;
      const vendors = vendorsOf(pid);
      const known = [...this.#seen.values()].some(({ service }) =>
        service.processes.some((one) => one.pid === pid && one.start === startOf(this.#proc, pid)),
      );
      if (vendors.size === 0 && !known && !HINTS.test(command)) continue;
      const service = this.#serviceOf(pid, command, vendors);
      if (service === undefined) continue;
      const before = fresh.get(service.workload);
      fresh.set(
        service.workload,
        before === undefined
          ? service
          : {
              ...before,
              vendors: [...new Set([...before.vendors, ...service.vendors])],
              processes: [...before.processes, ...service.processes],
              tap: before.tap.possible ? before.tap : service.tap,
            },
      );
    }
    for (const [workload, service] of fresh) {
      const before = this.#seen.get(workload)?.service;
      const vendors = [...new Set([...(before?.vendors ?? []), ...service.vendors])];
      this.#seen.set(workload, {
        service: { ...service, vendors, firstSeen: before?.firstSeen ?? service.firstSeen },
        at: now,
      });
    }
    for (const [workload, { at }] of this.#seen)
      if (at < now - FORGET_MS || (!fresh.has(workload) && at < now)) this.#seen.delete(workload);
    return [...this.#seen.values()].slice(0, MAX_SERVICES).map(({ service }) => service);
  }

  #serviceOf(pid: number, command: string, vendors: ReadonlySet<string>): FoundService | undefined {
    const at = (name: string) => join(this.#proc, String(pid), name);
    const exe = linkOf(at('exe'));
    const start = startOf(this.#proc, pid);
    if (exe === undefined || start === undefined) return undefined;
    const { unit, container, pod } = parseCgroup(readProc(at('cgroup'), 65_536) ?? '');
    const environment = readProc(at('environ'), 262_144) ?? '';
    const given = /(?:^|\0)OTEL_SERVICE_NAME=([^\0]{1,200})/.exec(environment)?.[1];
    const runtime = runtimeOf(exe.replace(/ \(deleted\)$/, ''), () => headOf(at('exe')));
    const script = command
      .split(' ')
      .find((word, place) => place > 0 && /\.(?:py|m?js|ts|jar|dll)$/.test(word));
    const hash = createHash('sha256')
      .update(`${exe}\0${script ?? ''}`)
      .digest('hex')
      .slice(0, 16);
    const workload =
      pod !== undefined
        ? `k8s:${pod}:${container?.slice(0, 12) ?? 'pod'}`
        : container !== undefined
          ? `docker:${container.slice(0, 12)}`
          : unit !== undefined && !/^(?:user@|session)/.test(unit)
            ? `linux:systemd:${unit}`
            : `linux:exe:${hash}`;
    const short = (text: string) => text.slice(text.lastIndexOf('/') + 1);
    return {
      workload,
      name: given ?? unit?.replace(/\.service$/, '') ?? short(script ?? exe),
      namespace: '',
      runtime,
      vendors: [...vendors],
      exe,
      container: container?.slice(0, 12) ?? '',
      unit,
      processes: [{ pid, start }],
      firstSeen: new Date().toISOString(),
      tap: tapOf(runtime, readProc(at('maps')) ?? ''),
    };
  }
}
