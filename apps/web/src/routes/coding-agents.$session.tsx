import { createFileRoute } from '@tanstack/react-router';
import { validateCodingSessionSearch } from '../features/coding-agents/coding-search.ts';
import { CodingSessionPage } from '../features/coding-agents/coding-session-page.tsx';

export const Route = createFileRoute('/coding-agents/$session')({
  validateSearch: validateCodingSessionSearch,
  staticData: { permission: 'reader' },
  component: CodingSessionPage,
});
