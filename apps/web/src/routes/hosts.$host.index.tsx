import { createFileRoute } from '@tanstack/react-router';
import { HostPage } from '../features/hosts/host-page.tsx';
import { validateHostSearch } from '../features/hosts/hosts-search.ts';

export const Route = createFileRoute('/hosts/$host/')({
  validateSearch: validateHostSearch,
  staticData: { permission: 'reader', range: 'shown' },
  component: HostPage,
});
