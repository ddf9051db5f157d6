import { createFileRoute } from '@tanstack/react-router';
import { Database } from 'lucide-react';
import { SqlPage } from '../features/sql/sql-page.tsx';
import { validateSqlSearch } from '../features/sql/sql-search.ts';

export const Route = createFileRoute('/sql')({
  validateSearch: validateSqlSearch,
  staticData: {
    nav: { group: 'Ask', label: 'SQL', icon: Database, order: 30 },
    range: 'shown',
    permission: 'viewer',
  },
  component: SqlPage,
});
