import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { createModels, type ModelParts } from './service.ts';

type ModelHandlers = Pick<Handlers, 'listModels' | 'createModel' | 'updateModel' | 'deleteModel'>;

/** Configured language models. */
export function modelHandlers(parts: ModelParts): ModelHandlers {
  const models = createModels(parts);
  return {
    listModels: async ({ context }) => ({ data: await models.list(context), nextCursor: null }),
    createModel: async ({ context, body, header }) => ({
      data: await models.create(
        context,
        body,
        callOf(context, 'createModel', header('idempotency-key'), body),
      ),
    }),
    updateModel: async ({ context, params, body, header }) => {
      const call = callOf(context, 'updateModel', header('idempotency-key'), { ...params, body });
      return { data: await models.update(context, params.id, body, call) };
    },
    deleteModel: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteModel', header('idempotency-key'), params);
      return { data: await models.delete(context, params.id, call) };
    },
  };
}
