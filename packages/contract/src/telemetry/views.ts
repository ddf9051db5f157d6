import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime } from './common.ts';

/** Bounds of saved views. */
export const VIEW_LIMITS = { name: 100, description: 500, search: 8_192, perProject: 1_000 } as const;

/** Pages a view can belong to: the path of the page without its slash. */
const page = z.string().regex(/^[a-z][a-z0-9-]{0,39}(?:\/[a-z][a-z0-9-]{0,39}){0,2}$/, {
  error: 'A page is the path of one of ours without the slash, e.g. "traces".',
});
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, { error: 'One line, without control characters.' });

const shape = {
  page,
  name: line(VIEW_LIMITS.name),
  description: z.string().trim().max(VIEW_LIMITS.description).nullable().meta({ description: 'Null: none.' }),
  search: z
    .string()
    .max(VIEW_LIMITS.search)
    .regex(/^(?:\?[^\s#]*)?$/, {
      error: 'The search part of the page address: empty, or "?" and what follows.',
    })
    .meta({ description: 'The search part of the page address, which holds all of its state.' }),
};

export const viewSchema = z
  .object({ id: z.string(), ...shape, createdAt: isoTime, updatedAt: isoTime })
  .meta({ id: 'SavedView' });
export type SavedView = z.output<typeof viewSchema>;

const id = z.object({ id: z.string().min(1).max(64) });
const errors = ['metadata_unavailable'] as const;

export const listViews = defineRoute({
  id: 'listViews',
  method: 'GET',
  path: '/api/telemetry/views',
  tag: 'Views',
  summary: 'Saved views of the project, by name',
  permission: reads('telemetry'),
  query: z.strictObject({
    page: page.optional(),
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().min(1).max(1_024).optional(),
  }),
  response: z.object({ data: z.array(viewSchema), nextCursor: z.string().nullable() }),
  errors: ['bad_query', ...errors],
});

export const createView = defineRoute({
  id: 'createView',
  method: 'POST',
  path: '/api/telemetry/views',
  tag: 'Views',
  summary: 'Saves a view for everybody in the project; an `Idempotency-Key` makes a repeated call safe',
  permission: writes('telemetry'),
  success: 201,
  body: z.strictObject({ ...shape, description: shape.description.default(null) }),
  response: z.object({ data: viewSchema }),
  errors: ['conflict', 'refused', ...errors],
});

export const getView = defineRoute({
  id: 'getView',
  method: 'GET',
  path: '/api/telemetry/views/{id}',
  tag: 'Views',
  summary: 'One saved view',
  permission: reads('telemetry'),
  params: id,
  response: z.object({ data: viewSchema }),
  errors: ['not_found', ...errors],
});

export const updateView = defineRoute({
  id: 'updateView',
  method: 'PATCH',
  path: '/api/telemetry/views/{id}',
  tag: 'Views',
  summary: 'Changes what is named of a saved view',
  permission: writes('telemetry'),
  params: id,
  body: z.strictObject({
    name: shape.name.optional(),
    description: shape.description.optional(),
    search: shape.search.optional(),
  }),
  response: z.object({ data: viewSchema }),
  errors: ['not_found', 'conflict', ...errors],
});

export const deleteView = defineRoute({
  id: 'deleteView',
  method: 'DELETE',
  path: '/api/telemetry/views/{id}',
  tag: 'Views',
  summary: 'Deletes a saved view',
  permission: writes('telemetry'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});
