import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { getRouteApi, useMatches, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo } from 'react';
import { authStatusQuery } from '../../api/auth.ts';
import { onUnauthorised } from '../../api/client.ts';
import { newQueryClient } from '../../api/query-client.ts';
import { Failure } from '../../ui/states.tsx';
import { mayOpen, useWhoAsks } from '../session/use-person.ts';
import { AppShell } from './app-shell.tsx';
import { lastProject, projectToOpen } from './project-memory.ts';
import type { ShellSearch } from './shell-search.ts';

const root = getRouteApi('__root__');
// The navigation leads nobody there.
const NotYours = lazy(() => import('./not-yours.tsx'));

/**
 * Around every page: the answers of the project in the address, and the navigation unless the page stands alone.
 * Another project is another picture altogether, so everything is made anew with it.
 */
export function Root({ children }: { children: ReactNode }) {
  const project = root.useSearch({ select: (search) => search.project ?? '' });
  return (
    <ProjectQueries key={project}>
      <Entry project={project}>{children}</Entry>
    </ProjectQueries>
  );
}

function ProjectQueries({ children }: { children: ReactNode }) {
  const client = useMemo(() => newQueryClient(), []);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

/** Lets the page open for whom it is; leads to signing in and back where that is missing. */
function Entry({ project, children }: { project: string; children: ReactNode }) {
  const { bare, permission } = useMatches({
    select: (matches) => {
      const { bare, permission = 'reader' } = matches.at(-1)?.staticData ?? {};
      return { bare: bare === true, permission };
    },
    structuralSharing: true,
  });
  const signIn = useSignIn();
  const status = useQuery(authStatusQuery());
  const { person, reads } = useWhoAsks();
  // Said by the first answer; a session that ends later is told by whatever is refused then.
  const nobody = status.data !== undefined && !reads;
  const asked = permission !== 'public';
  useEffect(() => {
    if (!asked) return undefined;
    if (nobody) signIn();
    return onUnauthorised(signIn);
  }, [asked, nobody, signIn]);
  const navigate = useNavigate();
  const wanted = bare ? undefined : projectToOpen(project, person?.projects ?? []);
  useEffect(() => {
    if (wanted === undefined) {
      if (project !== '') lastProject.set(project);
      return;
    }
    void navigate({
      to: '.',
      replace: true,
      search: (before: ShellSearch) => ({ ...before, project: wanted }),
    } as Parameters<typeof navigate>[0]);
  }, [wanted, project, navigate]);
  if (bare) return children;
  // Until it is known who asks, a page would ask for what may not be theirs, or of the wrong project.
  const later = status.isPending || wanted !== undefined || nobody;
  const open = mayOpen(person, permission);
  return (
    <AppShell>
      {later ? null : open ? (
        children
      ) : status.isError ? (
        <Failure error={status.error} onRetry={() => void status.refetch()} />
      ) : (
        <Suspense>
          <NotYours permission={permission} owned={status.data?.owned !== false} person={person} />
        </Suspense>
      )}
    </AppShell>
  );
}

/** Leads to the sign-in page, and from there back to the same address. */
function useSignIn(): () => void {
  const router = useRouter();
  return useCallback(() => {
    // Several requests may be refused at once; the first leads away.
    if (location.pathname === '/sign-in') return;
    const next = location.pathname + location.search + location.hash;
    void router.navigate({ to: '/sign-in', search: { next }, replace: true });
  }, [router]);
}
