import type { RequestBodyOf, ResponseOf, Secret, SecretVersion, VAULT_ROUTES } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

type Routes = typeof VAULT_ROUTES;
type Environment = string | undefined;

const VAULT = '/api/vault';
const PAGE = 100;
const secret = (id: string) => `${VAULT}/${encodeURIComponent(id)}`;

/** What all queries of secrets begin with. */
export const SECRETS = ['secrets'] as const;

/** Secrets of the place that the environment leads to, by name; never their values. */
export const secretsQuery = (environment: Environment, filter: { search: string; tag: string }) =>
  pagesOf([...SECRETS, 'list', environment, filter], ({ cursor }, signal) => {
    const question = new URLSearchParams({ limit: String(PAGE) });
    if (filter.search !== '') question.set('search', filter.search);
    if (filter.tag !== '') question.set('tag', filter.tag);
    if (cursor !== undefined) question.set('cursor', cursor);
    return call<ResponseOf<Routes['listSecrets']>>(`${VAULT}?${question}`, { environment }, { signal });
  });

export const secretQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...SECRETS, 'one', environment, id],
    queryFn: ({ signal }): Promise<Secret> =>
      call<ResponseOf<Routes['getSecret']>>(secret(id), { environment }, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const secretHistoryQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...SECRETS, 'history', environment, id],
    queryFn: ({ signal }): Promise<SecretVersion[]> =>
      call<ResponseOf<Routes['listSecretVersions']>>(
        `${secret(id)}/history`,
        { environment },
        { signal },
      ).then((answer) => answer.data),
  });

export const createSecretIn = (environment: Environment) => (body: RequestBodyOf<Routes['createSecret']>) =>
  call<ResponseOf<Routes['createSecret']>>(VAULT, { environment }, { body }).then((answer) => answer.data);

export const changeSecretIn =
  (environment: Environment) => (what: { id: string } & RequestBodyOf<Routes['updateSecret']>) => {
    const { id, ...body } = what;
    return call(secret(id), { environment }, { method: 'PUT', body });
  };

export const restoreSecretIn =
  (environment: Environment) => (what: { id: string } & RequestBodyOf<Routes['restoreSecret']>) => {
    const { id, ...body } = what;
    return call(`${secret(id)}/restore`, { environment }, { body });
  };

export const deleteSecretIn = (environment: Environment) => (id: string) =>
  call(secret(id), { environment }, { method: 'DELETE' });

/** The value itself. Never through a query or a mutation, whose answers are kept. */
export const revealSecret = (environment: Environment, id: string, version: number | undefined) =>
  call<ResponseOf<Routes['revealSecret']>>(
    `${secret(id)}/reveal`,
    { environment },
    { body: version === undefined ? {} : { version } },
  ).then((answer) => answer.data.value);
