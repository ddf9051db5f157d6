/** Bounds of the answers about hosts. */
export const HOST_LIMITS = {
  hosts: 2_000,
  gpus: 20_000,
  processes: 1_000,
  /** Values older than this, in seconds, are no current values: three intervals of an agent's default. */
  freshSeconds: 180,
  /** Of a host that reports more seldom: so many of its own intervals, and at most so many seconds. */
  freshIntervals: 3,
  freshMostSeconds: 1_200,
  /** Machines of one name that are told apart, of each agent the newest. */
  machines: 32,
  /** Silences that are told of a host, the longest. */
  away: 5,
  maxPoints: 400,
} as const;
