import { HOST_LIMITS } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import type { Facts } from './facts.ts';
import { type HostKey, keyOf, points } from './sources.ts';

const SECOND = 1_000_000_000n;
const HOUR = 3_600n * SECOND;
/**
 * Of so long a window it is worked out when hosts were away: a longer one would be read for hardly anything else. The last
 * 24 hours end a moment later than they began to be counted.
 */
const LONGEST = 24n * HOUR + 60n * SECOND;
/** Steps in which a window is looked at for silences. */
const STEPS = 2_000n;

/** One series a host, of this agent and of the Collector; and what those send that send neither. */
const PULSE: readonly string[] = ['system.cpu.logical.count', 'system.cpu.load_average.1m'];
const OTHERWISE: readonly string[] = ['system.memory.usage', 'hw.gpu.memory.limit'];
/** Of hosts of which none of those is sent. */
export const SELDOM: readonly string[] = [
  'system.memory.utilization',
  'system.cpu.utilization',
  'system.cpu.time',
  'system.filesystem.utilization',
  'system.network.io',
  'system.disk.io',
  'hw.gpu.utilization',
  'hw.gpu.memory.usage',
  'hw.power',
  'process.cpu.utilization',
  'process.memory.usage',
];

/** The usual distance of sorted times, their median; 0 where there are not two. */
export const usualGapSql = (times: string): string =>
  `arrayElement(arraySort(arrayPopFront(arrayDifference(${times}))), greatest(intDiv(length(${times}), 2), 1))`;

/** How often a host reports, and when it did not. */
interface Pulse {
  readonly key: HostKey;
  readonly freshSeconds: number;
  /** Silences between two reports of the window. */
  readonly away: readonly Window[];
  /** Its first report within the window. */
  readonly first: bigint | undefined;
}

const startOf = (to: bigint, seconds: number): bigint => {
  const from = to - BigInt(seconds) * SECOND;
  return from > 0n ? from : 0n;
};
/** A host as the engine puts its two names together. */
const idOf = ({ environment, host }: HostKey): string => `${environment}\n${host}`;

interface Row {
  readonly Environment: string;
  readonly Host: string;
  readonly Fresh: number;
  readonly Steps: readonly number[];
  readonly Gone: readonly (readonly [number, number])[];
}

/**
 * What counts as current, of each host by how often it reports itself: three times the usual distance of the reports of
 * its slowest agent in the last hour, within bounds. This is the only place that says so.
 */
export class Fresh {
  private readonly window: Window;
  /** Seconds. */
  private readonly step: number;
  private readonly pulses = new Map<string, Pulse>();
  private readonly isLong: boolean;

  private constructor(window: Window) {
    this.window = window;
    const span = window.to - window.from;
    this.isLong = span > LONGEST;
    this.step = Number((span > 0n ? span : 1n) / STEPS / SECOND) + 1;
  }

  /** Of one host. */
  static async read(run: Runner, context: RequestContext, window: Window, host: HostKey): Promise<Fresh> {
    const fresh = new Fresh(window);
    await fresh.add(run, context, [...PULSE, ...OTHERWISE], { host });
    if (fresh.pulses.size === 0) await fresh.add(run, context, SELDOM, { host, anyPart: true });
    return fresh;
  }

  /** Of these hosts, from what costs least to read; what none of them sends is not asked for. */
  static async readAll(
    run: Runner,
    context: RequestContext,
    window: Window,
    hosts: readonly Facts[],
  ): Promise<Fresh> {
    const fresh = new Fresh(window);
    if (hosts.some(({ metrics }) => PULSE.some((metric) => metrics.includes(metric))))
      await fresh.add(run, context, PULSE);
    const missing = (): string[] => [
      ...new Set(
        hosts.flatMap(({ environment, host }) => (fresh.pulses.has(keyOf(environment, host)) ? [] : [host])),
      ),
    ];
    const names = missing();
    if (names.length > 0) await fresh.add(run, context, OTHERWISE, { names });
    const others = missing();
    if (others.length > 0) await fresh.add(run, context, SELDOM, { names: others, anyPart: true });
    return fresh;
  }

  /** Values of a host that are older than this, in seconds before the end of the window, are not current. */
  secondsOf({ environment, host }: HostKey): number {
    return this.pulses.get(keyOf(environment, host))?.freshSeconds ?? HOST_LIMITS.freshSeconds;
  }

  /** The instant that figures of now are of. */
  get to(): bigint {
    return this.window.to;
  }

  /** From when on values of a host are current. */
  fromOf(host: HostKey): bigint {
    return startOf(this.window.to, this.secondsOf(host));
  }

  /** From the first to the last instant at which a value of any host may be current. */
  get widest(): Window {
    return { from: startOf(this.window.to, this.mostSeconds), to: this.window.to };
  }

