import { z } from 'zod';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';
import { sqlResultSchema } from './sql.ts';

/** Bounds of conversations. */
export const CHAT_LIMITS = {
  content: 20_000,
  title: 120,
  /** Conversations one person may keep in a project, and messages of one. */
  perOwner: 500,
  messages: 2_000,
  /** Rows of a result that are kept with the message. */
  keptRows: 1_000,
  /** Steps of one answer, tool calls in it, and its time. */
  steps: 8,
  toolCalls: 16,
  answerMs: 120_000,
  approvalMs: 900_000,
} as const;

const common = { tag: 'Assistant', storage: 'platform' } as const;
const id = z.string().min(1).max(64);
const params = z.object({ id });
const title = z
  .string()
  .trim()
  .min(1)
  .max(CHAT_LIMITS.title)
  .regex(/^[^\p{Cc}]*$/u, { error: 'One line, without control characters.' });

export const CHART_TYPES = ['stat', 'bar', 'line', 'area', 'pie', 'table'] as const;
export const chatChartSchema = z
  .object({
    type: z.enum(CHART_TYPES),
    x: z.string().nullable(),
    y: z.array(z.string()),
    series: z.string().nullable(),
  })
  .meta({ id: 'ChatChart', description: 'How a result is drawn, by the types of its columns.' });
export type ChatChart = z.output<typeof chatChartSchema>;

export const chatApprovalSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    effect: z.enum(['create', 'change', 'delete']),
    reason: z.string().meta({ description: 'Why a person is asked.' }),
    wantsValue: z
      .boolean()
      .meta({ description: 'A secret: its value is typed into the card and never reaches the model.' }),
    expiresAt: isoTime,
  })
  .meta({ id: 'ChatApproval' });

export const chatPartSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({
      kind: z.literal('tool'),
      callId: z.string(),
      name: z.string(),
      title: z.string(),
      input: z.unknown(),
      state: z.enum(['running', 'done', 'failed', 'waiting', 'denied']),
      detail: z.string().nullable().meta({ description: 'A sentence: what failed, what was done.' }),
      url: z.string().nullable().meta({ description: 'Path of the page that shows the same.' }),
      result: sqlResultSchema.nullable(),
      chart: chatChartSchema.nullable(),
      layout: z.unknown().meta({ description: 'A dashboard that can be imported; null: none.' }),
      approval: chatApprovalSchema.nullable(),
    }),
  ])
  .meta({ id: 'ChatPart' });
export type ChatPart = z.output<typeof chatPartSchema>;

const usageSchema = z.object({
  calls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number().nullable().meta({ description: 'Null: no price is known.' }),
});

export const chatMessageSchema = z
  .object({
    id: z.string(),
    seq: z.int(),
    role: z.enum(['user', 'assistant']),
    status: z.enum(['running', 'done', 'stopped', 'failed']),
    parts: z.array(chatPartSchema),
    err: z.string().nullable(),
    model: z.string().nullable(),
    usage: usageSchema.nullable(),
    durationMs: z.number().nullable(),
    createdAt: isoTime,
  })
  .meta({ id: 'ChatMessage' });
export type ChatMessage = z.output<typeof chatMessageSchema>;

const summaryShape = {
  id: z.string(),
  title: z.string(),
  messages: z.int(),
  createdAt: isoTime,
  updatedAt: isoTime,
};
export const chatSummarySchema = z.object(summaryShape).meta({ id: 'ChatSummary' });
export type ChatSummary = z.output<typeof chatSummarySchema>;
export const chatSchema = z
  .object({ ...summaryShape, thread: z.array(chatMessageSchema) })
  .meta({ id: 'Chat' });
export type Chat = z.output<typeof chatSchema>;

const one = z.object({ data: chatSummarySchema });
const errors = ['metadata_unavailable'] as const;

const listConversations = defineRoute({
  ...common,
  id: 'listConversations',
  method: 'GET',
  path: '/api/chat/conversation',
  summary: "One's own conversations, the newest first",
  permission: reads('chat'),
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().min(1).max(200).optional(),
  }),
  response: z.object({ data: z.array(chatSummarySchema), nextCursor: z.string().nullable() }),
  errors: ['bad_query', ...errors],
});

const createConversation = defineRoute({
  ...common,
  id: 'createConversation',
  method: 'POST',
  path: '/api/chat/conversation',
  summary: 'Begins a conversation',
  permission: writes('chat'),
  success: 201,
  body: z.strictObject({ title: title.optional() }),
  response: one,
  errors: ['refused', ...errors],
});

