import { z } from 'zod';
import { idSchema } from '../identity/common.ts';
import { defineRoute, reads } from '../route.ts';
import { spelled } from './liberal.ts';
import { conditionSchema, DEFINITION_SPELLINGS, definitionShape } from './schemas.ts';

/** Fields that an explanation may be given: a span has more than an application sends. */
export const EXPLAIN_LIMITS = { fields: 500, key: 300, value: 100_000 } as const;

const hexId = (digits: number) =>
  z.string().regex(new RegExp(`^[0-9a-fA-F]{${digits}}$`), { error: `${digits} hexadecimal digits.` });

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
  summary: 'Why a rule matches these fields, or a span, or does not: condition by condition',
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
          .optional()
          .meta({ description: 'What an application would send; null counts as not sent. This or `span`.' }),
        span: z
          .strictObject({ traceId: hexId(32), spanId: hexId(16) })
          .optional()
          .meta({ description: 'A span, whose fields are asked; needs the scope telemetry too.' }),
      })
      .refine(({ rule, ruleId }) => (rule === undefined) !== (ruleId === undefined), {
        error: 'Give either "rule" or "ruleId".',
      })
      .refine(({ fields, span }) => (fields === undefined) !== (span === undefined), {
        error: 'Give either "fields" or "span".',
      }),
    { rule_id: 'ruleId' },
  ),
  response: z.object({ data: explanationSchema }),
  errors: ['not_found', 'refused', 'query_too_expensive', 'store_unavailable', 'metadata_unavailable'],
});
