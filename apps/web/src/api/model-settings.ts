import type { MODEL_ROUTES, ModelCheck, RequestBodyOf, ResponseOf, VAULT_ROUTES } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

type Routes = typeof MODEL_ROUTES;
type Environment = string | undefined;

/** Secrets of one answer: the most it may list. */
const PAGE = 500;

export type NewModel = RequestBodyOf<Routes['createModel']>;
export type ModelChange = RequestBodyOf<Routes['updateModel']>;

export const createModelIn = (environment: Environment) => (body: NewModel) =>
  call('createModel', { environment, body });

export const changeModelIn =
  (environment: Environment) => (what: { readonly id: string; readonly change: ModelChange }) =>
    call('updateModel', { params: { id: what.id }, environment, body: what.change });

export const deleteModelIn = (environment: Environment) => (id: string) =>
  call('deleteModel', { params: { id }, environment });

/** Asks the model for a word; costs a few tokens, so nothing calls it by itself. */
export const checkModelIn =
  (environment: Environment) =>
  (id: string): Promise<ModelCheck> =>
    call('checkModel', { params: { id }, environment }).then((answer) => answer.data);

type SecretPage = ResponseOf<(typeof VAULT_ROUTES)['listSecrets']>;

/** Names of all secrets that a model's key may be in; the vault holds no more than some thousand. */
export const secretNamesQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['secrets', 'names', environment],
    queryFn: async ({ signal }) => {
      const names: { readonly id: string; readonly key: string }[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: SecretPage = await call('listSecrets', {
          query: { limit: PAGE, cursor: cursor || undefined },
          environment,
          signal,
        });
        for (const { id, key } of page.data) names.push({ id, key });
        cursor = page.nextCursor;
      }
      return names;
    },
  });
