import type { RequestContext } from '@candela/kernel';
import type { Scope } from '../core/scope.ts';
import type { Fresh } from './fresh.ts';
import { type HostKey, points } from './sources.ts';

/** A host, or a device of one, that fell silent. */
export interface Silent extends HostKey {
  /** Empty: the host itself. */
  readonly device: string;
  /** When it was heard of last. */
  readonly last: bigint;
  /** For so long its values were current. */
  readonly seconds: number;
}

/** So many are shown as they were; of more those that fell silent last. */
const MOST = 500;

const SECOND = 1_000_000_000n;
const idOf = ({ environment, host, device }: Silent): string => [environment, host, device].join('\n');

/** The last points of what fell silent: each as it stood when it was heard of last, all in one statement. */
export class LastHeard implements Pick<Fresh, 'points'> {
  private readonly silent: readonly Silent[];

  /** All of them hosts, or all of them devices. */
  constructor(silent: readonly Silent[]) {
    this.silent = silent.toSorted((a, b) => (a.last < b.last ? 1 : a.last > b.last ? -1 : 0)).slice(0, MOST);
  }

  get isEmpty(): boolean {
    return this.silent.length === 0;
  }

  points(context: RequestContext, metrics: readonly string[]): Scope {
    const { silent } = this;
    const begin = ({ last, seconds }: Silent): bigint => {
      const from = last - BigInt(seconds) * SECOND;
      return from > 0n ? from : 0n;
    };
    const window = {
      from: silent.map(begin).reduce((least, at) => (at < least ? at : least)),
      to: silent.map(({ last }) => last).reduce((most, at) => (at > most ? at : most)) + 1n,
    };
    const scope = points(context, metrics, window);
    const { params } = scope;
    const hosts = params.bind([...new Set(silent.map(({ host }) => host))], 'Array(String)');
    const ids = params.bind(silent.map(idOf), 'Array(String)');
    const begins = params.bind(silent.map(begin), 'Array(Int64)');
    const ends = params.bind(
      silent.map(({ last }) => last),
      'Array(Int64)',
    );
    const device = silent[0]?.device === '' ? "''" : 'toString(Device)';
    const id = `concat(toString(Environment), '\n', toString(Host), '\n', ${device})`;
    const time = 'toUnixTimestamp64Nano(TimeUnix)';
    // What is none of them ends before it begins.
    return scope
      .and(`Host IN ${hosts}`)
      .and(
        `${time} > transform(${id}, ${ids}, ${begins}, toInt64(1)) AND ${time} <= transform(${id}, ${ids}, ${ends}, toInt64(0))`,
      );
  }
}
