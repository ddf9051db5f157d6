import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { JOINED, type Joined } from './inject.ts';
import type { WorkloadNames } from './names.ts';
import { type FoundPackages, packagesOf } from './packages.ts';
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
import type { Connect } from './tap.ts';
import type { VendorAddresses } from './vendors.ts';

export interface FoundProcess {
  readonly pid: number;
  readonly start: number;
}

/** `connection`: to an address of a vendor, now or before. */
export type Evidence = 'connection' | 'package' | 'command';

/** A program that calls vendors of models, with every process of its workload that does. */
export interface FoundService {
  readonly workload: string;
  readonly name: string;
  readonly namespace: string;
  readonly runtime: Runtime;
  readonly vendors: readonly string[];
  readonly exe: string;
  /** Its name where that is known, else the beginning of its id. */
  readonly container: string;
  readonly pod: string;
  readonly unit: string | undefined;
  /** What told that it calls models. */
  readonly evidence: readonly Evidence[];
  /** Packages that call models which it can load. */
  readonly packages: readonly string[];
  /** Its command line. */
  readonly words: readonly string[];
  /** Of its environment what an injected SDK has to stand beside. */
  readonly variables: ReadonlyMap<Joined, string>;
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
  readonly #names: WorkloadNames | undefined;
  /** Programs that were looked at, by process; what they can load is looked up once. */
  #programs = new Map<string, Program>();
  readonly #seen = new Map<string, { service: FoundService; at: number }>();

  constructor(proc: string, vendors: VendorAddresses, names?: WorkloadNames) {
    this.#proc = proc;
    this.#vendors = vendors;
    this.#names = names;
  }

  /** Whether one of these connections is to a vendor, of a process that was not among `known`. */
  isNews(connects: readonly Connect[], known: ReadonlySet<number>): boolean {
    return connects.some(
      ({ pid, address, port }) => !known.has(pid) && this.#vendors.of(address, port) !== undefined,
    );
  }

