import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  hwErrors,
  hwNetworkBandwidthLimit,
  hwNetworkBandwidthUtilization,
  hwNetworkIo,
  hwNetworkPackets,
  hwNetworkUp,
  hwStatus,
  NIC_METRICS,
} from '@candela/semconv/metrics';
import { MonotonicCounters } from '../counters.ts';
import { DriverFiles } from '../driver-files.ts';
import { readLink, readNames, readNumber } from '../files.ts';
import { errorText, type Log } from '../log.ts';
import type { PointAttributes } from '../point-attributes.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../source.ts';

/** Interfaces looked at, and reported: a host may have a virtual one for every container. */
const MAX_LOOKED_AT = 10_000;
const MAX_REPORTED = 256;
const LOOPBACK_TYPE = 772;
const IFF_UP = 1;
const DIRECTIONS = [
  { direction: 'receive', short: 'rx' },
  { direction: 'transmit', short: 'tx' },
] as const;
const STATES = ['ok', 'degraded', 'failed'] as const;
/** Read of every interface at every tick. */
const FILES = [
  ...DIRECTIONS.flatMap(({ short }) =>
    ['bytes', 'packets', 'errors', 'dropped'].map((what) => `statistics/${short}_${what}`),
  ),
  'statistics/rx_missed_errors',
  'operstate',
  'carrier',
  'flags',
  'carrier_up_count',
  'carrier_changes',
];

/** What is known of an interface, of all that decides whether it is reported. */
export interface InterfaceFacts {
  readonly name: string;
  /** Backed by a device (PCI, virtio, USB), not made of software. */
  readonly hardware: boolean;
  readonly loopback: boolean;
  /** The interface this one is a part of: a bond, a bridge, the synthetic half of an accelerated one. */
  readonly master: string | undefined;
  /** Made of others: bond, bridge, VLAN. */
  readonly hasLower: boolean;
  /** Stands for the port of a virtual function on a switching card; its traffic is that of the uplink too. */
  readonly representor: boolean;
}

/**
 * Names to report. Those named by the operator, else the ones that are hardware: what passes a bond, a bridge, a VLAN, a
 * veth or a tunnel passes a hardware interface too and would count twice, as would the two halves of an accelerated
 * interface of a cloud. Where none is hardware (the network of a container) those that are made of no others.
 */
export function selectInterfaces(
  all: readonly InterfaceFacts[],
  wanted: readonly string[],
  excluded: readonly string[],
): string[] {
  const candidates = all.filter(({ name }) => !excluded.includes(name));
  if (wanted.length > 0) return candidates.map(({ name }) => name).filter((name) => wanted.includes(name));
  const hardware = new Set(
    candidates.filter((one) => one.hardware && !one.representor).map(({ name }) => name),
  );
  const chosen = candidates.filter((one) =>
    hardware.size > 0
      ? hardware.has(one.name) && !(one.master !== undefined && hardware.has(one.master))
      : !one.loopback && !one.hasLower,
  );
  return chosen.map(({ name }) => name);
}

/** Whether an interface is made of software alone, by where its link in the class leads. */
const isVirtual = (classNet: string, name: string): boolean =>
  readLink(join(classNet, name))?.includes('/devices/virtual/') ?? false;

/** What is known without the driver. */
type OwnFacts = Omit<InterfaceFacts, 'representor'>;

/** Facts of one interface; undefined when it is none (`bonding_masters`) or gone. */
function readInterface(classNet: string, name: string): OwnFacts | undefined {
  const at = join(classNet, name);
  const hardware = !isVirtual(classNet, name) && existsSync(join(at, 'device'));
  if (!hardware && !existsSync(join(at, 'statistics'))) return undefined;
  return {
    name,
    hardware,
    loopback: !hardware && readNumber(join(at, 'type')) === LOOPBACK_TYPE,
    master: existsSync(join(at, 'master')) ? readLink(join(at, 'master'))?.split('/').at(-1) : undefined,
    hasLower: !hardware && (readNames(at, 200) ?? []).some((entry) => entry.startsWith('lower_')),
  };
}

/** Whether a port by this name stands for a virtual function. */
const isRepresentor = (portName: string | undefined): boolean =>
  /^(c\d+)?pf\d+(vf|sf)\d+$/.test(portName ?? '');

/** Whether the link works; tunnels and the like know no state, only a carrier. */
export function isUp(operstate: string | undefined, carrier: number | undefined): boolean {
  return operstate === 'up' || (operstate === 'unknown' && carrier === 1);
}

