import { z } from 'zod';
import { KEY_SOURCES } from '../filter/keys.ts';
import { EVENT_KINDS } from '../filter/records.ts';
import { defineRoute, reads } from '../route.ts';
import { count, timeSchema } from './common.ts';

/** `text`: searched by words. `key` types are what the senders said: `mixed` when they differ. */
export const FIELD_TYPES = [
  'string',
  'text',
  'enum',
  'number',
  'duration',
  'bytes',
  'boolean',
  'mixed',
] as const;

const question = {
  signal: z.enum(EVENT_KINDS).default('spans'),
  from: timeSchema.default('-24h'),
  to: timeSchema.default('now'),
  q: z.string().max(4_096).optional(),
};

export const fieldSchema = z
  .object({
    field: z.string().meta({ description: 'As a filter writes it: `service`, `attributes.http.route`.' }),
    source: z.enum(['named', ...KEY_SOURCES]),
    type: z.enum(FIELD_TYPES),
    description: z.string(),
    rows: count.meta({ description: 'Sampled rows that have it.' }),
  })
  .meta({ id: 'Field' });
export type FieldInfo = z.output<typeof fieldSchema>;

export const listFields = defineRoute({
  id: 'listFields',
  method: 'GET',
  path: '/api/telemetry/fields',
  tag: 'Telemetry',
  summary: 'Fields a filter can use: the named ones, and the attribute keys of the newest rows of the window',
  permission: reads('telemetry'),
  shared: true,
  query: z.strictObject({ ...question, prefix: z.string().max(300).default('') }),
  response: z.object({
    data: z.object({
      sampled: count.meta({ description: 'Rows looked at: the newest of the window.' }),
      fields: z.array(fieldSchema),
      more: z.boolean().meta({ description: 'True when there are more keys than are listed.' }),
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const listFieldValues = defineRoute({
  id: 'listFieldValues',
  method: 'GET',
  path: '/api/telemetry/fields/values',
  tag: 'Telemetry',
  summary:
    'Values of one field that begin with a text (else contain it), the most frequent of the newest rows first',
  permission: reads('telemetry'),
  shared: true,
  query: z.strictObject({
    ...question,
    field: z.string().min(1).max(300),
    prefix: z.string().max(300).default(''),
    limit: z.coerce.number().int().min(1).max(100).default(20),
  }),
  response: z.object({
    data: z.object({
      sampled: count.meta({ description: 'Rows looked at, the newest of the window, that have the field.' }),
      values: z.array(z.object({ value: z.string(), count })),
      more: z.boolean(),
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
