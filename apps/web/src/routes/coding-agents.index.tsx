import { createFileRoute } from '@tanstack/react-router';
import { SquareTerminal } from 'lucide-react';
import { CodingPage } from '../features/coding-agents/coding-page.tsx';
import { validateCodingSearch } from '../features/coding-agents/coding-search.ts';

export const Route = createFileRoute('/coding-agents/')({
  validateSearch: validateCodingSearch,
  staticData: {
    nav: { group: 'Agents', label: 'Coding agents', icon: SquareTerminal, order: 20 },
    permission: 'reader',
    range: 'comparable',
  },
  component: CodingPage,
});
