import { createFileRoute } from '@tanstack/react-router';
import { MessageCircleQuestion } from 'lucide-react';
import { AssistantSettingsPage } from '../features/assistant/settings-page.tsx';

export const Route = createFileRoute('/settings/assistant')({
  staticData: {
    nav: { group: 'Settings', label: 'Assistant', icon: MessageCircleQuestion, order: 76 },
    permission: 'viewer',
  },
  component: AssistantSettingsPage,
});
