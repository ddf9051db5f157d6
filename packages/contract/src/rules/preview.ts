import { z } from 'zod';
import { idSchema } from '../identity/common.ts';
import { defineRoute, reads } from '../route.ts';
import { count, isoTime, timeSchema } from '../telemetry/common.ts';
import { spanRowSchema } from '../telemetry/traces.ts';
import { spelled } from './liberal.ts';
import { DEFINITION_SPELLINGS, definitionShape } from './schemas.ts';

/** Newest matching spans that a preview lists. */
export const MAX_PREVIEW_SPANS = 50;

const window = {
  from: timeSchema.default('-24h'),
  to: timeSchema.default('now'),
};
const previewShape = {
  ...window,
  limit: z
    .int()
    .min(0)
    .max(MAX_PREVIEW_SPANS)
    .default(10)
    .meta({ description: 'Newest matching spans to list; with 0 it only counts.' }),
};

const preview = z
  .object({
    total: count.meta({ description: 'Spans of the window.' }),
    seen: count.meta({ description: 'Spans that the rule was asked about.' }),
    sampled: z.boolean().meta({
      description:
        'True: these are not all, but pieces spread evenly over the window; the counts are of them.',
    }),
    matched: count.meta({ description: 'Of the spans seen.' }),
    conditions: z
      .array(
        z.array(
          z.object({
            matched: count.meta({ description: 'Spans that the condition alone matches.' }),
            excluded: count.nullable().meta({
              description:
                'Spans that match without this condition, but not with it; null in a rule of very many conditions.',
            }),
          }),
        ),
      )
      .meta({ description: 'By group, by condition.' }),
    newest: z.array(spanRowSchema).meta({ description: 'Spans that match, newest first.' }),
    newestSince: isoTime
      .nullable()
      .meta({ description: 'How far back these were looked for; null: in the whole window.' }),
  })
  .meta({ id: 'RulePreview' });
export type RulePreview = z.output<typeof preview>;

const errors = ['bad_query', 'refused', 'query_too_expensive', 'store_unavailable'] as const;
const shared = { tag: 'Rules', permission: reads('rule_engine') } as const;

export const previewRule = defineRoute({
  ...shared,
  id: 'previewRule',
  method: 'POST',
  path: '/api/rule-engine/preview',
  summary: 'What a rule that is not saved says of the spans of a window; needs the scope telemetry too',
  body: z.strictObject({
    rule: spelled(z.strictObject(definitionShape), DEFINITION_SPELLINGS),
    ...previewShape,
  }),
  response: z.object({ data: preview }),
  errors: [...errors],
});

export const previewSavedRule = defineRoute({
  ...shared,
  id: 'previewSavedRule',
  method: 'POST',
  path: '/api/rule-engine/rules/{id}/preview',
  summary: 'What a rule says of the spans of a window; needs the scope telemetry too',
  storage: 'platform',
  params: z.object({ id: idSchema }),
  body: z.strictObject(previewShape),
  response: z.object({ data: preview }),
  errors: ['not_found', 'metadata_unavailable', ...errors],
});

export const listRuleFieldValues = defineRoute({
  ...shared,
  id: 'listRuleFieldValues',
  method: 'GET',
  path: '/api/rule-engine/field-values',
  summary:
    'Values that spans have for a field of a rule, the most frequent of the newest ones first; needs the scope telemetry too',
  query: z.strictObject({
    ...window,
    field: z.string().trim().min(1).max(200),
    prefix: z.string().max(300).default('').meta({
      description: 'Values that begin with it come first, then those that contain it; others are left out.',
    }),
    limit: z.coerce.number().int().min(1).max(100).default(20),
  }),
  response: z.object({
    data: z.object({
      sampled: count.meta({ description: 'Spans looked at that have the field.' }),
      values: z.array(z.object({ value: z.string(), count })),
      more: z.boolean(),
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});
