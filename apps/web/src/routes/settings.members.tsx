import { createFileRoute } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { MembersPage } from '../features/settings/members-page.tsx';

export const Route = createFileRoute('/settings/members')({
  staticData: {
    nav: { group: 'Settings', label: 'Members', icon: Users, order: 20 },
    permission: 'viewer',
  },
  component: MembersPage,
});
