import { createFileRoute } from '@tanstack/react-router';
import { Server } from 'lucide-react';
import { FleetPage } from '../features/hosts/fleet-page.tsx';
import { validateFleetSearch } from '../features/hosts/hosts-search.ts';

export const Route = createFileRoute('/hosts/')({
  validateSearch: validateFleetSearch,
  staticData: {
    nav: { group: 'Infrastructure', label: 'Hosts & GPUs', icon: Server, order: 10 },
    permission: 'reader',
    range: 'shown',
  },
  component: FleetPage,
});
