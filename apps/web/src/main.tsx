import { type AnyRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { validateShellSearch } from './features/shell/shell-search.ts';
import { onlyValid, parseSearch, stringifySearch } from './lib/search-params.ts';
import { followSystemTheme } from './lib/theme.ts';
import { routeTree } from './routeTree.gen.ts';
import { Failure, SkeletonRows } from './ui/states.tsx';
import './styles.css';

const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // Inside the navigation, which a page that fails, or is long in coming, must not take away.
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
  defaultPendingComponent: () => <SkeletonRows rows={16} label="Loading the page" />,
  defaultPendingMs: 400,
  defaultPendingMinMs: 0,
  // A page of another thing is another page: with the one before it, what that knew would stand under the new name.
  defaultRemountDeps: ({ params }) => params,
});

for (const route of Object.values<AnyRoute>({ ...router.routesById })) {
  const { validateSearch } = route.options;
  // The root hands on what it does not know: the pages do.
  if (typeof validateSearch !== 'function' || route.isRoot) continue;
  route.options.validateSearch = onlyValid(validateShellSearch, validateSearch);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

followSystemTheme();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
