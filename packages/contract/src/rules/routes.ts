import { z } from 'zod';
import { idSchema, nextCursor, pagingShape } from '../identity/common.ts';
import { defineRoute, reads, writes } from '../route.ts';
import { evaluateRules } from './evaluate.ts';
import { explainRule } from './explain.ts';
import { listRuleFieldValues, previewRule, previewSavedRule } from './preview.ts';
import { activeStatus, expectedRevision, spelled } from './liberal.ts';
import {
  DEFINITION_SPELLINGS,
  entityTypeSchema,
  LINK_SPELLINGS,
  linkSchema,
  linkShape,
  ruleInputShape,
  ruleSchema,
} from './schemas.ts';

const id = z.object({ id: idSchema });
const one = z.object({ data: ruleSchema });
const common = ['metadata_unavailable'] as const;
const shared = { tag: 'Rules', storage: 'platform' } as const;
const RULE_ID = { rule_id: 'ruleId' } as const;

const listRules = defineRoute({
  ...shared,
  id: 'listRules',
  method: 'GET',
  path: '/api/rule-engine/rules',
  summary: 'Rules by priority, then name',
  permission: reads('rule_engine'),
  query: z.strictObject({
    ...pagingShape,
    q: z.string().max(200).optional().meta({ description: 'Text in name or description.' }),
    status: activeStatus.optional(),
  }),
  response: z.object({ data: z.array(ruleSchema), nextCursor }),
  errors: ['bad_query', ...common],
});

const createRule = defineRoute({
  ...shared,
  id: 'createRule',
  method: 'POST',
  path: '/api/rule-engine/rules',
  summary: 'Saves a rule with its conditions and links',
  permission: writes('rule_engine'),
  success: 201,
  body: spelled(z.strictObject(ruleInputShape), DEFINITION_SPELLINGS),
  response: one,
  errors: ['conflict', 'refused', ...common],
});

const getRule = defineRoute({
  ...shared,
  id: 'getRule',
  method: 'GET',
  path: '/api/rule-engine/rules/{id}',
  summary: 'One rule with its conditions and links',
  permission: reads('rule_engine'),
  params: id,
  response: one,
  errors: ['not_found', ...common],
});

const replaceRule = defineRoute({
  ...shared,
  id: 'replaceRule',
  method: 'PUT',
  path: '/api/rule-engine/rules/{id}',
  summary: 'Replaces a rule whole: conditions and links that are left out are gone',
  permission: writes('rule_engine'),
  params: id,
  body: spelled(z.strictObject({ ...ruleInputShape, revision: expectedRevision }), DEFINITION_SPELLINGS),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...common],
});

const deleteRule = defineRoute({
  ...shared,
  id: 'deleteRule',
  method: 'DELETE',
  path: '/api/rule-engine/rules/{id}',
  summary: 'Deletes a rule with its links; what they lead to stays',
  permission: writes('rule_engine'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

const listRuleLinks = defineRoute({
  ...shared,
  id: 'listRuleLinks',
  method: 'GET',
  path: '/api/rule-engine/entities',
  summary: 'Links of rules, of one rule, or to one thing',
  permission: reads('rule_engine'),
  query: spelled(
    z.strictObject({
      ...pagingShape,
      ruleId: idSchema.optional(),
      entityType: entityTypeSchema.optional(),
      entityId: z.string().min(1).max(100).optional(),
    }),
    { ...RULE_ID, ...LINK_SPELLINGS },
  ),
  response: z.object({ data: z.array(linkSchema), nextCursor }),
  errors: ['bad_query', ...common],
});

const createRuleLink = defineRoute({
  ...shared,
  id: 'createRuleLink',
  method: 'POST',
  path: '/api/rule-engine/entities',
  summary: 'Links a rule to a context, a prompt or a type of evaluation; the rule gets a new revision',
  permission: writes('rule_engine'),
  success: 201,
  body: spelled(z.strictObject({ ruleId: idSchema, ...linkShape }), { ...RULE_ID, ...LINK_SPELLINGS }),
  response: z.object({ data: linkSchema }),
  errors: ['not_found', 'conflict', 'refused', ...common],
});

const deleteRuleLink = defineRoute({
  ...shared,
  id: 'deleteRuleLink',
  method: 'DELETE',
  path: '/api/rule-engine/entities',
  summary: 'Takes a link away; the rule gets a new revision',
  permission: writes('rule_engine'),
  query: z.strictObject({ id: idSchema }),
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

/** Rules: managing them, asking them, and why they say what they say. */
export const RULE_ROUTES = {
  evaluateRules,
  listRules,
  createRule,
  getRule,
  replaceRule,
  deleteRule,
  listRuleLinks,
  createRuleLink,
  deleteRuleLink,
  explainRule,
  previewRule,
  previewSavedRule,
  listRuleFieldValues,
} as const;
