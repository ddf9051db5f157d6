import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { count, isoTime } from './common.ts';

const certificateSchema = z
  .object({
    projectId: z.string(),
    environment: z.string().nullable().meta({ description: 'Null: all of the project.' }),
    userHash: z.string().meta({ description: 'SHA-256 of the user id, which stands nowhere any more.' }),
    dryRun: z.boolean(),
    startedAt: isoTime,
    endedAt: isoTime,
    traces: count,
    sessions: count,
    sharedTraces: count.meta({
      description: 'Traces of which other spans stay: their sums are made again of these.',
    }),
    tables: z
      .array(z.object({ connectorId: z.string(), table: z.string(), before: count, after: count }))
      .meta({ description: 'Rows that were theirs, before and after; tables that held none are left out.' }),
    chats: z.object({ before: count, after: count }).meta({
      description: 'Conversations with the assistant of the person with this id or e-mail address.',
    }),
    media: z.object({ before: count, after: count }).meta({
      description:
        'Images, sounds and files that were sent for their spans; after it, those that spans of others have too and that stay for these.',
    }),
    complete: z.boolean().meta({ description: 'Whether nothing is left.' }),
    backups: z.object({ target: z.string(), keep: count }).nullable().meta({
      description:
        'Where backups made before this still hold it, and how many are kept: it is gone with the last of them. Null: no backups are made here.',
    }),
    digest: z.string().meta({ description: 'SHA-256 of all the above as JSON; the audit log has it too.' }),
  })
  .meta({ id: 'ErasureCertificate' });
export type ErasureCertificate = z.output<typeof certificateSchema>;

export const eraseUserData = defineRoute({
  id: 'eraseUserData',
  method: 'POST',
  path: '/api/erasure',
  tag: 'Retention',
  summary:
    'Deletes what the project holds of a user of its applications, by user id: spans, logs, scores, exceptions and metrics that name them, and of their traces and sessions what names nobody else; conversations of the person with that id. Answers with counts before and after',
  permission: { key: 'db_config', role: 'admin', on: 'project' },
  body: z.strictObject({
    userId: z.string().min(1).max(1_000),
    dryRun: z.boolean().default(false).meta({ description: 'Counts what would go.' }),
  }),
  response: z.object({ data: certificateSchema }),
  errors: ['refused', 'store_unavailable', 'overloaded', 'metadata_unavailable'],
});
