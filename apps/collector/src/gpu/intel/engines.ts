import { parseCpuList } from '../../host/cpu-list.ts';
import { CounterGroup } from '../../host/pmu/group.ts';
import { type OpenCounter, type PerfEvent, PerfOpenError } from '../../host/pmu/native.ts';
import { buildEvent, parseFormat, parseTerms } from '../../host/pmu/uncore.ts';
import type { Card } from '../drm/card.ts';
import { driverLine, driverNames, driverNumber } from '../drm/driver-files.ts';

const MAX_EVENTS = 1_024;
/** More engines of a kind than any of these chips has. */
const MAX_INSTANCES = 8;
const MAX_PARTS = 16;

/** How the kernel says that there is no such engine. */
const NOT_THERE: ReadonlySet<string> = new Set([
  'ENOENT',
  'EINVAL',
  'ENODEV',
  'ENXIO',
  'EOPNOTSUPP',
  'ENOTSUP',
]);

/** Kinds of engine, by the short words that both drivers use. */
export type EngineKind = 'rcs' | 'ccs' | 'bcs' | 'vcs' | 'vecs';

/** Numbers of the kinds in the interface of xe. */
const XE_CLASSES: readonly (readonly [EngineKind, bigint])[] = [
  ['rcs', 0n],
  ['bcs', 1n],
  ['vcs', 2n],
  ['vecs', 3n],
  ['ccs', 4n],
];

/** What tells how busy an engine is: its work over time, or over a second count where there are two. */
interface Wanted {
  readonly kind: EngineKind;
  readonly events: readonly PerfEvent[];
}

interface Counting {
  readonly kind: EngineKind;
  readonly group: CounterGroup;
}

/** Numbers of the parts of the chip (`tile0/gt0`) that have engines of their own. */
export function graphicsParts({ path }: Card): readonly { readonly number: number; readonly path: string }[] {
  return driverNames(path, 1_024)
    .filter((name) => /^tile\d{1,2}$/.test(name))
    .flatMap((tile) =>
      driverNames(`${path}/${tile}`, 256)
        .filter((name) => /^gt\d{1,2}$/.test(name))
        .map((gt) => ({ number: Number(gt.slice(2)), path: `${path}/${tile}/${gt}` })),
    )
    .toSorted((a, b) => a.number - b.number)
    .slice(0, MAX_PARTS);
}

/** Directory of the counters of a card: its address is in the name unless it is the one within the processor. */
function counterDirectory(sys: string, { driver, address }: Card): string | undefined {
  const root = `${sys}/bus/event_source/devices`;
  const own = `${driver}_${address.replaceAll(':', '_')}`;
  const inProcessor = address === '0000:00:02.0' ? [driver] : [];
  return [own, ...inProcessor]
    .map((name) => `${root}/${name}`)
    .find((path) => driverNumber(`${path}/type`) !== undefined);
}

/** Events of i915 stand in sysfs by name, one for each engine: nanoseconds of work. */
function ofI915(path: string, type: number): readonly Wanted[] {
  return driverNames(`${path}/events`, MAX_EVENTS).flatMap((name): Wanted[] => {
    const kind = /^(rcs|ccs|bcs|vcs|vecs)\d{1,2}-busy$/.exec(name)?.[1];
    const terms = parseTerms(driverLine(`${path}/events/${name}`) ?? '');
    const event = terms === undefined ? undefined : eventOf(path, type, terms);
    return kind === undefined || event === undefined ? [] : [{ kind: kind as EngineKind, events: [event] }];
  });
}

/** Events of xe are for any engine: which one is said beside them. What is not there is refused when it is opened. */
function ofXe(path: string, type: number, card: Card): readonly Wanted[] {
  const of = (name: string, more: ReadonlyMap<string, bigint>): PerfEvent | undefined => {
    const terms = parseTerms(driverLine(`${path}/events/${name}`) ?? '');
    return terms === undefined ? undefined : eventOf(path, type, new Map([...terms, ...more]));
  };
  const wanted: Wanted[] = [];
  for (const part of graphicsParts(card)) {
    for (const [kind, number] of XE_CLASSES) {
      for (let instance = 0; instance < MAX_INSTANCES; instance += 1) {
        const engine = new Map([
          ['gt', BigInt(part.number)],
          ['engine_class', number],
          ['engine_instance', BigInt(instance)],
        ]);
        const active = of('engine-active-ticks', engine);
        const total = of('engine-total-ticks', engine);
        if (active !== undefined && total !== undefined) wanted.push({ kind, events: [active, total] });
      }
    }
  }
  return wanted;
}

const eventOf = (path: string, type: number, terms: ReadonlyMap<string, bigint>): PerfEvent | undefined =>
  buildEvent(type, terms, (term) => parseFormat(driverLine(`${path}/format/${term}`) ?? ''));

/** How busy the engines of a card are, by the counters that its driver offers to the kernel. */
export class Engines {
  readonly #counting: readonly Counting[];
  readonly #now: () => number;
  #at: number;

  private constructor(counting: readonly Counting[], now: () => number) {
    this.#counting = counting;
    this.#now = now;
    this.#at = now();
  }

  /**
   * Begins to count what there is; undefined when the driver offers no counters. `now` gives monotonic seconds. @throws
   * PerfOpenError when they are refused
   */
  static open(sys: string, card: Card, open: OpenCounter, now: () => number): Engines | undefined {
    const path = counterDirectory(sys, card);
    const type = path === undefined ? undefined : driverNumber(`${path}/type`);
    if (path === undefined || type === undefined) return undefined;
    const [cpu = 0] = parseCpuList(driverLine(`${path}/cpumask`) ?? '');
    const counting: Counting[] = [];
    for (const { kind, events } of card.driver === 'xe' ? ofXe(path, type, card) : ofI915(path, type)) {
      try {
        const group = CounterGroup.open(open, events, cpu);
        if (group.members.length === events.length) counting.push({ kind, group });
        else group.close();
      } catch (thrown) {
        if (!(thrown instanceof PerfOpenError)) throw thrown;
        // Anything but an engine that is not there is the same for all of them.
        if (!NOT_THERE.has(thrown.code)) {
          for (const { group } of counting) group.close();
          throw thrown;
        }
      }
    }
    return counting.length === 0 ? undefined : new Engines(counting, now);
  }

  /** Share of the time since the reading before in which engines of a kind worked: the mean of them, 0 to 1. */
  busy(): ReadonlyMap<EngineKind, number> {
    const now = this.#now();
    const nanoseconds = (now - this.#at) * 1e9;
    this.#at = now;
    const shares = new Map<EngineKind, number[]>();
    for (const { kind, group } of this.#counting) {
      const [active, total = nanoseconds] = group.grown() ?? [];
      if (active === undefined || total <= 0) continue;
      const list = shares.get(kind) ?? [];
      list.push(Math.min(1, active / total));
      shares.set(kind, list);
    }
    return new Map(
      [...shares].map(([kind, list]) => [kind, list.reduce((sum, one) => sum + one, 0) / list.length]),
    );
  }

  close(): void {
    for (const { group } of this.#counting) group.close();
  }
}
