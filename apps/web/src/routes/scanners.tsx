import { createFileRoute } from '@tanstack/react-router';
import { ScanSearch } from 'lucide-react';
import { ScannersPage } from '../features/scanners/scanners-page.tsx';
import { validateScannersSearch } from '../features/scanners/scanners-search.ts';

export const Route = createFileRoute('/scanners')({
  validateSearch: validateScannersSearch,
  staticData: {
    nav: { group: 'Judge', label: 'Scanners', icon: ScanSearch, order: 20 },
    permission: 'viewer',
  },
  component: ScannersPage,
});
