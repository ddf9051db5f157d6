import type { Findings } from './table.ts';

/** A bench: measures and returns what it found, or undefined when it prints and documents its figures itself. */
export interface Bench {
  run(args: readonly string[]): Promise<Findings | undefined>;
}
