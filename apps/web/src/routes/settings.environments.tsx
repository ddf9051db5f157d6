import { createFileRoute } from '@tanstack/react-router';
import { Layers } from 'lucide-react';
import { EnvironmentsPage } from '../features/settings/environments-page.tsx';

export const Route = createFileRoute('/settings/environments')({
  staticData: {
    nav: { group: 'Settings', label: 'Environments', icon: Layers, order: 40 },
    permission: 'viewer',
  },
  component: EnvironmentsPage,
});
