import { createFileRoute } from '@tanstack/react-router';
import { MessageSquareText } from 'lucide-react';
import { PromptsPage } from '../features/prompts/prompts-page.tsx';
import { validatePromptsSearch } from '../features/prompts/prompts-search.ts';

export const Route = createFileRoute('/prompts/')({
  validateSearch: validatePromptsSearch,
  staticData: {
    nav: { group: 'Build', label: 'Prompts', icon: MessageSquareText, order: 10 },
    permission: 'viewer',
  },
  component: PromptsPage,
});
