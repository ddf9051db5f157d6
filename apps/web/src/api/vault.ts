import type { RequestBodyOf, Secret, SecretVersion, VAULT_ROUTES } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { given, pagesOf } from './pages.ts';

type Routes = typeof VAULT_ROUTES;
type Environment = string | undefined;

const PAGE = 100;

/** What all queries of secrets begin with. */
export const SECRETS = ['secrets'] as const;

/** Secrets of the place that the environment leads to, by name; never their values. */
export const secretsQuery = (environment: Environment, filter: { search: string; tag: string }) =>
  pagesOf([...SECRETS, 'list', environment, filter], ({ cursor }, signal) => {
    return call('listSecrets', { query: { limit: PAGE, ...given(filter), cursor }, environment, signal });
  });

export const secretQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...SECRETS, 'one', environment, id],
    queryFn: ({ signal }): Promise<Secret> =>
      call('getSecret', { params: { id }, environment, signal }).then((answer) => answer.data),
  });

export const secretHistoryQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...SECRETS, 'history', environment, id],
    queryFn: ({ signal }): Promise<SecretVersion[]> =>
      call('listSecretVersions', { params: { id }, environment, signal }).then((answer) => answer.data),
  });

export const createSecretIn = (environment: Environment) => (body: RequestBodyOf<Routes['createSecret']>) =>
  call('createSecret', { environment, body }).then((answer) => answer.data);

export const changeSecretIn =
  (environment: Environment) => (what: { id: string } & RequestBodyOf<Routes['updateSecret']>) => {
    const { id, ...body } = what;
    return call('updateSecret', { params: { id }, environment, body });
  };

export const restoreSecretIn =
  (environment: Environment) => (what: { id: string } & RequestBodyOf<Routes['restoreSecret']>) => {
    const { id, ...body } = what;
    return call('restoreSecret', { params: { id }, environment, body });
  };

export const deleteSecretIn = (environment: Environment) => (id: string) =>
  call('deleteSecret', { params: { id }, environment });

/** The value itself. Never through a query or a mutation, whose answers are kept. */
export const revealSecret = (environment: Environment, id: string, version: number | undefined) =>
  call('revealSecret', { params: { id }, environment, body: version === undefined ? {} : { version } }).then(
    (answer) => answer.data.value,
  );