/**
 * The state that holds; undefined where there is none to tell: a port that the operator switched off, or that never had a
 * cable, is not broken.
 */
export function statusOf(
  up: boolean,
  operstate: string | undefined,
  flags: number | undefined,
  linkedBefore: boolean,
): (typeof STATES)[number] | undefined {
  if (up) return 'ok';
  if (flags === undefined || (flags & IFF_UP) === 0) return undefined;
  if (operstate === 'dormant' || operstate === 'testing') return 'degraded';
  return linkedBefore ? 'failed' : undefined;
}

/** Bytes a second in one direction; undefined for the -1 and the 2^32-1 that drivers say when they know none. */
export function linkLimit(megabits: number | undefined): number | undefined {
  return megabits === undefined || megabits <= 0 || megabits >= 2 ** 32 - 1
    ? undefined
    : (megabits * 1e6) / 8;
}

interface Seen {
  readonly at: number;
  readonly receive: number;
  readonly transmit: number;
}

class Nics implements Source {
  readonly #classNet: string;
  readonly #context: SourceContext;
  readonly #log: Log;
  readonly #counters = new MonotonicCounters();
  readonly #seen = new Map<string, Seen>();
  /** Link speeds by interface and by how often its carrier changed: asking for one asks the driver. */
  readonly #limits = new Map<string, { readonly changes: number; readonly limit: number | undefined }>();
  readonly #failing = new Set<string>();
  readonly #virtual = new Set<string>();
  /** Of interfaces that are hardware. */
  readonly #representors = new Map<string, boolean>();
  readonly #files: DriverFiles;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#log = context.log;
    this.#classNet = join(context.paths.sys, 'class/net');
    this.#files = new DriverFiles('network interface', context.log);
  }

  async start(): Promise<Started> {
    const names = readNames(this.#classNet, MAX_LOOKED_AT);
    if (names === undefined) return unavailable(`${this.#classNet} is not there: mount the host's /sys`);
    const { interfaces } = this.#context.config.network;
    const missing = interfaces.filter((name) => !names.includes(name));
    if (missing.length > 0) {
      this.#log.warn('OTEL_HOST_NET_INTERFACES names interfaces that are not there now', {
        interfaces: missing.join(','),
      });
    }
    return READY;
  }

  async observe(record: RecordPoint): Promise<void> {
    const names = await this.#select();
    for (const name of names) {
      try {
        await this.#observeOne(name, record);
        this.#failing.delete(name);
      } catch (thrown) {
        // A driver that fails costs its own interface, not the others.
        if (!this.#failing.has(name)) {
          this.#failing.add(name);
          this.#log.warn('A network interface could not be read', {
            interface: name,
            error: errorText(thrown),
          });
        }
      }
    }
    this.#counters.sweep();
    const present = new Set(names);
    for (const map of [this.#seen, this.#limits, this.#failing]) {
      for (const name of map.keys()) if (!present.has(name)) map.delete(name);
    }
  }

  async stop(): Promise<void> {
    await this.#files.stop();
  }

  async #select(): Promise<string[]> {
    const { interfaces, exclude } = this.#context.config.network;
    const names = (readNames(this.#classNet, MAX_LOOKED_AT) ?? []).filter(
      (name) => !exclude.includes(name) && (interfaces.length === 0 || interfaces.includes(name)),
    );
    const factsOf = (some: readonly string[]): OwnFacts[] =>
      some.map((name) => readInterface(this.#classNet, name)).filter((one) => one !== undefined);
    // A host of a thousand containers has as many interfaces that are not hardware: once seen, they are not looked at again.
    const present = new Set(names);
    for (const map of [this.#virtual, this.#representors]) {
      for (const name of map.keys()) if (!present.has(name)) map.delete(name);
    }
    const rest = names.filter((name) => !this.#virtual.has(name));
    for (const name of rest) if (isVirtual(this.#classNet, name)) this.#virtual.add(name);
    let facts =
      interfaces.length > 0 ? factsOf(names) : factsOf(rest.filter((name) => !this.#virtual.has(name)));
    if (!facts.some(({ hardware }) => hardware)) facts = factsOf(names);
    const whole: InterfaceFacts[] = [];
    for (const one of facts) {
      whole.push({ ...one, representor: one.hardware && (await this.#isRepresentor(one.name)) });
    }
    return selectInterfaces(whole, interfaces, exclude).slice(0, MAX_REPORTED);
  }

  /** Asked once an interface: it does not change. */
  async #isRepresentor(name: string): Promise<boolean> {
    const known = this.#representors.get(name);
    if (known !== undefined) return known;
    const path = join(this.#classNet, name, 'phys_port_name');
    const files = await this.#files.read(name, [path]);
    if (files === undefined) return false;
    const representor = isRepresentor(files.line(path));
    this.#representors.set(name, representor);
    return representor;
  }

  async #observeOne(name: string, record: RecordPoint): Promise<void> {
    const at = (file: string) => join(this.#classNet, name, file);
    const files = await this.#files.read(name, FILES.map(at));
    if (files === undefined) return;
    const base: PointAttributes = {
      'hw.id': name,
      'hw.name': name,
      'hw.type': 'network',
      'network.interface.name': name,
    };
    const bytes = new Map<string, number>();
    for (const { direction, short } of DIRECTIONS) {
      const directed = { ...base, 'network.io.direction': direction };
      const count = (file: string) => {
        const raw = files.count(at(`statistics/${file}`));
        return raw === undefined ? undefined : this.#counters.read(`${name}/${file}`, raw, 64);
      };
      const io = count(`${short}_bytes`);
      if (io !== undefined) {
        bytes.set(direction, io);
        record(hwNetworkIo, io, directed);
      }
      const packets = count(`${short}_packets`);
      if (packets !== undefined) record(hwNetworkPackets, packets, directed);
      // The errors hold those of checksums, frames and queues already. Packets that the card had no room for are
      // counted apart from both.
      const kinds = [
        [direction, `${short}_errors`],
        ['dropped', `${short}_dropped`],
        ...(short === 'rx' ? ([['missed', 'rx_missed_errors']] as const) : []),
      ] as const;
      for (const [type, file] of kinds) {
        const errors = count(file);
        if (errors !== undefined) record(hwErrors, errors, { ...directed, 'error.type': type });
      }
    }
    const operstate = files.line(at('operstate'));
    const up = isUp(operstate, files.number(at('carrier')));
    record(hwNetworkUp, up ? 1 : 0, base);
    const flags = Number(files.line(at('flags')) ?? Number.NaN);
    const linkedBefore = up || (files.number(at('carrier_up_count')) ?? 0) > 0;
    const status = statusOf(up, operstate, Number.isInteger(flags) ? flags : undefined, linkedBefore);
    if (status !== undefined) {
      for (const state of STATES) record(hwStatus, state === status ? 1 : 0, { ...base, 'hw.state': state });
    }
    const limit = up ? await this.#limit(name, files.number(at('carrier_changes'))) : undefined;
    if (limit !== undefined) record(hwNetworkBandwidthLimit, limit, base);
    this.#utilization(name, bytes, limit, (share) => record(hwNetworkBandwidthUtilization, share, base));
  }

  /** Read again only when the carrier came or went, where the kernel counts that: drivers ask their firmware for it. */
  async #limit(name: string, changes: number | undefined): Promise<number | undefined> {
    const known = this.#limits.get(name);
    if (changes !== undefined && known?.changes === changes) return known.limit;
    const path = join(this.#classNet, name, 'speed');
    const files = await this.#files.read(name, [path]);
    if (files === undefined) return undefined;
    const limit = linkLimit(files.number(path));
    if (changes !== undefined) this.#limits.set(name, { changes, limit });
    return limit;
  }

  #utilization(
    name: string,
    bytes: ReadonlyMap<string, number>,
    limit: number | undefined,
    give: (share: number) => void,
  ): void {
    const receive = bytes.get('receive');
    const transmit = bytes.get('transmit');
    if (receive === undefined || transmit === undefined) return;
    const now: Seen = { at: this.#context.monotonic(), receive, transmit };
    const before = this.#seen.get(name);
    this.#seen.set(name, now);
    if (before === undefined || limit === undefined || now.at <= before.at) return;
    const moved = Math.max(now.receive - before.receive, now.transmit - before.transmit);
    give(moved / (now.at - before.at) / limit);
  }
}

export const nic: SourceEntry = {
  id: 'nic',
  summary: 'Traffic, errors, speed and state of network interfaces that are hardware',
  platforms: ['linux'],
  metrics: [...NIC_METRICS, hwErrors, hwStatus],
  off: (config) => (config.nic.enabled ? undefined : 'OTEL_HOST_NIC_ENABLED is false'),
  create: (context) => new Nics(context),
};
