import { createFileRoute } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { validateAuditSearch } from '../features/settings/audit-search.ts';
import { AuditPage } from '../features/settings/audit-page.tsx';

export const Route = createFileRoute('/settings/audit')({
  validateSearch: validateAuditSearch,
  staticData: {
    nav: { group: 'Settings', label: 'Audit', icon: ScrollText, order: 100 },
    permission: 'admin',
    range: 'shown',
  },
  component: AuditPage,
});
