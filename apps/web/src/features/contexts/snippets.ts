import type { Snippet } from '../../ui/snippet-box.tsx';

/** Ways for an application to get the contexts that rules hand out to it. */
export function contextSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Contexts come by rules: link one to a rule that matches these fields. The key needs the scope rule_engine.',
      text: `curl -sS ${origin}/api/rule-engine/evaluate \\
  -H "Authorization: Bearer $PLATFORM_API_KEY" \\
  -d '{"entity_type":"context","fields":{"user_tier":"gold"},"include_entity_data":true}'`,
    },
    {
      label: 'TypeScript',
      note: 'The client of Candela.',
      text: `import { evaluateRule } from '@candela/client';

// PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
const { contexts } = await evaluateRule({
  entityType: 'context',
  fields: { user_tier: 'gold' },
  includeEntityData: true,
});
for (const context of contexts.values()) console.log(context?.content);`,
    },
    {
      label: 'Python',
      note: 'Standard library only, Python 3.9 and newer.',
      text: `from candela_client import evaluate_rule

# PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
result = evaluate_rule(
    entity_type="context",
    fields={"user_tier": "gold"},
    include_entity_data=True,
)
for context in result.contexts.values():
    if context is not None:
        print(context.content)`,
    },
  ];
}
