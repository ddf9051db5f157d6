import { createFileRoute } from '@tanstack/react-router';
import { Timer } from 'lucide-react';
import { RetentionPage } from '../features/settings/retention-page.tsx';

export const Route = createFileRoute('/settings/retention')({
  staticData: {
    nav: { group: 'Settings', label: 'Retention', icon: Timer, order: 80 },
    permission: 'viewer',
  },
  component: RetentionPage,
});
