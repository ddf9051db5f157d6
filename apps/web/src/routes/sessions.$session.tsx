import { createFileRoute } from '@tanstack/react-router';
import { validateSessionSearch } from '../features/sessions/session-search.ts';
import { SessionPage } from '../features/sessions/session-page.tsx';

export const Route = createFileRoute('/sessions/$session')({
  validateSearch: validateSessionSearch,
  staticData: { permission: 'reader' },
  component: SessionPage,
});
