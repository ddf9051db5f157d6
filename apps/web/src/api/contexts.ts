import type { Context, CONTEXT_ROUTES, ContextVersion, RequestBodyOf } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { given, pagesOf } from './pages.ts';

type Routes = typeof CONTEXT_ROUTES;
type Environment = string | undefined;

const PAGE = 100;

/** What all queries of contexts begin with. */
export const CONTEXT_KEYS = ['contexts'] as const;

/** Contexts of the place that the environment leads to, by name. */
export const contextsQuery = (
  environment: Environment,
  filter: { q: string; status: '' | 'ACTIVE' | 'INACTIVE' },
  limit = PAGE,
) =>
  pagesOf([...CONTEXT_KEYS, 'list', environment, filter, limit], ({ cursor }, signal) => {
    return call('listContexts', { query: { limit, ...given(filter), cursor }, environment, signal });
  });

export const contextQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...CONTEXT_KEYS, 'one', environment, id],
    queryFn: ({ signal }): Promise<Context> =>
      call('getContext', { params: { id }, environment, signal }).then((answer) => answer.data),
  });

export const contextVersionsQuery = (environment: Environment, id: string) =>
  pagesOf([...CONTEXT_KEYS, 'versions', environment, id], ({ cursor }, signal) => {
    return call('listContextVersions', {
      params: { id },
      query: { limit: PAGE, cursor },
      environment,
      signal,
    });
  });

export const contextVersionQuery = (environment: Environment, id: string, version: number) =>
  queryOptions({
    queryKey: [...CONTEXT_KEYS, 'version', environment, id, version],
    queryFn: ({ signal }): Promise<ContextVersion> =>
      call('getContextVersion', { params: { id, version }, environment, signal }).then(
        (answer) => answer.data,
      ),
  });

export const createContextIn = (environment: Environment) => (body: RequestBodyOf<Routes['createContext']>) =>
  call('createContext', { environment, body }).then((answer) => answer.data);

export const replaceContext = (
  environment: Environment,
  id: string,
  body: RequestBodyOf<Routes['replaceContext']>,
): Promise<Context> =>
  call('replaceContext', { params: { id }, environment, body }).then((answer) => answer.data);

export const restoreContextIn =
  (environment: Environment) =>
  (what: { id: string } & RequestBodyOf<Routes['restoreContextVersion']>): Promise<Context> => {
    const { id, ...body } = what;
    return call('restoreContextVersion', { params: { id }, environment, body }).then((answer) => answer.data);
  };

export const deleteContextIn = (environment: Environment) => (id: string) =>
  call('deleteContext', { params: { id }, environment });
