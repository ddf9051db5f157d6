import { createFileRoute } from '@tanstack/react-router';
import { Blocks } from 'lucide-react';
import { OauthPage } from '../features/settings/oauth-page.tsx';

export const Route = createFileRoute('/settings/oauth')({
  staticData: {
    nav: { group: 'Settings', label: 'OAuth clients', icon: Blocks, order: 60 },
    permission: 'admin',
  },
  component: OauthPage,
});
