import { z } from 'zod';
import { idSchema } from '../identity/common.ts';
import { defineRoute, reads } from '../route.ts';
import { spelled } from './liberal.ts';
import { conditionSchema, DEFINITION_SPELLINGS, definitionShape } from './schemas.ts';

/** Fields that an explanation may be given: a span has more than an application sends. */
export const EXPLAIN_LIMITS = { fields: 500, key: 300, value: 100_000 } as const;

const explanationSchema = z
  .object({
    result: z.boolean(),
    why: z.string(),
    groups: z.array(
      z.object({
        result: z.boolean(),
        operator: z.enum(['AND', 'OR']),
        conditions: z.array(
          z.object({
            ...conditionSchema.shape,
            result: z.boolean(),
            seen: z
              .string()
              .nullable()
              .meta({ description: 'The value as text, at most 1,000 characters; null: there is none.' }),
            why: z.string(),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'RuleExplanation' });
export type RuleExplanation = z.output<typeof explanationSchema>;

export const explainRule = defineRoute({
  id: 'explainRule',
  method: 'POST',
  path: '/api/rule-engine/explain',
  tag: 'Rules',
  summary: 'Why a rule matches these fields or does not, condition by condition',
  permission: reads('rule_engine'),
  storage: 'platform',
  body: spelled(
    z
      .strictObject({
        rule: spelled(z.strictObject(definitionShape), DEFINITION_SPELLINGS)
          .optional()
          .meta({ description: 'A rule that is not saved. This or `ruleId`.' }),
        ruleId: idSchema.optional().meta({ description: 'A rule that is saved. This or `rule`.' }),
        fields: z
          .record(
            z.string().min(1).max(EXPLAIN_LIMITS.key),
            z.union([z.string().max(EXPLAIN_LIMITS.value), z.number(), z.boolean(), z.null()]),
          )
          .refine((fields) => Object.keys(fields).length <= EXPLAIN_LIMITS.fields, {
            error: `At most ${EXPLAIN_LIMITS.fields} fields.`,
          })
          .meta({ description: 'Null counts as not sent.' }),
      })
      .refine(({ rule, ruleId }) => (rule === undefined) !== (ruleId === undefined), {
        error: 'Give either "rule" or "ruleId".',
      }),
    { rule_id: 'ruleId' },
  ),
  response: z.object({ data: explanationSchema }),
  errors: ['not_found', 'refused', 'metadata_unavailable'],
});
