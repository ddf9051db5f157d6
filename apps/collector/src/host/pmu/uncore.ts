import { join } from 'node:path';
import { readLine, readNames, readNumber } from '../../files.ts';
import { parseCpuList } from '../cpu-list.ts';
import type { PerfEvent } from './native.ts';

const MAX_DEVICES = 1_024;
const CACHE_LINE = 64;

/** Bytes that the words in `.unit` files stand for. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['Bytes', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
]);

/** A counter of a memory controller. */
export interface UncoreEvent {
  readonly device: string;
  readonly direction: 'receive' | 'transmit';
  readonly event: PerfEvent;
  /** Bytes that one count stands for. */
  readonly bytes: number;
  /** CPUs to count it on, one a socket. */
  readonly cpus: readonly number[];
}

/** Terms of an event (`event=0x04,umask=0x03`); a term without a value is 1. Undefined when it is not of that form. */
export function parseTerms(text: string): ReadonlyMap<string, bigint> | undefined {
  const terms = new Map<string, bigint>();
  for (const part of text.trim().split(',')) {
    const match = /^([a-zA-Z_]\w{0,63})(?:=(0x[0-9a-fA-F]{1,16}|\d{1,20}))?$/.exec(part.trim());
    if (match === null) return undefined;
    terms.set(match[1] ?? '', BigInt(match[2] ?? '1'));
  }
  return terms;
}

/** Where the bits of a term go: a word of the attributes and its bits, lowest first. */
export interface Format {
  readonly word: 'config' | 'config1' | 'config2';
  readonly bits: readonly number[];
}

/** `config:0-7,32-35`. */
export function parseFormat(text: string): Format | undefined {
  const match = /^(config[12]?):(\d{1,2}(?:-\d{1,2})?(?:,\d{1,2}(?:-\d{1,2})?)*)$/.exec(text.trim());
  if (match === null) return undefined;
  const bits = (match[2] ?? '').split(',').flatMap((part) => parseCpuList(part));
  if (bits.length === 0 || bits.some((bit) => bit > 63)) return undefined;
  return { word: match[1] as Format['word'], bits };
}

/** Puts the terms where their formats say; undefined for a term that has no format, or more bits than it. */
export function buildEvent(
  type: number,
  terms: ReadonlyMap<string, bigint>,
  formatOf: (term: string) => Format | undefined,
): PerfEvent | undefined {
  const words = { config: 0n, config1: 0n, config2: 0n };
  for (const [term, value] of terms) {
    if (term === 'config' || term === 'config1' || term === 'config2') {
      words[term] |= value;
      continue;
    }
    const format = formatOf(term);
    if (format === undefined || value >> BigInt(format.bits.length) !== 0n) return undefined;
    for (const [index, bit] of format.bits.entries()) {
      if ((value >> BigInt(index)) & 1n) words[format.word] |= 1n << BigInt(bit);
    }
  }
  return { type, ...words };
}

/** An event of a controller: its name in sysfs, or its terms where the kernel names none. */
interface Wanted {
  readonly name?: string;
  readonly terms?: string;
  readonly direction: 'receive' | 'transmit';
}

interface Family {
  readonly device: RegExp;
  /** Alternatives: the first whose events are all there is taken. */
  readonly events: readonly (readonly Wanted[])[];
  /** Bytes of a count where sysfs does not say. */
  readonly bytes: number | undefined;
}

const pair = (read: string, write: string): readonly Wanted[] => [
  { name: read, direction: 'receive' },
  { name: write, direction: 'transmit' },
];

/** The same traffic passes several kinds of counter on some machines: the first family that is there is the one counted. */
const FAMILIES: readonly Family[] = [
  {
    device: /^uncore_imc(_\d+)?$/,
    events: [
      pair('cas_count_read', 'cas_count_write'),
      [
        ...pair('cas_count_read_sch0', 'cas_count_write_sch0'),
        ...pair('cas_count_read_sch1', 'cas_count_write_sch1'),
      ],
      pair('data_reads', 'data_writes'),
    ],
    bytes: CACHE_LINE,
  },
  {
    device: /^amd_umc_\d+$/,
    events: [
      [
        { terms: 'event=0x0a,rdwrmask=0x1', direction: 'receive' },
        { terms: 'event=0x0a,rdwrmask=0x2', direction: 'transmit' },
      ],
    ],
    bytes: CACHE_LINE,
  },
  {
    device: /^uncore_imc_free_running(_\d+)?$/,
    events: [pair('data_read', 'data_write')],
    bytes: undefined,
  },
];

/** Counters of memory traffic that the kernel offers, of one family; `sys` is the host's /sys. */
export function findUncoreEvents(sys: string): readonly UncoreEvent[] {
  const root = join(sys, 'bus/event_source/devices');
  const devices = (readNames(root, MAX_DEVICES) ?? []).toSorted();
  for (const family of FAMILIES) {
    const found = devices
      .filter((device) => family.device.test(device))
      .flatMap((device) => eventsOf(join(root, device), device, family));
    if (found.length > 0) return found;
  }
  return [];
}

function eventsOf(path: string, device: string, family: Family): readonly UncoreEvent[] {
  const type = readNumber(join(path, 'type'));
  const cpus = parseCpuList(readLine(join(path, 'cpumask')) ?? '');
  if (type === undefined || cpus.length === 0) return [];
  for (const alternative of family.events) {
    const found = alternative.map((wanted): UncoreEvent | undefined => {
      const text = wanted.terms ?? readLine(join(path, 'events', wanted.name ?? ''));
      const terms = text === undefined ? undefined : parseTerms(text);
      const event =
        terms === undefined
          ? undefined
          : buildEvent(type, terms, (term) => parseFormat(readLine(join(path, 'format', term)) ?? ''));
      const bytes = bytesOf(path, wanted.name, family.bytes);
      if (event === undefined || bytes === undefined) return undefined;
      return { device, direction: wanted.direction, event, bytes, cpus };
    });
    const whole = found.filter((one) => one !== undefined);
    if (whole.length === alternative.length) return whole;
  }
  return [];
}

/** What one count stands for: the kernel's own scale and unit, which differ between processors, before any constant. */
function bytesOf(path: string, name: string | undefined, fallback: number | undefined): number | undefined {
  if (name === undefined) return fallback;
  const scale = readLine(join(path, 'events', `${name}.scale`));
  if (scale === undefined) return fallback;
  const unit = UNITS.get(readLine(join(path, 'events', `${name}.unit`)) ?? '');
  if (unit === undefined || !/^\d*\.?\d+(e[+-]?\d+)?$/i.test(scale)) return undefined;
  return Number(scale) * unit;
}
