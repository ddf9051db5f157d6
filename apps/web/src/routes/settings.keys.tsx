import { createFileRoute } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { KeysPage } from '../features/settings/keys-page.tsx';

export const Route = createFileRoute('/settings/keys')({
  staticData: {
    nav: { group: 'Settings', label: 'API keys', icon: KeyRound, order: 50 },
    permission: 'admin',
  },
  component: KeysPage,
});
