import { z } from 'zod';
import { defineRoute, manages } from '../route.ts';

/** Days that telemetry may be kept. */
export const RETENTION_DAYS = { min: 1, max: 3_650 } as const;

const days = z.int().min(RETENTION_DAYS.min).max(RETENTION_DAYS.max);
const signalRetention = z.object({
  days: days.meta({ description: 'What counts for records that arrive now.' }),
  own: z.boolean().meta({ description: 'Whether the project chose it; otherwise it is the default.' }),
  default: days.meta({ description: 'What counts without a choice of the project: the configuration.' }),
});

export const retentionSchema = z
  .object({ traces: signalRetention, metrics: signalRetention, logs: signalRetention })
  .meta({ id: 'Retention' });
export type RetentionSettings = z.output<typeof retentionSchema>;

export const getRetention = defineRoute({
  id: 'getRetention',
  method: 'GET',
  path: '/api/retention',
  tag: 'Retention',
  summary: 'How long the records of the project are kept, by signal',
  permission: manages('viewer'),
  response: z.object({ data: retentionSchema }),
  errors: ['metadata_unavailable'],
});

const change = days
  .nullable()
  .optional()
  .meta({ description: 'Null: back to the default. Left out: stays.' });

export const updateRetention = defineRoute({
  id: 'updateRetention',
  method: 'PUT',
  path: '/api/retention',
  tag: 'Retention',
  summary:
    'Changes how long records are kept. Shorter also deletes what is older, soon; longer counts for what arrives from now on',
  permission: manages('admin'),
  body: z.strictObject({ traces: change, metrics: change, logs: change }),
  response: z.object({ data: retentionSchema }),
  errors: ['metadata_unavailable'],
});
