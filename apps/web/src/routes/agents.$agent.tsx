import { createFileRoute } from '@tanstack/react-router';
import { AgentPage } from '../features/agents/agent-page.tsx';
import { validateAgentSearch } from '../features/agents/agent-search.ts';

export const Route = createFileRoute('/agents/$agent')({
  validateSearch: validateAgentSearch,
  staticData: { permission: 'reader', range: 'shown' },
  component: AgentPage,
});
