import { createFileRoute } from '@tanstack/react-router';
import { BellRing } from 'lucide-react';
import { AlertsPage } from '../features/alerts/alerts-page.tsx';
import { validateAlertsSearch } from '../features/alerts/alerts-search.ts';

export const Route = createFileRoute('/alerts/')({
  validateSearch: validateAlertsSearch,
  staticData: {
    nav: { group: 'Ask', label: 'Alerts', icon: BellRing, order: 30 },
    permission: 'reader',
  },
  component: AlertsPage,
});
