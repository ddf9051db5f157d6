import { z } from 'zod';
import { defineTool } from './tool.ts';

export const writePromptDraft = defineTool({
  id: 'write_prompt_draft',
  title: 'Write the draft of a prompt',
  about: 'Published versions stay as they are.',
  input: z.object({
    id: z.string().min(1).max(64),
    prompt: z.string().min(1).max(131_072),
  }),
  routes: ['savePromptDraft'],
  effect: 'change',
  audience: ['mcp'],
  async run(call, { id, prompt }) {
    await call('savePromptDraft', { params: { id }, body: { prompt } });
    return { data: { id }, page: `/prompts/${encodeURIComponent(id)}` };
  },
});
