import type { MetadataStore } from '@candela/metadata-store';
import type { Job } from './job.ts';

const DAY_MS = 86_400_000;

/** Removes events of the audit log that are older than the setting says. */
export function auditRetention(metadata: Pick<MetadataStore, 'audit'>, days: number): Job {
  return {
    id: 'audit-retention',
    title: 'Remove old events of the audit log',
    schedule: { everyMs: 6 * 3_600_000, atStart: true },
    run: async ({ now }) => ({ removed: await metadata.audit.prune(now() - days * DAY_MS) }),
  };
}
