import type { Snippet } from '../../ui/snippet-box.tsx';

/** Ways for an application to ask which rules match. */
export function ruleSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Answers which rules match these fields and what they hand out. The key needs the scope rule_engine.',
      text: `curl -sS ${origin}/api/rule-engine/evaluate \\
  -H "Authorization: Bearer $PLATFORM_API_KEY" \\
  -d '{"entity_type":"context","fields":{"model":"gpt-4o","user_tier":"gold"},"include_entity_data":true}'`,
    },
    {
      label: 'TypeScript',
      note: 'The client of Candela.',
      text: `import { evaluateRule } from '@candela/client';

// PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
const { matchingRuleIds } = await evaluateRule({
  entityType: 'context',
  fields: { model: 'gpt-4o', user_tier: 'gold' },
});`,
    },
    {
      label: 'Python',
      note: 'Standard library only, Python 3.9 and newer.',
      text: `from candela_client import evaluate_rule

# PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
result = evaluate_rule(
    entity_type="context",
    fields={"model": "gpt-4o", "user_tier": "gold"},
)
print(result.matching_rule_ids)`,
    },
  ];
}
