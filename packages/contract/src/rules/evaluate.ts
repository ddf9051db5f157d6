import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { entityTypeSchema } from './schemas.ts';

/** Bounds of one evaluation. Lengths are UTF-16 units. */
export const EVALUATE_LIMITS = {
  fields: 50,
  key: 100,
  value: 1_000,
  /** Records, and characters of their texts together, in one answer. */
  records: 500,
  recordCharacters: 4_194_304,
} as const;

/**
 * Shipped clients send more than is read (`source`, `metaProperties`) and read our sentences, whose order is promised:
 * so what is sent is checked by hand, and the shape here is for the document.
 */
const request = z
  .looseObject({
    entity_type: z.unknown().optional().meta({
      type: 'string',
      enum: entityTypeSchema.options,
      description: 'Only rules linked to something of this type are told.',
    }),
    fields: z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        maxProperties: EVALUATE_LIMITS.fields,
        description: `What the conditions look at: names of 1 to ${EVALUATE_LIMITS.key} characters, texts of at most ${EVALUATE_LIMITS.value}, numbers, booleans. Null counts as not sent.`,
      }),
    include_entity_data: z.unknown().optional().meta({
      type: 'boolean',
      description: 'True: `entity_data` holds what is linked. Anything else: it is absent.',
    }),
    entity_inputs: z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        properties: {
          variables: { type: 'object' },
          version: { type: 'string' },
          shouldCompile: { type: 'boolean' },
        },
        description: 'For prompts: variables, version, and whether variables are put in (unless false).',
      }),
  })
  .meta({ required: ['entity_type', 'fields'] });

/** A context as it is handed out. */
const contextRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    content: z.string(),
    tags: z.array(z.string()),
    meta_properties: z.record(z.string(), z.unknown()),
    status: z.string(),
    created_by: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'ContextRecord' });
export type ContextRecord = z.output<typeof contextRecord>;

const response = z
  .object({
    matchingRuleIds: z.array(z.string()).meta({ description: 'By priority, then id.' }),
    entities: z
      .array(z.object({ rule_id: z.string(), entity_type: entityTypeSchema, entity_id: z.string() }))
      .meta({ description: 'What the matching rules are linked to, in the order of the rules.' }),
    entity_data: z
      .record(z.string(), z.union([contextRecord, z.record(z.string(), z.unknown()), z.null()]))
      .optional()
      .meta({
        description:
          'By `<entity_type>:<entity_id>`: a context, or a compiled prompt; null when it was deleted. Empty for evaluations.',
      }),
  })
  .meta({ id: 'RuleEvaluation' });
export type RuleEvaluation = z.output<typeof response>;

export const evaluateRules = defineRoute({
  id: 'evaluateRules',
  method: 'POST',
  path: '/api/rule-engine/evaluate',
  tag: 'Rules',
  summary: 'Which ACTIVE rules match these fields, and what they hand out',
  permission: reads('rule_engine'),
  storage: 'platform',
  crossOrigin: 'unread',
  pace: 'sdk',
  body: request,
  response,
  errors: ['refused', 'metadata_unavailable'],
});
