import { createRootRoute, Link, Outlet, retainSearchParams } from '@tanstack/react-router';
import { AppShell } from '../features/shell/app-shell.tsx';
import { validateShellSearch } from '../features/shell/shell-search.ts';
import { Failure, Notice } from '../ui/states.tsx';

export const Route = createRootRoute({
  validateSearch: validateShellSearch,
  search: { middlewares: [retainSearchParams(['from', 'to', 'env', 'compare'])] },
  component: () => (
    <AppShell>
      <title>Candela</title>
      <Outlet />
    </AppShell>
  ),
  notFoundComponent: () => (
    <Notice title="There is no such page">
      <title>Not found · Candela</title>
      <Link to="/traces" className="text-accent underline">
        Go to Traces
      </Link>
    </Notice>
  ),
  errorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
});
