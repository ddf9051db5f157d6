import { createFileRoute } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { EvaluationsPage } from '../features/evaluations/evaluations-page.tsx';
import { validateEvaluationsSearch } from '../features/evaluations/evaluations-search.ts';

export const Route = createFileRoute('/evaluations')({
  validateSearch: validateEvaluationsSearch,
  staticData: {
    nav: { group: 'Judge', label: 'Evaluations', icon: Activity, order: 10 },
    permission: 'viewer',
  },
  component: EvaluationsPage,
});
