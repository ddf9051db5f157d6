import { createFileRoute } from '@tanstack/react-router';
import { MessageCircleQuestion } from 'lucide-react';
import { AssistantPage } from '../features/assistant/assistant-page.tsx';
import { textParam } from '../lib/search-params.ts';

export const Route = createFileRoute('/assistant')({
  validateSearch: (raw: Record<string, unknown>): { chat?: string | undefined } => ({
    chat: textParam(raw, 'chat', 64),
  }),
  staticData: {
    nav: { group: 'Ask', label: 'Assistant', icon: MessageCircleQuestion, order: 10 },
    permission: 'viewer',
  },
  component: AssistantPage,
});