const getConversation = defineRoute({
  ...common,
  id: 'getConversation',
  method: 'GET',
  path: '/api/chat/conversation/{id}',
  summary: "One of one's own conversations with its messages",
  permission: reads('chat'),
  params,
  response: z.object({ data: chatSchema }),
  errors: ['not_found', ...errors],
});

const renameConversation = defineRoute({
  ...common,
  id: 'renameConversation',
  method: 'PATCH',
  path: '/api/chat/conversation/{id}',
  summary: 'Gives a conversation another title',
  permission: writes('chat'),
  params,
  body: z.strictObject({ title }),
  response: one,
  errors: ['not_found', ...errors],
});

const deleteConversation = defineRoute({
  ...common,
  id: 'deleteConversation',
  method: 'DELETE',
  path: '/api/chat/conversation/{id}',
  summary: 'Deletes a conversation with its messages; an answer that is under way is stopped',
  permission: writes('chat'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...errors],
});

const pageSchema = z.strictObject({
  path: z.string().max(500),
  search: z.string().max(2_000).default(''),
  traceId: z.string().max(32).optional(),
  spanId: z.string().max(16).optional(),
});

/** What a stream of an answer carries: `message` first, then changes of it, `done` last. */
const eventSchema = z
  .union([
    chatMessageSchema,
    z.object({ text: z.string() }),
    z.object({ index: z.int(), part: chatPartSchema }),
  ])
  .meta({
    description:
      'Data of the events `question` and `message` (a whole message), `delta` (text behind the last part), `part` (a part that is new or changed) and `done` (the whole message).',
  });

const streamErrors = ['too_many_streams', 'shutting_down', ...errors] as const;

const sendMessage = defineRoute({
  ...common,
  id: 'sendMessage',
  method: 'POST',
  path: '/api/chat/message',
  summary: 'Asks the assistant. The answer goes on when the client leaves',
  permission: writes('chat'),
  stream: 'events',
  body: z.strictObject({
    conversationId: id,
    content: z.string().trim().min(1).max(CHAT_LIMITS.content),
    page: pageSchema.optional().meta({ description: 'What the person has on screen.' }),
    replaces: id.optional().meta({
      description: 'A question of this conversation: it and everything after it is replaced.',
    }),
  }),
  response: eventSchema,
  errors: ['not_found', 'refused', 'conflict', 'assistant_unset', ...streamErrors],
});

const followMessage = defineRoute({
  ...common,
  id: 'followMessage',
  method: 'GET',
  path: '/api/chat/message/{id}/stream',
  summary: 'An answer as far as it is, then what comes; ends at once when it is done',
  permission: reads('chat'),
  stream: 'events',
  params,
  response: eventSchema,
  errors: ['not_found', ...streamErrors],
});

const stopMessage = defineRoute({
  ...common,
  id: 'stopMessage',
  method: 'POST',
  path: '/api/chat/message/{id}/stop',
  summary: 'Stops an answer; what there is of it stays',
  permission: writes('chat'),
  params,
  response: z.object({ data: z.object({ id: z.string(), stopped: z.boolean() }) }),
  errors: ['not_found', ...errors],
});

const decideApproval = defineRoute({
  ...common,
  id: 'decideApproval',
  method: 'POST',
  path: '/api/chat/approval/{id}',
  summary: 'Does what a card asks, or not; the answer then goes on',
  permission: writes('chat'),
  stream: 'events',
  params,
  body: z.strictObject({
    decision: z.enum(['approve', 'deny']),
    value: z.string().min(1).max(131_072).optional().meta({
      description: 'Value of a secret, where the card asks for it: it goes to the vault and nowhere else.',
    }),
  }),
  response: eventSchema,
  errors: ['not_found', 'refused', 'conflict', 'assistant_unset', ...streamErrors],
});

const saveWidget = defineRoute({
  ...common,
  id: 'saveChatWidget',
  method: 'POST',
  path: '/api/chat/message/save-widget',
  summary: 'Puts a statement as a widget on a board; without a board on a new one',
  permission: writes('chat'),
  success: 201,
  body: z.strictObject({
    title,
    type: z.enum(CHART_TYPES),
    query: z.string().min(1).max(8_192),
    boardId: id.optional(),
    x: z.string().min(1).max(300).optional(),
    y: z.array(z.string().min(1).max(300)).max(20).optional(),
    series: z.string().min(1).max(300).optional(),
  }),
  response: z.object({ data: z.object({ boardId: z.string(), widgetId: z.string() }) }),
  errors: ['not_found', 'conflict', 'refused', 'sql_refused', ...errors],
});

export const CONVERSATION_ROUTES = {
  listConversations,
  createConversation,
  getConversation,
  renameConversation,
  deleteConversation,
  sendMessage,
  followMessage,
  stopMessage,
  decideApproval,
  saveChatWidget: saveWidget,
};
