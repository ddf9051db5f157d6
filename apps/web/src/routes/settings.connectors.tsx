import { createFileRoute } from '@tanstack/react-router';
import { Database } from 'lucide-react';
import { ConnectorsPage } from '../features/settings/connectors-page.tsx';

export const Route = createFileRoute('/settings/connectors')({
  staticData: {
    nav: { group: 'Settings', label: 'Connectors & routing', icon: Database, order: 70 },
    permission: 'admin',
  },
  component: ConnectorsPage,
});
