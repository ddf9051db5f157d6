import { createFileRoute } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { validateUsersSearch } from '../features/sessions/activity-search.ts';
import { UsersPage } from '../features/users/users-page.tsx';
import { grammarOfAddress } from '../features/explore/use-grammar.ts';

export const Route = createFileRoute('/users/')({
  validateSearch: validateUsersSearch,
  staticData: {
    nav: { group: 'Observe', label: 'Users', icon: Users, order: 70 },
    permission: 'reader',
    range: 'shown',
  },
  loader: grammarOfAddress,
  component: UsersPage,
});