  /** The seconds of the host that reports most seldom. */
  get mostSeconds(): number {
    const seconds = this.pulses.values().map(({ freshSeconds }) => freshSeconds);
    return Math.max(HOST_LIMITS.freshSeconds, ...seconds);
  }

  /** Current points of these metrics, of all hosts or of one. */
  points(context: RequestContext, metrics: readonly string[], host?: HostKey): Scope {
    if (host !== undefined)
      return points(context, metrics, { from: this.fromOf(host), to: this.window.to }, host);
    const scope = points(context, metrics, this.widest);
    const slow = [...this.pulses].filter(([, { freshSeconds }]) => freshSeconds > HOST_LIMITS.freshSeconds);
    if (slow.length === 0) return scope;
    const { params } = scope;
    const hosts = params.bind(
      slow.map(([, { key }]) => idOf(key)),
      'Array(String)',
    );
    const seconds = params.bind(
      slow.map(([, { freshSeconds }]) => freshSeconds),
      'Array(Int64)',
    );
    const own = `transform(concat(toString(Environment), '\n', toString(Host)), ${hosts}, ${seconds}, toInt64(${HOST_LIMITS.freshSeconds}))`;
    return scope.and(
      `toUnixTimestamp64Nano(TimeUnix) >= ${params.bind(this.window.to, 'Int64')} - 1000000000 * ${own}`,
    );
  }

  /**
   * When a host that was heard of before was silent for longer than its values are current, the longest times only, in
   * their order; null where that is not known.
   */
  awayOf(host: HostKey, heardFirst: bigint): Window[] | null {
    const pulse = this.pulses.get(keyOf(host.environment, host.host));
    if (this.isLong || pulse === undefined) return null;
    const { first, away, freshSeconds } = pulse;
    const { from } = this.window;
    const late = first !== undefined && first - from >= BigInt(freshSeconds) * SECOND;
    return [...(heardFirst < from && late ? [{ from, to: first }] : []), ...away].sort((a, b) =>
      a.from < b.from ? -1 : 1,
    );
  }

  private async add(
    run: Runner,
    context: RequestContext,
    metrics: readonly string[],
    {
      host,
      names,
      anyPart = false,
    }: {
      readonly host?: HostKey;
      readonly names?: readonly string[];
      /** Of some metrics no part is told for every host. */
      readonly anyPart?: boolean;
    } = {},
  ): Promise<void> {
    const { from, to } = this.window;
    const hourAgo = to > HOUR ? to - HOUR : 0n;
    const since = this.isLong ? hourAgo : from;
    const scope = points(context, metrics, { from: since < hourAgo ? since : hourAgo, to }, host);
    const { params } = scope;
    const which = names === undefined ? '' : ` AND Host IN ${params.bind(names, 'Array(String)')}`;
    const step = params.bind(this.step, 'UInt32');
    // Whole steps without a report: how long it was silent at least.
    const silent = `(g.2 - g.1 - 1) * ${step}`;
    const bounds = `${HOST_LIMITS.freshSeconds}, ${HOST_LIMITS.freshIntervals} * max(Each)`;
    const rows = await run.run<Row>(
      scope,
      `SELECT E AS Environment, H AS Host, toUInt32(least(${HOST_LIMITS.freshMostSeconds}, greatest(${bounds}))) AS Fresh,
         arrayCompact(arraySort(groupArrayArray(At))) AS All, arraySlice(All, 1, 1) AS Steps,
         arraySlice(arrayReverseSort(g -> g.2 - g.1, arrayFilter(g -> ${silent} >= Fresh,
           arrayZip(arrayPopBack(All), arrayPopFront(All)))), 1, ${HOST_LIMITS.away}) AS Gone
       FROM (
         SELECT any(Environment) AS E, any(Host) AS H,
           arrayCompact(arraySort(groupArrayIf(toUnixTimestamp(TimeUnix), TimeUnix >= ${params.time(hourAgo)}))) AS Late,
           ${usualGapSql('Late')} AS Each,
           groupArrayIf(intDiv(toUnixTimestamp(TimeUnix), ${step}), TimeUnix >= ${params.time(since)}) AS At
         ${scope.from}${anyPart ? '' : ` AND Part IN ('', 'used')`}${which} GROUP BY Series
       ) GROUP BY E, H`,
    );
    const timeOf = (bucket: number): bigint => BigInt(bucket * this.step) * SECOND;
    for (const row of rows) {
      const key = keyOf(row.Environment, row.Host);
      if (this.pulses.has(key)) continue;
      const [first] = row.Steps;
      this.pulses.set(key, {
        key: { environment: row.Environment, host: row.Host },
        freshSeconds: row.Fresh,
        away: row.Gone.map(([last, next]) => ({ from: timeOf(last), to: timeOf(next) })),
        first: first === undefined ? undefined : timeOf(first),
      });
    }
  }
}
