import type { MODEL_ROUTES, ModelCheck, RequestBodyOf, ResponseOf, VAULT_ROUTES } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

type Routes = typeof MODEL_ROUTES;
type Environment = string | undefined;

const MODELS = '/api/models';
const model = (id: string) => `${MODELS}/${encodeURIComponent(id)}`;

/** Secrets that can be chosen from: the most that one answer lists. */
const MOST_SECRETS = 500;

export type NewModel = RequestBodyOf<Routes['createModel']>;
export type ModelChange = RequestBodyOf<Routes['updateModel']>;

export const createModelIn = (environment: Environment) => (body: NewModel) =>
  call(MODELS, { environment }, { body });

export const changeModelIn =
  (environment: Environment) => (what: { readonly id: string; readonly change: ModelChange }) =>
    call(model(what.id), { environment }, { method: 'PUT', body: what.change });

export const deleteModelIn = (environment: Environment) => (id: string) =>
  call(model(id), { environment }, { method: 'DELETE' });

/** Asks the model for a word; costs a few tokens, so nothing calls it by itself. */
export const checkModelIn =
  (environment: Environment) =>
  (id: string): Promise<ModelCheck> =>
    call<ResponseOf<Routes['checkModel']>>(`${model(id)}/check`, { environment }, { method: 'POST' }).then(
      (answer) => answer.data,
    );

/** Names of the secrets that a model's key may be in. */
export const secretNamesQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['secrets', 'names', environment],
    queryFn: ({ signal }) =>
      call<ResponseOf<(typeof VAULT_ROUTES)['listSecrets']>>(
        `/api/vault?limit=${MOST_SECRETS}`,
        { environment },
        { signal },
      ).then((answer) => answer.data.map(({ id, key }) => ({ id, key }))),
  });
