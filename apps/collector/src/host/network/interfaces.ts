export const DIRECTIONS = ['receive', 'transmit'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What one direction of an interface has counted since the system set it up. */
export interface Traffic {
  readonly bytes: bigint;
  readonly packets: bigint;
  readonly errors: bigint;
  /** Absent where the system counts none for this direction. */
  readonly dropped?: bigint;
}

export interface InterfaceReading extends Readonly<Record<Direction, Traffic>> {
  readonly name: string;
}

/** Bounds the series of a host with an interface for every container. */
export const MAX_INTERFACES = 1_000;
