import type { Params } from '../core/params.ts';

/**
 * Where a record stands among the others: by its time, then by when it was observed and received. Records equal in
 * all three came together and keep the order in which they were sent, which is the order they are stored in.
 */
export interface LogPlace {
  readonly ns: string;
  readonly observedNs: string;
  readonly receivedMs: string;
}

/** Where a record is stored: in the order in which those of one request were sent. */
export const STORED: readonly string[] = ['_part', '_part_offset'];

/** What orders records of one time that arrived together. */
export const SENT: readonly string[] = ['ObservedTimestamp', ...STORED];

export const PLACE_SQL = '(Timestamp, ObservedTimestamp, ReceivedAt)';

export function orderBy(direction: 'ASC' | 'DESC'): string {
  return `ORDER BY ${['Timestamp', 'ObservedTimestamp', 'ReceivedAt', ...STORED]
    .map((column) => `${column} ${direction}`)
    .join(', ')}`;
}

/** A place as a value to compare `PLACE_SQL` with. */
export function placeValue(place: LogPlace, params: Params): string {
  const received = params.bind(BigInt(place.receivedMs), 'Int64');
  return `(${params.time(BigInt(place.ns))}, ${params.time(BigInt(place.observedNs))}, fromUnixTimestamp64Milli(${received}))`;
}
