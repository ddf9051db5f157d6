import type { Snippet } from '../../ui/snippet-box.tsx';

/** Ways for an application to fetch a prompt; each works as pasted once there is one of that name. */
export function promptSnippets(origin: string, name: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Always answers 200: errors are returned in `err`. The key needs the scope prompts.',
      text: `curl -sS ${origin}/api/prompt/get-compiled \\
  -H "Authorization: Bearer $PLATFORM_API_KEY" \\
  -d '{"name":"${name}","compile":true,"variables":{"language":"English"}}'`,
    },
    {
      label: 'TypeScript',
      note: 'The client of Candela: it keeps prompts for a minute, and goes on with them while the server is away.',
      text: `import { getPrompt } from '@candela/client';

// PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
const prompt = await getPrompt({
  name: '${name}',
  shouldCompile: true,
  variables: { language: 'English' },
});
console.log(prompt.compiledPrompt);`,
    },
    {
      label: 'Python',
      note: 'Standard library only, Python 3.9 and newer.',
      text: `from candela_client import get_prompt

# PLATFORM_URL=${origin} and PLATFORM_API_KEY are read from the environment.
prompt = get_prompt(
    name="${name}",
    should_compile=True,
    variables={"language": "English"},
)
print(prompt.compiled_prompt)`,
    },
  ];
}
