import { createFileRoute } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { LogsPage } from '../features/logs/logs-page.tsx';
import { validateLogsSearch } from '../features/logs/logs-search.ts';
import { grammarOfAddress } from '../features/explore/use-grammar.ts';

export const Route = createFileRoute('/logs')({
  validateSearch: validateLogsSearch,
  staticData: {
    nav: { group: 'Observe', label: 'Logs', icon: ScrollText, order: 40 },
    permission: 'reader',
    range: 'shown',
  },
  loader: grammarOfAddress,
  component: LogsPage,
});
