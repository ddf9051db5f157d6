import { z } from 'zod';
import { nameOf, oneOf } from './kinds.ts';
import { defineTool } from './tool.ts';

/** Offered only when the newest message asks for it: see `features/chat/intent.ts`. */
export const WRITE_PROMPT_VERSION = 'write_prompt_version';

export const writePromptVersion = defineTool({
  id: WRITE_PROMPT_VERSION,
  title: 'Publish a version of a prompt',
  about: 'Saves the text as draft and publishes it as the next version. Keep every {{placeholder}}.',
  input: z.object({
    id: z.string().min(1).max(64),
    prompt: z.string().min(1).max(131_072),
    bump: z.enum(['major', 'minor', 'patch']).default('minor'),
  }),
  routes: ['publishPrompt'],
  effect: 'change',
  audience: ['assistant'],
  card: ({ bump }) => ({ title: `Publish a new ${bump} version of the prompt` }),
  subject: async (call, { id }) => nameOf(await oneOf(call, 'prompt', id)),
  async run(call, { id, prompt, bump }) {
    await call('savePromptDraft', { params: { id }, body: { prompt } });
    const { data } = (await call('publishPrompt', { params: { id }, body: { bump } })) as {
      readonly data: { readonly name?: string; readonly latestVersion?: string | null };
    };
    return {
      data: { id, version: data.latestVersion ?? null },
      page: `/prompts/${encodeURIComponent(id)}`,
      note: `Published version ${data.latestVersion ?? ''} of the prompt "${data.name ?? id}".`,
    };
  },
});
