import type { SourceEntry } from './source.ts';

/** Everything that can be measured. One line a source. */
export const SOURCES: readonly SourceEntry[] = [];
