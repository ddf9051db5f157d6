import { createFileRoute } from '@tanstack/react-router';
import { validateSessionsSearch } from '../features/sessions/activity-search.ts';
import { UserPage } from '../features/users/user-page.tsx';

export const Route = createFileRoute('/users/$user')({
  validateSearch: validateSessionsSearch,
  staticData: { permission: 'reader', range: 'shown' },
  component: UserPage,
});
