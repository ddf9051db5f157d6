import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

const field = z.strictObject({
  name: z.string().trim().min(1).max(100).meta({ description: 'Name of the score that comes of it.' }),
  kind: z.enum(['pass_fail', 'category', 'number']),
  options: z
    .array(z.string().min(1).max(100))
    .max(9)
    .default([])
    .meta({ description: 'Of a category; keys 1 to 9.' }),
});
const isSet = (names: readonly string[]) => new Set(names).size === names.length;
/** What a queue asks for: what nobody could answer is refused. */
const newFields = z
  .array(
    field
      .refine(({ kind, options }) => kind !== 'category' || options.length >= 2, {
        error: 'A category has two to nine options.',
      })
      .refine(({ options }) => isSet(options), { error: 'Two options are alike.' }),
  )
  .min(1)
  .max(10)
  .refine((fields) => isSet(fields.map(({ name }) => name)), { error: 'Two fields have one name.' })
  .refine((fields) => fields.every(({ name }) => name !== '__proto__'), {
    error: 'No JSON object can hold a value of "__proto__".',
  });
/** `skipped`: as many reviewers as the queue asks have skipped it. Who has not seen it is still asked, last. */
const status = z.enum(['open', 'done', 'disputed', 'skipped']);
const value = z.union([z.string().max(500), z.number()]);
const label = z.object({
  reviewer: z.string(),
  values: z.record(z.string(), value),
  comment: z.string().nullable(),
  skipped: z.string().nullable().meta({ description: 'Why it was skipped.' }),
  at: isoTime,
});

const queueSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    instructions: z.string(),
    fields: z.array(field),
    reviewers: z.int().meta({ description: 'Labels an item needs.' }),
    blind: z.boolean().meta({ description: "Other people's labels are hidden until all are in." }),
    counts: z.object({ open: z.int(), done: z.int(), disputed: z.int(), skipped: z.int() }),
    createdAt: isoTime,
  })
  .meta({ id: 'AnnotationQueue' });
export type AnnotationQueue = z.output<typeof queueSchema>;

const queueItemSchema = z
  .object({
    id: z.string(),
    traceId: z.string(),
    spanId: z.string().nullable(),
    status,
    labels: z
      .array(label)
      .meta({ description: "Other people's are shown when all are in, or when the queue is not blind." }),
    hidden: z.int().meta({ description: 'Labels of others that are not shown yet.' }),
  })
  .meta({ id: 'AnnotationItem' });
export type AnnotationItem = z.output<typeof queueItemSchema>;

const tag = 'Annotation';
const common = ['metadata_unavailable'] as const;
const id = z.object({ id: z.string().min(1).max(200) });
const itemId = z.object({ id: z.string().min(1).max(200), itemId: z.string().min(1).max(200) });

const listQueues = defineRoute({
  id: 'listQueues',
  method: 'GET',
  path: '/api/evaluation/queues',
  tag,
  summary: 'Annotation queues with what waits in them',
  permission: reads('evaluation'),
  response: z.object({ data: z.array(queueSchema) }),
  errors: common,
});
const createQueue = defineRoute({
  id: 'createQueue',
  method: 'POST',
  path: '/api/evaluation/queues',
  tag,
  summary: 'Makes an annotation queue',
  permission: writes('evaluation'),
  success: 201,
  body: z.strictObject({
    name: z.string().trim().min(1).max(200),
    instructions: z.string().max(5_000).default(''),
    fields: newFields,
    reviewers: z.int().min(1).max(10).default(1),
    blind: z.boolean().default(true),
  }),
  response: z.object({ data: queueSchema }),
  errors: ['conflict', 'refused', ...common],
});
const deleteQueue = defineRoute({
  id: 'deleteQueue',
  method: 'DELETE',
  path: '/api/evaluation/queues/{id}',
  tag,
  summary: 'Deletes a queue; the scores that came of it stay',
  permission: writes('evaluation'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});
const listQueueItems = defineRoute({
  id: 'listQueueItems',
  method: 'GET',
  path: '/api/evaluation/queues/{id}/items',
  tag,
  summary: 'Items of a queue with the labels that the caller may see',
  permission: reads('evaluation'),
  params: id,
  query: z.strictObject({ status: status.optional() }),
  response: z.object({ data: z.array(queueItemSchema) }),
  errors: ['not_found', ...common],
});
const addQueueItems = defineRoute({
  id: 'addQueueItems',
  method: 'POST',
  path: '/api/evaluation/queues/{id}/items',
  tag,
  summary: 'Puts spans into a queue: named ones, or those that a filter finds; each once',
  permission: writes('evaluation'),
  params: id,
  body: z
    .strictObject({
      spans: z
        .array(
          z.strictObject({
            traceId: z.string().regex(/^[0-9a-f]{32}$/i),
            spanId: z.string().regex(/^[0-9a-f]{16}$/i),
          }),
        )
        .max(500)
        .optional(),
      q: z.string().max(4_096).optional(),
      limit: z.int().min(1).max(500).default(50),
    })
    .refine(({ spans, q }) => (spans === undefined) !== (q === undefined), {
      error: 'Name spans or a filter (q).',
    }),
  response: z.object({ data: z.object({ added: z.int() }) }),
  errors: ['not_found', 'refused', 'bad_query', ...common],
});
const claimQueueItem = defineRoute({
  id: 'claimQueueItem',
  method: 'POST',
  path: '/api/evaluation/queues/{id}/claim',
  tag,
  summary: 'The next item for this reviewer, theirs for 15 minutes; null: nothing is left for them',
  permission: writes('evaluation'),
  params: id,
  response: z.object({ data: queueItemSchema.nullable() }),
  errors: ['not_found', ...common],
});
const labelQueueItem = defineRoute({
  id: 'labelQueueItem',
  method: 'POST',
  path: '/api/evaluation/queues/{id}/items/{itemId}/labels',
  tag,
  summary:
    'Labels an item, or skips it with a reason; a reviewer labels an item once. A disputed one takes one more; one that as many skipped as the queue asks is skipped, until somebody labels it',
  permission: writes('evaluation'),
  params: itemId,
  body: z
    .strictObject({
      values: z.record(z.string().max(100), value).default({}),
      comment: z.string().max(2_000).optional(),
      skip: z.string().trim().min(1).max(500).optional(),
    })
    .refine(({ values, skip }) => skip !== undefined || Object.keys(values).length > 0, {
      error: 'Give values, or skip with a reason.',
    }),
  response: z.object({ data: queueItemSchema }),
  errors: ['not_found', 'refused', 'conflict', ...common],
});
const queueAgreement = defineRoute({
  id: 'queueAgreement',
  method: 'GET',
  path: '/api/evaluation/queues/{id}/agreement',
  tag,
  summary: 'How far reviewers agree, by field: Cohen kappa over their pairs',
  permission: reads('evaluation'),
  params: id,
  response: z.object({
    data: z.array(
      z.object({ field: z.string(), pairs: z.int(), agreed: z.int(), kappa: z.number().nullable() }),
    ),
  }),
  errors: ['not_found', ...common],
});

export const QUEUE_ROUTES = {
  listQueues,
  createQueue,
  deleteQueue,
  listQueueItems,
  addQueueItems,
  claimQueueItem,
  labelQueueItem,
  queueAgreement,
} as const;
