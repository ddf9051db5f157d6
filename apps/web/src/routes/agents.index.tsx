import { createFileRoute } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { AgentsPage } from '../features/agents/agents-page.tsx';
import { validateAgentsSearch } from '../features/agents/agents-search.ts';

export const Route = createFileRoute('/agents/')({
  validateSearch: validateAgentsSearch,
  staticData: {
    nav: { group: 'Agents', label: 'Agents', icon: Bot, order: 10 },
    permission: 'reader',
    range: 'shown',
  },
  component: AgentsPage,
});
