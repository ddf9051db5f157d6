import { z } from 'zod';
import { defineTool, listed } from './tool.ts';

const ROUTE = {
  prompts: 'listPrompts',
  rules: 'listRules',
  contexts: 'listContexts',
  models: 'listModels',
  secrets: 'listSecrets',
  agents: 'listAgents',
  hosts: 'listHosts',
} as const;

export const list = defineTool({
  id: 'list',
  title: 'List what is configured',
  about: 'Prompts, rules, contexts, models, secrets (names only, never values), agents or hosts.',
  input: z.object({ kind: z.enum(Object.keys(ROUTE) as [keyof typeof ROUTE]) }),
  routes: Object.values(ROUTE),
  effect: 'read',
  run: async (call, { kind }) => listed(await call(ROUTE[kind])),
});
