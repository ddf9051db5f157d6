import { join } from 'node:path';
import { INTERRUPT_METRICS, systemInterruptCount } from '@candela/semconv/metrics';
import { readText } from '../files.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../source.ts';

/** A row has some eleven characters a CPU: this is a thousand interrupts on as many CPUs. */
const MAX_BYTES = 16 * 1_048_576;
const MAX_ROWS = 20_000;
const MAX_CPU = 16_384;
/** Series of a whole host, and of one whose CPUs are told apart. What comes beyond is summed up as `other`. */
const MAX_NAMES = 1_000;
const MAX_POINTS_PER_CPU = 10_000;
const MAX_NAME_LENGTH = 120;
export const OTHER = 'other';

const TRIGGER = /(?:^|-)(?:edge|level|fasteoi|none|rising|falling|high|low)$/i;

/** A row of the table: who it is, and how often each column's CPU took it. */
export interface InterruptRow {
  /** `42`, `NMI`. */
  readonly id: string;
  readonly name: string;
  readonly counts: readonly number[];
}

export interface InterruptTable {
  /** Numbers of the CPUs that the columns stand for: only those online. */
  readonly cpus: readonly number[];
  readonly rows: readonly InterruptRow[];
}

/**
 * Name of a row: of the devices that share a numbered interrupt the last; the id where no device is named. The chip and
 * the trigger come before the devices, two blanks apart.
 */
export function interruptName(id: string, text: string): string {
  if (!/^\d+$/.test(id)) return id.slice(0, MAX_NAME_LENGTH);
  const parts = text.trim().split(/\s{2,}/);
  const device = parts.length > 1 ? (parts.at(-1)?.split(',').at(-1)?.trim() ?? '') : '';
  return device === '' || TRIGGER.test(device) ? id : device.slice(0, MAX_NAME_LENGTH);
}

/** `/proc/interrupts`; undefined for what has no line of CPUs. A row that was cut off is left out. */
export function parseInterrupts(text: string): InterruptTable | undefined {
  const headEnd = text.indexOf('\n');
  const head = headEnd < 0 ? '' : text.slice(0, headEnd);
  const cpus: number[] = [];
  for (const word of head.trim().split(/\s+/)) {
    const match = /^CPU(\d{1,5})$/.exec(word);
    if (match === null || Number(match[1]) >= MAX_CPU) return undefined;
    cpus.push(Number(match[1]));
  }
  if (cpus.length === 0) return undefined;
  const rows: InterruptRow[] = [];
  let at = headEnd + 1;
  while (at < text.length && rows.length < MAX_ROWS) {
    const end = text.indexOf('\n', at);
    // Without its line feed a row was cut off, and its last number with it.
    if (end < 0) break;
    const row = parseRow(text, at, end, cpus.length);
    if (row !== undefined) rows.push(row);
    at = end + 1;
  }
  return { cpus, rows };
}

