import { createFileRoute } from '@tanstack/react-router';
import { Bug } from 'lucide-react';
import { validateExceptionsSearch } from '../features/exceptions/exceptions-explore.ts';
import { ExceptionsPage } from '../features/exceptions/exceptions-page.tsx';

export const Route = createFileRoute('/exceptions/')({
  validateSearch: validateExceptionsSearch,
  staticData: {
    nav: { group: 'Observe', label: 'Exceptions', icon: Bug, order: 50 },
    permission: 'reader',
    range: 'shown',
  },
  component: ExceptionsPage,
});
