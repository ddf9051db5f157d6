import type { Snippet } from '../../ui/snippet-box.tsx';

/** Ways for an application to read secrets. */
export function vaultSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Always answers 200: errors are returned in `err`. The key needs the scope vault.',
      text: `curl -sS ${origin}/api/vault/get-secrets \\
  -H "Authorization: Bearer $PLATFORM_API_KEY" \\
  -d '{"key":"DB_PASSWORD"}'`,
    },
    {
      label: 'TypeScript',
      note: 'The client of Candela; shouldSetEnv puts what came into process.env, too.',
      text: `import { getSecrets } from '@candela/client';

// PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
const secrets = await getSecrets({ tags: ['checkout'], shouldSetEnv: true });`,
    },
    {
      label: 'Python',
      note: 'Standard library only; should_set_env puts what came into os.environ, too.',
      text: `from candela_client import get_secrets

# PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
secrets = get_secrets(tags=["checkout"], should_set_env=True)`,
    },
  ];
}
