import { createFileRoute } from '@tanstack/react-router';
import { ContextPage } from '../features/contexts/context-page.tsx';
import { validateContextSearch } from '../features/contexts/contexts-search.ts';

export const Route = createFileRoute('/contexts/$context')({
  validateSearch: validateContextSearch,
  staticData: { permission: 'viewer' },
  component: ContextPage,
});