  /** One look; `connects` are connections that the kernel told of, which may be over by now. A workload stays for ten minutes after its last connection, while one of its processes lives. */
  look(connects: readonly Connect[] = []): readonly FoundService[] {
    const now = Date.now();
    const tables = new Map<string, Map<string, string>>();
    const told = new Map<number, Set<string>>();
    for (const { pid, address, port } of connects) {
      const vendor = this.#vendors.of(address, port);
      if (vendor !== undefined) told.set(pid, (told.get(pid) ?? new Set()).add(vendor));
    }
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
      const found = new Set(told.get(pid));
      if (table.size === 0) return found;
      for (const inode of socketsOf(this.#proc, pid)) {
        const vendor = table.get(inode);
        if (vendor !== undefined) found.add(vendor);
      }
      return found;
    };
    const fresh = new Map<string, FoundService>();
    const programs = new Map<string, Program>();
    const known = new Set(
      [...this.#seen.values()].flatMap(({ service }) =>
        service.processes.map(({ pid, start }) => `${pid} ${start}`),
      ),
    );
    for (const pid of pidsOf(this.#proc)) {
      if (pid === process.pid) continue;
      const start = startOf(this.#proc, pid);
      if (start === undefined) continue;
      const key = `${pid} ${start}`;
      const program = this.#programOf(key, pid);
      if (program === undefined) continue;
      programs.set(key, program);
      const vendors = vendorsOf(pid);
      const evidence: Evidence[] = [];
      if (vendors.size > 0) evidence.push('connection');
      if (program.packages.own) evidence.push('package');
      if (HINTS.test(program.command)) evidence.push('command');
      if (evidence.length === 0 && !known.has(key)) continue;
      const service = this.#serviceOf({ pid, start }, program, vendors, evidence);
      const before = fresh.get(service.workload);
      fresh.set(
        service.workload,
        before === undefined
          ? service
          : {
              ...before,
              vendors: [...new Set([...before.vendors, ...service.vendors])],
              evidence: [...new Set([...before.evidence, ...service.evidence])],
              packages: [...new Set([...before.packages, ...service.packages])],
              processes: [...before.processes, ...service.processes],
              tap: before.tap.possible ? before.tap : service.tap,
            },
      );
    }
    this.#programs = programs;
    for (const [workload, service] of fresh) {
      const before = this.#seen.get(workload)?.service;
      const vendors = [...new Set([...(before?.vendors ?? []), ...service.vendors])];
      this.#seen.set(workload, {
        service: {
          ...service,
          vendors,
          evidence: [...new Set([...(before?.evidence ?? []), ...service.evidence])],
          firstSeen: before?.firstSeen ?? service.firstSeen,
        },
        at: now,
      });
    }
    for (const [workload, { at }] of this.#seen)
      if (at < now - FORGET_MS || (!fresh.has(workload) && at < now)) this.#seen.delete(workload);
    return [...this.#seen.values()].slice(0, MAX_SERVICES).map(({ service }) => service);
  }

  /** What a process runs. A program that was put in its place by exec is another one. */
  #programOf(key: string, pid: number): Program | undefined {
    const at = (name: string) => join(this.#proc, String(pid), name);
    const line = readProc(at('cmdline'), 65_536);
    const exe = linkOf(at('exe'));
    if (line === undefined || line === '' || exe === undefined) return undefined;
    const before = this.#programs.get(key);
    if (before !== undefined && before.line === line && before.exe === exe) return before;
    const words = line.split('\0').filter((word) => word !== '');
    const environment = readProc(at('environ'), 262_144) ?? '';
    const runtime = runtimeOf(exe.replace(/ \(deleted\)$/, ''), () => headOf(at('exe')));
    const packages = packagesOf({ proc: this.#proc, pid, runtime, arguments: words, environment });
    const given = /(?:^|\0)OTEL_SERVICE_NAME=([^\0]{1,200})/.exec(environment)?.[1];
    const variables = new Map<Joined, string>();
    for (const entry of environment.split('\0')) {
      const name = Object.keys(JOINED).find((one): one is Joined => entry.startsWith(`${one}=`));
      if (name !== undefined) variables.set(name, entry.slice(name.length + 1));
    }
    return { line, exe, command: words.join(' '), words, runtime, packages, given, variables };
  }

  #serviceOf(
    { pid, start }: FoundProcess,
    { exe, words, runtime, packages, given, variables }: Program,
    vendors: ReadonlySet<string>,
    evidence: readonly Evidence[],
  ): FoundService {
    const at = (name: string) => join(this.#proc, String(pid), name);
    const { unit, container, pod } = parseCgroup(readProc(at('cgroup'), 65_536) ?? '');
    const named = this.#names?.of(container);
    const script = words.find((word, place) => place > 0 && /\.(?:py|m?js|ts|jar|dll)$/.test(word));
    const hash = createHash('sha256')
      .update(`${exe}\0${script ?? ''}`)
      .digest('hex')
      .slice(0, 16);
    const short = (text: string) => text.slice(text.lastIndexOf('/') + 1);
    const inContainer = container?.slice(0, 12) ?? '';
    const workload =
      pod !== undefined
        ? named === undefined
          ? `k8s:${pod}:${inContainer || 'pod'}`
          : `k8s:${named.namespace}:${named.workload}:${named.container}`
        : container !== undefined
          ? `docker:${named?.container ?? inContainer}`
          : unit !== undefined && !/^(?:user@|session)/.test(unit)
            ? `linux:systemd:${unit}`
            : `linux:exe:${hash}`;
    return {
      workload,
      name: given ?? named?.workload ?? unit?.replace(/\.service$/, '') ?? short(script ?? exe),
      namespace: named?.namespace ?? '',
      runtime,
      vendors: [...vendors],
      exe,
      container: named?.container ?? inContainer,
      pod: named?.pod ?? '',
      unit,
      evidence,
      packages: packages.names,
      words,
      variables,
      processes: [{ pid, start }],
      firstSeen: new Date().toISOString(),
      tap: tapOf(runtime, readProc(at('maps')) ?? ''),
    };
  }
}

interface Program {
  readonly line: string;
  readonly exe: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly runtime: Runtime;
  readonly packages: FoundPackages;
  readonly given: string | undefined;
  readonly variables: ReadonlyMap<Joined, string>;
}
