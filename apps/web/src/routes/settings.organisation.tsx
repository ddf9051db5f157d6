import { createFileRoute } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { OrganisationPage } from '../features/settings/organisation-page.tsx';

export const Route = createFileRoute('/settings/organisation')({
  staticData: {
    nav: { group: 'Settings', label: 'Organisation', icon: Building2, order: 10 },
    permission: 'viewer',
  },
  component: OrganisationPage,
});
