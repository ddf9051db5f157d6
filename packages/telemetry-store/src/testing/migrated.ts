import { cpSync } from 'node:fs';

/** Where a run of tests has a store of this schema, which was opened once and never written. */
export const MIGRATED_STORE = 'CANDELA_MIGRATED_STORE';

/**
 * Puts a new store into `dir`, with its tables where the run of tests has made them: for a test of anything but how they
 * are made.
 */
export function newStoreIn(dir: string): string {
  const made = process.env[MIGRATED_STORE];
  if (made !== undefined) cpSync(made, dir, { recursive: true });
  return dir;
}
