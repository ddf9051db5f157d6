import type { MetadataStore } from '@candela/metadata-store';
import type { Job } from './job.ts';

const DAY_MS = 86_400_000;
/** A year can be compared with the one before it. */
const KEPT_DAYS = 400;

/** Removes rows that say what calls of models used, 400 days later. */
export function usageRetention(metadata: Pick<MetadataStore, 'llmUsage'>): Job {
  return {
    id: 'usage-retention',
    title: 'Remove old rows of what calls of models used',
    schedule: { everyMs: DAY_MS },
    run: async ({ now }) => ({ removed: await metadata.llmUsage.prune(now() - KEPT_DAYS * DAY_MS) }),
  };
}
