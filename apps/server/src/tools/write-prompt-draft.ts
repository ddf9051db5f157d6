import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool } from './tool.ts';

export const writePromptDraft = defineTool({
  id: 'write_prompt_draft',
  title: 'Write the draft of a prompt',
  about: 'Saves a text as the draft of a prompt; published versions stay as they are.',
  input: z.object({
    id: z.string().min(1).max(64),
    prompt: z.string().min(1).max(131_072),
    tags: z.array(z.string().max(100)).max(50).optional(),
  }),
  routes: ['savePromptDraft'],
  effect: 'change',
  audience: ['mcp'],
  async run(call, { id, ...body }) {
    await call('savePromptDraft', { params: { id }, body: defined(body) });
    return { data: { id }, page: `/prompts/${encodeURIComponent(id)}` };
  },
});
