import { createFileRoute } from '@tanstack/react-router';
import { AlertPage } from '../features/alerts/alert-page.tsx';
import { validateAlertSearch } from '../features/alerts/alerts-search.ts';

export const Route = createFileRoute('/alerts/$alert')({
  validateSearch: validateAlertSearch,
  staticData: { permission: 'reader' },
  component: AlertPage,
});
