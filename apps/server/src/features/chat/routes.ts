import type { Handlers } from '../../http/handlers.ts';
import type { Chat } from './service.ts';

type ConversationHandlers = Pick<
  Handlers,
  | 'getChatConfig'
  | 'saveChatConfig'
  | 'listConversations'
  | 'createConversation'
  | 'getConversation'
  | 'renameConversation'
  | 'deleteConversation'
  | 'sendMessage'
  | 'followMessage'
  | 'stopMessage'
  | 'decideApproval'
>;

/** Settings of the assistant and conversations with it. */
export function chatHandlers(chat: Chat): ConversationHandlers {
  return {
    getChatConfig: ({ context }) => chat.settings.read(context),
    saveChatConfig: async ({ context, body }) => ({ data: await chat.settings.save(context, body) }),
    listConversations: ({ context, query }) => chat.list(context, query.limit, query.cursor),
    createConversation: async ({ context, body }) => ({ data: await chat.create(context, body.title) }),
    getConversation: async ({ context, params }) => ({ data: await chat.get(context, params.id) }),
    renameConversation: async ({ context, params, body }) => ({
      data: await chat.rename(context, params.id, body.title),
    }),
    deleteConversation: async ({ context, params }) => ({ data: await chat.delete(context, params.id) }),
    sendMessage: async (input) => ({ events: await chat.send(input, input.body) }),
    followMessage: async ({ context, params, signal }) => ({
      events: await chat.follow(context, params.id, signal),
    }),
    stopMessage: async ({ context, params }) => ({ data: await chat.stop(context, params.id) }),
    decideApproval: async (input) => ({ events: await chat.decide(input, input.params.id, input.body) }),
  };
}
