import { createFileRoute } from '@tanstack/react-router';
import { Bug } from 'lucide-react';
import { validateExceptionsSearch } from '../features/exceptions/exceptions-search.ts';
import { ExceptionsPage } from '../features/exceptions/exceptions-page.tsx';
import { grammarOfAddress } from '../features/explore/use-grammar.ts';

export const Route = createFileRoute('/exceptions/')({
  validateSearch: validateExceptionsSearch,
  staticData: {
    nav: { group: 'Observe', label: 'Exceptions', icon: Bug, order: 50 },
    permission: 'reader',
    range: 'shown',
  },
  loader: grammarOfAddress,
  component: ExceptionsPage,
});
