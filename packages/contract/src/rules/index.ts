export * from './evaluate.ts';
export { EXPLAIN_LIMITS, type RuleExplanation } from './explain.ts';
export type { ActiveStatus } from './liberal.ts';
export { MAX_PREVIEW_SPANS, type RulePreview } from './preview.ts';
export { RULE_ROUTES } from './routes.ts';
export {
  ENTITY_TYPES,
  type EntityType,
  type Rule,
  RULE_DOCUMENT_LIMITS,
  RULE_OPERATORS,
  type RuleDefinition,
  ruleDefinitionSchema,
  type RuleLink,
  type UsedByRule,
} from './schemas.ts';
