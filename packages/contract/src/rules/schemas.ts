import { z } from 'zod';
import { isoTime } from '../telemetry/common.ts';
import { activeStatus, line, revision, spelled, text } from './liberal.ts';

/** Bounds of rules beside those of `@candela/rules`, which says what a rule may hold. */
export const RULE_DOCUMENT_LIMITS = {
  name: 100,
  description: 2_000,
  links: 100,
  /** Lower is more urgent. */
  minPriority: -1_000_000,
  maxPriority: 1_000_000,
  defaultPriority: 100,
} as const;

/** What a rule can be linked to. */
export const ENTITY_TYPES = ['context', 'prompt', 'evaluation'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];
export const entityTypeSchema = z.enum(ENTITY_TYPES).meta({ id: 'RuleEntityType' });

/** The same ones as in `@candela/rules`, which a test holds this to. */
export const RULE_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'regex',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
] as const;

/** Far more than a rule may have: the sentence about that is for whoever knows the bound. */
const MANY = 1_000;
const joiner = z.enum(['AND', 'OR']);

const conditionShape = {
  field: z.string(),
  operator: z.enum(RULE_OPERATORS),
  value: z.string().meta({ description: 'A list is separated by commas; `between` takes `min,max`.' }),
  dataType: z.enum(['string', 'number', 'boolean']),
};
export const conditionSchema = z.object(conditionShape).meta({ id: 'RuleCondition' });
const groupSchema = z
  .object({ operator: joiner, conditions: z.array(conditionSchema) })
  .meta({ id: 'RuleConditionGroup' });

const conditionInput = spelled(
  z.strictObject({
    field: z.string().max(MANY),
    operator: z.enum(RULE_OPERATORS),
    value: z.union([z.string(), z.number(), z.boolean()]).transform(String).meta({
      description: 'A list is separated by commas; `between` takes `min,max`.',
    }),
    dataType: conditionShape.dataType.default('string'),
  }),
  { data_type: 'dataType' },
);

const groupInput = spelled(
  z.strictObject({ operator: joiner.default('AND'), conditions: z.array(conditionInput).max(MANY) }),
  { condition_operator: 'operator', conditionOperator: 'operator' },
);

/** What is stored of a rule's conditions, as whoever reads it must find it. */
export const ruleDefinitionSchema = z.object({ groupOperator: joiner, groups: z.array(groupSchema) });
export type RuleDefinition = z.output<typeof ruleDefinitionSchema>;

/** What decides: the groups of conditions and how they are joined. */
export const definitionShape = {
  groupOperator: joiner.default('AND').meta({ description: 'How the groups are joined.' }),
  groups: z.array(groupInput).max(MANY).meta({ description: 'Without any, the rule never matches.' }),
};
export const DEFINITION_SPELLINGS = {
  group_operator: 'groupOperator',
  condition_groups: 'groups',
  conditionGroups: 'groups',
} as const;

const entityId = z.string().trim().min(1).max(100).meta({
  description: 'Id of the context or prompt; of an evaluation the id of its type, such as `hallucination`.',
});
export const LINK_SPELLINGS = { entity_type: 'entityType', entity_id: 'entityId' } as const;
export const linkShape = { entityType: entityTypeSchema, entityId };

export const ruleInputShape = {
  name: line(RULE_DOCUMENT_LIMITS.name),
  description: text(RULE_DOCUMENT_LIMITS.description).trim().default(''),
  ...definitionShape,
  status: activeStatus.default('ACTIVE').meta({ description: 'Only ACTIVE rules count.' }),
  priority: z
    .int()
    .min(RULE_DOCUMENT_LIMITS.minPriority)
    .max(RULE_DOCUMENT_LIMITS.maxPriority)
    .default(RULE_DOCUMENT_LIMITS.defaultPriority)
    .meta({ description: 'Matching rules come in this order, the lowest number first.' }),
  links: z
    .array(spelled(z.strictObject(linkShape), LINK_SPELLINGS))
    .max(RULE_DOCUMENT_LIMITS.links)
    .default([])
    .meta({ description: 'What the rule hands out when it matches.' }),
};

/** A link as it is shown: with what is behind it. */
export const linkSchema = z
  .object({
    id: z.string(),
    ruleId: z.string(),
    ...linkShape,
    name: z.string().nullable().meta({ description: 'Of what is linked; null when that was deleted.' }),
    state: z.enum(['active', 'inactive', 'vanished']).meta({
      description: 'An inactive one does not count; of one that was deleted only the id is left.',
    }),
    createdBy: z.string(),
    createdAt: isoTime,
  })
  .meta({ id: 'RuleLink' });
export type RuleLink = z.output<typeof linkSchema>;

export const ruleSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    groupOperator: joiner,
    groups: z.array(groupSchema),
    status: activeStatus,
    priority: z.int(),
    links: z.array(linkSchema),
    problem: z.string().nullable().meta({
      description: 'Why what is stored cannot be used; such a rule never matches. Null: nothing is wrong.',
    }),
    revision,
    createdBy: z.string(),
    createdAt: isoTime,
    updatedBy: z.string(),
    updatedAt: isoTime,
  })
  .meta({ id: 'Rule' });
export type Rule = z.output<typeof ruleSchema>;

/** A rule that hands something out. */
export const usedBySchema = z
  .object({ id: z.string(), name: z.string(), status: activeStatus, priority: z.int() })
  .meta({ id: 'UsedByRule' });
export type UsedByRule = z.output<typeof usedBySchema>;
