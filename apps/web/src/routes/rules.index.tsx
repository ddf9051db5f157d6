import { createFileRoute } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { RulesPage } from '../features/rules/rules-page.tsx';
import { validateRulesSearch } from '../features/rules/rules-search.ts';

export const Route = createFileRoute('/rules/')({
  validateSearch: validateRulesSearch,
  staticData: {
    nav: { group: 'Build', label: 'Rules', icon: ListChecks, order: 30 },
    permission: 'viewer',
    range: 'shown',
  },
  component: RulesPage,
});
