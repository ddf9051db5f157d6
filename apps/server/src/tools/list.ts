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
  boards: 'listBoards',
  alerts: 'listAlerts',
  destinations: 'listDestinations',
  datasets: 'listDatasets',
  findings: 'listFindings',
} as const;

export const list = defineTool({
  id: 'list',
  title: 'List what is configured',
  about: 'Settings, agents, hosts. Of secrets and destinations names only.',
  input: z.object({ kind: z.enum(Object.keys(ROUTE) as [keyof typeof ROUTE]) }),
  routes: Object.values(ROUTE),
  effect: 'read',
  async run(call, { kind }) {
    const answer = listed(await call(ROUTE[kind]));
    if (kind !== 'destinations') return answer;
    // An address of a webhook lets whoever has it write there.
    const found = answer.data as readonly { id: string; name: string; channel: { kind: string } }[];
    return { data: found.map(({ id, name, channel }) => ({ id, name, kind: channel.kind })) };
  },
});
