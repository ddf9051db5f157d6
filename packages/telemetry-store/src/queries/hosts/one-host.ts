import type { Facts } from './facts.ts';
import type { Fresh } from './fresh.ts';
import type { HostKey } from './sources.ts';

/** What is read of one host for more than its summary, or was read before. */
export interface OneHost {
  readonly key: HostKey;
  /** What is said of it. */
  readonly facts: readonly Facts[];
  readonly fresh: Promise<Fresh>;
  /** What is said of its processes. */
  readonly processes: Promise<readonly Facts[]>;
  /** Counters of which the rates and what they grew by are read beside those of its summary. */
  readonly rates: readonly string[];
  readonly increases: readonly string[];
}
