export const RULES = '/api/rule-engine/rules';
export const LINKS = '/api/rule-engine/entities';
export const TRACE = 'ab'.repeat(16);
export const SPAN = 'cd'.repeat(8);

export const CONDITION = { field: 'model', operator: 'starts_with', value: 'gpt', dataType: 'string' };
export const ruleBody = (more: object = {}) => ({
  name: crypto.randomUUID(),
  groups: [{ operator: 'OR', conditions: [CONDITION] }],
  ...more,
});
export const contextBody = (more: object = {}) => ({
  name: crypto.randomUUID(),
  content: 'be kind',
  ...more,
});
/** Every route, given a rule, a context and a link. */
export const asks = ([ruleId, contextId, linkId]: readonly string[]): Record<string, [string, object?]> => ({
  evaluateRules: ['/api/rule-engine/evaluate', { entity_type: 'context', fields: { model: 'gpt' } }],
  listRules: [`${RULES}?q=secret`],
  createRule: [RULES, ruleBody({ links: [{ entityType: 'context', entityId: contextId }] })],
  getRule: [`${RULES}/${ruleId}`],
  replaceRule: [`${RULES}/${ruleId}`, ruleBody({ revision: 1 })],
  deleteRule: [`${RULES}/${ruleId}`],
  listRuleLinks: [`${LINKS}?ruleId=${ruleId}`],
  createRuleLink: [LINKS, { ruleId, entityType: 'evaluation', entityId: 'bias' }],
  deleteRuleLink: [`${LINKS}?id=${linkId}`],
  explainRule: ['/api/rule-engine/explain', { ruleId, span: { traceId: TRACE, spanId: SPAN } }],
  previewRule: ['/api/rule-engine/preview', { rule: { groups: [] } }],
  previewSavedRule: [`${RULES}/${ruleId}/preview`, {}],
  listRuleFieldValues: ['/api/rule-engine/field-values?field=secret'],
  listContexts: ['/api/context?q=secret'],
  createContext: ['/api/context', contextBody()],
  getContext: [`/api/context/${contextId}`],
  replaceContext: [`/api/context/${contextId}`, contextBody({ revision: 1 })],
  deleteContext: [`/api/context/${contextId}`],
  listContextVersions: [`/api/context/${contextId}/versions`],
  getContextVersion: [`/api/context/${contextId}/versions/1`],
  restoreContextVersion: [`/api/context/${contextId}/restore`, { version: 1 }],
});
