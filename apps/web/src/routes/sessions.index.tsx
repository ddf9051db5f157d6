import { createFileRoute } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { validateSessionsSearch } from '../features/sessions/activity-search.ts';
import { SessionsPage } from '../features/sessions/sessions-page.tsx';
import { grammarOfAddress } from '../features/explore/use-grammar.ts';

export const Route = createFileRoute('/sessions/')({
  validateSearch: validateSessionsSearch,
  staticData: {
    nav: { group: 'Observe', label: 'Sessions', icon: MessagesSquare, order: 30 },
    permission: 'reader',
    range: 'shown',
  },
  loader: grammarOfAddress,
  component: SessionsPage,
});
