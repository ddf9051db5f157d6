import type { Context, CONTEXT_ROUTES, ContextVersion, RequestBodyOf, ResponseOf } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

type Routes = typeof CONTEXT_ROUTES;
type Environment = string | undefined;

const CONTEXTS = '/api/context';
const PAGE = 100;
const path = (id: string) => `${CONTEXTS}/${encodeURIComponent(id)}`;

/** What all queries of contexts begin with. */
export const CONTEXT_KEYS = ['contexts'] as const;

/** Contexts of the place that the environment leads to, by name. */
export const contextsQuery = (
  environment: Environment,
  filter: { q: string; status: string },
  limit = PAGE,
) =>
  pagesOf([...CONTEXT_KEYS, 'list', environment, filter, limit], ({ cursor }, signal) => {
    const question = new URLSearchParams({ limit: String(limit) });
    if (filter.q !== '') question.set('q', filter.q);
    if (filter.status !== '') question.set('status', filter.status);
    if (cursor !== undefined) question.set('cursor', cursor);
    return call<ResponseOf<Routes['listContexts']>>(`${CONTEXTS}?${question}`, { environment }, { signal });
  });

export const contextQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...CONTEXT_KEYS, 'one', environment, id],
    queryFn: ({ signal }): Promise<Context> =>
      call<ResponseOf<Routes['getContext']>>(path(id), { environment }, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const contextVersionsQuery = (environment: Environment, id: string) =>
  pagesOf([...CONTEXT_KEYS, 'versions', environment, id], ({ cursor }, signal) => {
    const question = new URLSearchParams({ limit: String(PAGE) });
    if (cursor !== undefined) question.set('cursor', cursor);
    return call<ResponseOf<Routes['listContextVersions']>>(
      `${path(id)}/versions?${question}`,
      { environment },
      { signal },
    );
  });

export const contextVersionQuery = (environment: Environment, id: string, version: number) =>
  queryOptions({
    queryKey: [...CONTEXT_KEYS, 'version', environment, id, version],
    queryFn: ({ signal }): Promise<ContextVersion> =>
      call<ResponseOf<Routes['getContextVersion']>>(
        `${path(id)}/versions/${version}`,
        { environment },
        { signal },
      ).then((answer) => answer.data),
  });

export const createContextIn = (environment: Environment) => (body: RequestBodyOf<Routes['createContext']>) =>
  call<ResponseOf<Routes['createContext']>>(CONTEXTS, { environment }, { body }).then(
    (answer) => answer.data,
  );

export const replaceContext = (
  environment: Environment,
  id: string,
  body: RequestBodyOf<Routes['replaceContext']>,
): Promise<Context> =>
  call<ResponseOf<Routes['replaceContext']>>(path(id), { environment }, { method: 'PUT', body }).then(
    (answer) => answer.data,
  );

export const restoreContextIn =
  (environment: Environment) =>
  (what: { id: string } & RequestBodyOf<Routes['restoreContextVersion']>): Promise<Context> => {
    const { id, ...body } = what;
    return call<ResponseOf<Routes['restoreContextVersion']>>(
      `${path(id)}/restore`,
      { environment },
      { body },
    ).then((answer) => answer.data);
  };

export const deleteContextIn = (environment: Environment) => (id: string) =>
  call(path(id), { environment }, { method: 'DELETE' });
