import { createFileRoute } from '@tanstack/react-router';
import { BookOpenText } from 'lucide-react';
import { ContextsPage } from '../features/contexts/contexts-page.tsx';
import { validateContextsSearch } from '../features/contexts/contexts-search.ts';

export const Route = createFileRoute('/contexts/')({
  validateSearch: validateContextsSearch,
  staticData: {
    nav: { group: 'Build', label: 'Contexts', icon: BookOpenText, order: 20 },
    permission: 'viewer',
  },
  component: ContextsPage,
});
