import type { MetadataStore } from '@candela/metadata-store';
import type { Job } from './job.ts';

const DAY_MS = 86_400_000;
/** What was announced and did not come within an hour does not come. */
const ANNOUNCED_MS = 3_600_000;

/** Removes media that was last used longer ago than its project keeps traces, and what never came. */
export function mediaRetention({
  metadata,
  daysOf,
}: {
  readonly metadata: Pick<MetadataStore, 'media' | 'projects'>;
  readonly daysOf: (projectId: string) => number;
}): Job {
  return {
    id: 'media-retention',
    title: 'Remove media that is older than the traces of its project',
    schedule: { everyMs: 3_600_000, atStart: true },
    async run({ now, signal }) {
      let removed = 0;
      for (const { id } of await metadata.projects.all()) {
        if (signal.aborted) break;
        const before = { usedAt: now() - daysOf(id) * DAY_MS, announcedAt: now() - ANNOUNCED_MS };
        removed += await metadata.media.prune(id, before);
      }
      return { removed };
    },
  };
}
