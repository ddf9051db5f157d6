import { createFileRoute } from '@tanstack/react-router';
import { ListTree } from 'lucide-react';
import { TracesPage } from '../features/traces/traces-page.tsx';
import { validateTracesSearch } from '../features/traces/traces-search.ts';
import { grammarOfAddress } from '../features/explore/use-grammar.ts';

export const Route = createFileRoute('/traces/')({
  validateSearch: validateTracesSearch,
  staticData: {
    nav: { group: 'Observe', label: 'Traces', icon: ListTree, order: 20 },
    permission: 'reader',
    range: 'comparable',
  },
  loader: grammarOfAddress,
  component: TracesPage,
});