/** By characters, not by splitting: the table of a large host has hundreds of thousands of numbers. */
function parseRow(text: string, start: number, end: number, columns: number): InterruptRow | undefined {
  const colon = text.indexOf(':', start);
  if (colon < 0 || colon >= end) return undefined;
  const id = text.slice(start, colon).trim();
  if (!/^[A-Za-z0-9_]{1,16}$/.test(id)) return undefined;
  const counts: number[] = [];
  let at = colon + 1;
  while (counts.length < columns) {
    while (at < end && text.charCodeAt(at) === 32) at += 1;
    const from = at;
    let value = 0;
    for (; at < end; at += 1) {
      const digit = text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    // A word that only begins with digits is no count any more, but the text after them.
    if (at === from || (at < end && text.charCodeAt(at) !== 32)) {
      at = from;
      break;
    }
    counts.push(value);
  }
  return counts.length === 0 ? undefined : { id, name: interruptName(id, text.slice(at, end)), counts };
}

interface Sums {
  total: number;
  /** Only of CPUs that took one: most interrupts are bound to a few. */
  readonly perCpu: Map<number, number>;
  /** Counted for the machine as a whole. */
  whole: boolean;
}

/**
 * What each name has counted. The kernel counts a row and CPU in 32 bits: at a thousand timer ticks a second that wraps
 * within fifty days, so sums are kept from differences, row by row and CPU by CPU.
 */
export class InterruptSums {
  /** Latest counts by row, indexed by the number of the CPU. */
  #rows = new Map<string, Float64Array>();
  readonly #names = new Map<string, Sums>();
  readonly #perCpu: boolean;

  constructor(perCpu: boolean) {
    this.#perCpu = perCpu;
  }

  /** Sums by name, never falling. A name keeps its place once it has one; those beyond the bound are `other`. */
  add(table: InterruptTable): ReadonlyMap<string, Readonly<Sums>> {
    const width = Math.max(...table.cpus) + 1;
    const limit = this.#perCpu
      ? Math.max(16, Math.min(MAX_NAMES, Math.floor(MAX_POINTS_PER_CPU / table.cpus.length)))
      : MAX_NAMES;
    const rows = new Map<string, Float64Array>();
    for (const row of table.rows) {
      const key = `${row.id} ${row.name}`;
      const before = this.#rows.get(key);
      // The count of a CPU that is offline stays known: it goes on from there when it is back.
      const now = before !== undefined && before.length >= width ? before : new Float64Array(width);
      if (before !== undefined && before !== now) now.set(before);
      const sums = this.#sumsOf(row.name, limit);
      // ERR and MIS have one number for the whole machine.
      if (row.counts.length === 1 && table.cpus.length > 1) sums.whole = true;
      for (const [column, count] of row.counts.entries()) {
        const cpu = table.cpus[column] ?? 0;
        const grown = growth(now[cpu] ?? 0, count);
        now[cpu] = count;
        sums.total += grown;
        if (this.#perCpu && (count > 0 || sums.perCpu.has(cpu))) {
          sums.perCpu.set(cpu, (sums.perCpu.get(cpu) ?? 0) + grown);
        }
      }
      rows.set(key, now);
    }
    // A row that is gone (its device was unplugged) is forgotten; what its name has counted stays.
    this.#rows = rows;
    return this.#names;
  }

  #sumsOf(name: string, limit: number): Sums {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const place = this.#names.size < limit ? name : OTHER;
    const sums = this.#names.get(place) ?? { total: 0, perCpu: new Map<number, number>(), whole: false };
    this.#names.set(place, sums);
    return sums;
  }
}

const RANGE = 2 ** 32;

/** A fall from the upper half is a wrap; any other means that the interrupt was given out anew. */
function growth(before: number, now: number): number {
  if (now >= before) return now - before;
  return before >= RANGE / 2 && before < RANGE ? RANGE - before + now : now;
}

class Interrupts implements Source {
  readonly #path: string;
  readonly #perCpu: boolean;
  readonly #sums: InterruptSums;

  constructor({ config, paths }: SourceContext) {
    this.#path = join(paths.proc, 'interrupts');
    this.#perCpu = config.interrupts.perCpu;
    this.#sums = new InterruptSums(this.#perCpu);
  }

  async start(): Promise<Started> {
    const table = this.#read();
    return table === undefined
      ? unavailable(`${this.#path} is not there or holds no table of interrupts`)
      : READY;
  }

  observe(record: RecordPoint): void {
    const table = this.#read();
    if (table === undefined) return;
    for (const [name, sums] of this.#sums.add(table)) {
      if (!this.#perCpu || sums.whole) {
        record(systemInterruptCount, sums.total, { 'system.interrupt.name': name });
        continue;
      }
      for (const [cpu, total] of sums.perCpu) {
        record(systemInterruptCount, total, { 'system.interrupt.name': name, 'cpu.logical_number': cpu });
      }
    }
  }

  stop(): void {}

  #read(): InterruptTable | undefined {
    const text = readText(this.#path, MAX_BYTES);
    return text === undefined ? undefined : parseInterrupts(text);
  }
}

export const interrupts: SourceEntry = {
  id: 'interrupts',
  summary: 'Interrupts by the name of what raises them',
  platforms: ['linux'],
  metrics: INTERRUPT_METRICS,
  off: (config) => (config.interrupts.enabled ? undefined : 'OTEL_HOST_INTERRUPTS_ENABLED is false'),
  create: (context) => new Interrupts(context),
};
