import { QueryClientProvider } from '@tanstack/react-query';
import { getRouteApi, useMatches } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { newQueryClient } from '../../api/query-client.ts';
import { AppShell } from './app-shell.tsx';

const root = getRouteApi('__root__');

/**
 * Around every page: the answers of the project in the address, and the navigation unless the page stands alone.
 * Another project is another picture altogether, so everything is made anew with it.
 */
export function Root({ children }: { children: ReactNode }) {
  const project = root.useSearch({ select: (search) => search.project ?? '' });
  const bare = useMatches({ select: (matches) => matches.at(-1)?.staticData.bare === true });
  return <ProjectQueries key={project}>{bare ? children : <AppShell>{children}</AppShell>}</ProjectQueries>;
}

function ProjectQueries({ children }: { children: ReactNode }) {
  const client = useMemo(() => newQueryClient(), []);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
