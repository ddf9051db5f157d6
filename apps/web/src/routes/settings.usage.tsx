import { createFileRoute } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { UsagePage } from '../features/assistant/usage-page.tsx';
import { validateUsageSearch } from '../features/assistant/usage-search.ts';

export const Route = createFileRoute('/settings/usage')({
  validateSearch: validateUsageSearch,
  staticData: {
    nav: { group: 'Settings', label: 'Usage', icon: Activity, order: 78 },
    permission: 'viewer',
  },
  component: UsagePage,
});
