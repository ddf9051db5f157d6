import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { type AskParts, createAsking } from './ask.ts';
import { createModels } from './service.ts';

type ModelHandlers = Pick<
  Handlers,
  'listModels' | 'createModel' | 'updateModel' | 'deleteModel' | 'checkModel' | 'tryPrompt'
>;

/** Configured language models, and what is asked of them. */
export function modelHandlers(parts: AskParts): ModelHandlers {
  const models = createModels(parts.metadata);
  const asking = createAsking(parts);
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
    checkModel: async ({ context, params, signal }) => ({
      data: await asking.check(context, params.id, signal),
    }),
    tryPrompt: async ({ context, params, body, signal }) => ({
      events: await asking.try(context, params.id, body, signal),
    }),
  };
}
