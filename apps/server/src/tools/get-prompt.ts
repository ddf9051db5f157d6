import { z } from 'zod';
import { defineTool, listed, pageOf } from './tool.ts';

export const getPrompt = defineTool({
  id: 'get_prompt',
  title: 'Get a prompt',
  about: 'A prompt of the prompt hub with its draft, newest version and labels.',
  input: z.object({ id: z.string().max(64) }),
  routes: ['getPrompt'],
  effect: 'read',
  async run(call, { id }) {
    const answer = listed(await call('getPrompt', { params: { id } }));
    return { ...answer, page: pageOf(`/prompts/${encodeURIComponent(id)}`) };
  },
});
