import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

/** Bounds of datasets. */
const DATASET_LIMITS = {
  name: 200,
  description: 2_000,
  itemsAtOnce: 1_000,
  page: 500,
  text: 900_000,
} as const;

const IMPORT_FORMATS = ['jsonl', 'csv', 'langfuse', 'openai', 'promptfoo'] as const;
const STATUSES = ['ACTIVE', 'ARCHIVED'] as const;

const itemId = z.string().min(1).max(200);
const record = z.record(z.string().max(200), z.unknown());
const datasetId = z.object({ id: z.string().min(1).max(200) });

const itemShape = {
  input: z.unknown().meta({ description: 'Text, or an object: variables of a prompt.' }),
  expectedOutput: z.unknown(),
  metadata: record.nullable(),
  sourceTraceId: z.string().max(64).nullable(),
  sourceSpanId: z.string().max(64).nullable(),
  status: z.enum(STATUSES),
};
const datasetItemSchema = z
  .object({ id: z.string(), ...itemShape, updatedAt: isoTime })
  .meta({ id: 'DatasetItem' });
export type DatasetItem = z.output<typeof datasetItemSchema>;

const datasetSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    metadata: record.nullable(),
    inputSchema: record.nullable().meta({ description: 'JSON Schema that inputs fit.' }),
    expectedSchema: record.nullable(),
    revision: z.int(),
    items: z.int().meta({ description: 'ACTIVE ones.' }),
    archived: z.int(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'Dataset' });
export type DatasetView = z.output<typeof datasetSchema>;

const shape = {
  name: z.string().trim().min(1).max(DATASET_LIMITS.name),
  description: z.string().max(DATASET_LIMITS.description).default(''),
  metadata: record.nullable().default(null),
  inputSchema: record.nullable().default(null),
  expectedSchema: record.nullable().default(null),
};

const tag = 'Datasets';
const common = ['metadata_unavailable'] as const;
const one = z.object({ data: datasetSchema });

const listDatasets = defineRoute({
  id: 'listDatasets',
  method: 'GET',
  path: '/api/evaluation/datasets',
  tag,
  summary: 'Datasets of the project and environment, newest first',
  permission: reads('evaluation'),
  response: z.object({ data: z.array(datasetSchema) }),
  errors: common,
});
const createDataset = defineRoute({
  id: 'createDataset',
  method: 'POST',
  path: '/api/evaluation/datasets',
  tag,
  summary: 'Makes a dataset',
  permission: writes('evaluation'),
  success: 201,
  body: z.strictObject(shape),
  response: one,
  errors: ['conflict', 'refused', ...common],
});
const getDataset = defineRoute({
  id: 'getDataset',
  method: 'GET',
  path: '/api/evaluation/datasets/{id}',
  tag,
  summary: 'One dataset, by id or name',
  permission: reads('evaluation'),
  params: datasetId,
  response: one,
  errors: ['not_found', ...common],
});
const deleteDataset = defineRoute({
  id: 'deleteDataset',
  method: 'DELETE',
  path: '/api/evaluation/datasets/{id}',
  tag,
  summary: 'Deletes a dataset with its items',
  permission: writes('evaluation'),
  params: datasetId,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});
const listDatasetItems = defineRoute({
  id: 'listDatasetItems',
  method: 'GET',
  path: '/api/evaluation/datasets/{id}/items',
  tag,
  summary: 'Items in their order, as they were at a revision',
  permission: reads('evaluation'),
  params: datasetId,
  query: z.strictObject({
    revision: z.coerce.number().int().min(1).optional(),
    status: z.enum(STATUSES).optional(),
    limit: z.coerce.number().int().min(1).max(DATASET_LIMITS.page).default(100),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
  }),
  response: z.object({ data: z.array(datasetItemSchema), nextCursor: z.string().nullable() }),
  errors: ['not_found', ...common],
});
const addDatasetItems = defineRoute({
  id: 'addDatasetItems',
  method: 'POST',
  path: '/api/evaluation/datasets/{id}/items',
  tag,
  summary: 'Adds items, or replaces those with the same id: one new revision. From spans: their messages',
  permission: writes('evaluation'),
  params: datasetId,
  body: z.strictObject({
    items: z
      .array(
        z.strictObject({
          id: itemId.optional(),
          input: z.unknown(),
          expectedOutput: z.unknown().optional(),
          metadata: record.nullable().optional(),
          sourceTraceId: itemShape.sourceTraceId.optional(),
          sourceSpanId: itemShape.sourceSpanId.optional(),
          status: z.enum(STATUSES).default('ACTIVE'),
        }),
      )
      .max(DATASET_LIMITS.itemsAtOnce)
      .default([]),
    spans: z
      .array(
        z.strictObject({
          traceId: z.string().regex(/^[0-9a-f]{32}$/i),
          spanId: z.string().regex(/^[0-9a-f]{16}$/i),
        }),
      )
      .max(100)
      .default([]),
  }),
  response: z.object({ data: z.object({ revision: z.int(), ids: z.array(z.string()) }) }),
  errors: ['not_found', 'refused', 'conflict', ...common],
});
const importDataset = defineRoute({
  id: 'importDataset',
  method: 'POST',
  path: '/api/evaluation/datasets/{id}/import',
  tag,
  summary: 'Reads items out of a text; a bad line names itself. With `preview` nothing is kept',
  permission: writes('evaluation'),
  params: datasetId,
  body: z.strictObject({
    format: z.enum(IMPORT_FORMATS),
    text: z
      .string()
      .min(1)
      .max(DATASET_LIMITS.text)
      .meta({ description: 'Larger files: in parts, line by line.' }),
    preview: z.boolean().default(false),
    columns: z
      .strictObject({ input: z.string().max(200), expectedOutput: z.string().max(200) })
      .partial()
      .default({})
      .meta({
        description: 'Of a CSV file: which column is what. The others are metadata; without, all are input.',
      }),
  }),
  response: z.object({
    data: z.object({
      revision: z.int(),
      items: z.int(),
      first: z.array(z.object({ id: z.string(), input: z.unknown(), expectedOutput: z.unknown() })),
      errors: z.array(z.object({ line: z.int(), message: z.string() })),
    }),
  }),
  errors: ['not_found', 'refused', 'conflict', ...common],
});
const exportDataset = defineRoute({
  id: 'exportDataset',
  method: 'GET',
  path: '/api/evaluation/datasets/{id}/export',
  tag,
  summary: 'The items of a revision as JSON lines or CSV; JSON lines import to the same hash',
  permission: reads('evaluation'),
  params: datasetId,
  query: z.strictObject({
    format: z.enum(['jsonl', 'csv']).default('jsonl'),
    revision: z.coerce.number().int().min(1).optional(),
  }),
  stream: 'file',
  produces: ['application/x-ndjson', 'text/csv'],
  response: z.string(),
  errors: ['not_found', ...common],
});

export const DATASET_ROUTES = {
  listDatasets,
  createDataset,
  getDataset,
  deleteDataset,
  listDatasetItems,
  addDatasetItems,
  importDataset,
  exportDataset,
} as const;
