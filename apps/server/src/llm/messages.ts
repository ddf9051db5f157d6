import type { AssistantModelMessage, ModelMessage, ToolSet } from 'ai';
import type { LlmMessage, LlmTool } from './types.ts';

/** Our messages as the SDK takes them: instructions apart from the conversation. */
export function toModelMessages(messages: readonly LlmMessage[]): {
  instructions?: string;
  messages: ModelMessage[];
} {
  const instructions = messages
    .filter(({ role }) => role === 'system')
    .map((message) => ('text' in message ? message.text : ''))
    .join('\n\n');
  const rest = messages.filter(({ role }) => role !== 'system').map(toModelMessage);
  return { ...(instructions === '' ? {} : { instructions }), messages: rest };
}

function toModelMessage(message: LlmMessage): ModelMessage {
  if (message.role === 'tool') {
    const { id: toolCallId, name: toolName, output: value, isError } = message;
    const output = { type: isError === true ? ('error-text' as const) : ('text' as const), value };
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
  }
  if (message.role !== 'assistant') return { role: 'user', content: message.text };
  const content: AssistantModelMessage['content'] = [
    ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
    ...(message.toolCalls ?? []).map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ];
  return { role: 'assistant', content };
}

/** Tools without anything to run: the SDK ends its step where one is asked for. */
export async function toToolSet(tools: readonly LlmTool[]): Promise<ToolSet> {
  const { jsonSchema, tool } = await import('ai');
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema) }),
    ]),
  );
}
