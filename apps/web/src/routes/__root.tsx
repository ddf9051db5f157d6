import { createRootRoute, Link, Outlet, retainSearchParams } from '@tanstack/react-router';
import { Root } from '../features/shell/root.tsx';
import { validateShellSearch } from '../features/shell/shell-search.ts';
import { Failure, Notice } from '../ui/states.tsx';

export const Route = createRootRoute({
  validateSearch: validateShellSearch,
  search: { middlewares: [retainSearchParams(['from', 'to', 'env', 'project', 'compare'])] },
  component: () => (
    <Root>
      <title>Candela</title>
      <Outlet />
    </Root>
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
