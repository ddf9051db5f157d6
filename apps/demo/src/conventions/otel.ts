import type { Attributes } from '../telemetry.ts';
import {
  type ChatMessage,
  type Convention,
  present,
  systemOf,
  type Usage,
  type Who,
  withoutSystem,
} from './convention.ts';

const scope = { name: 'opentelemetry.instrumentation.genai', version: '0.5b0' };

/** A message as the semantic conventions write it: a role and typed parts. */
function messageParts(message: ChatMessage): object[] {
  const parts: object[] = [];
  if (message.reasoning) parts.push({ type: 'reasoning', content: message.reasoning });
  if (message.role === 'tool') {
    parts.push({ type: 'tool_call_response', id: message.toolCallId, result: message.text });
  } else if (message.text) parts.push({ type: 'text', content: message.text });
  for (const call of message.toolCalls ?? []) {
    parts.push({ type: 'tool_call', id: call.id, name: call.name, arguments: JSON.parse(call.arguments) });
  }
  return parts;
}

const usageAttributes = (usage: Usage | undefined): Attributes =>
  usage === undefined
    ? {}
    : {
        'gen_ai.usage.input_tokens': usage.input,
        'gen_ai.usage.output_tokens': usage.output,
        'gen_ai.usage.cache_read.input_tokens': usage.cached || undefined,
        'gen_ai.usage.reasoning.output_tokens': usage.reasoning || undefined,
      };

const whoAttributes = (who: Who): Attributes => ({
  'gen_ai.conversation.id': present(who.sessionId),
  'user.id': present(who.userId),
  'gen_ai.agent.name': present(who.agentName),
});

/** The GenAI semantic conventions as they are now. */
export const otel: Convention = {
  id: 'otel',
  model(call) {
    const { model, response } = call;
    const embeddings = call.operation === 'embeddings';
    const system = systemOf(call.messages);
    return {
      name: `${call.operation} ${model.name}`,
      kind: 'client',
      scope,
      attributes: {
        'gen_ai.operation.name': call.operation,
        'gen_ai.provider.name': model.provider,
        'gen_ai.request.model': model.name,
        'server.address': model.server,
        'server.port': 443,
        ...whoAttributes(call.who),
        'gen_ai.prompt.name': present(call.promptName),
        'platform.prompt.version': present(call.promptVersion),
        ...(embeddings
          ? { 'gen_ai.request.encoding_formats': ['float'], 'gen_ai.embeddings.dimension.count': 1536 }
          : {
              'gen_ai.request.temperature': call.temperature,
              'gen_ai.request.max_tokens': call.maxTokens,
              'gen_ai.request.stream': call.stream,
              'gen_ai.output.type': 'text',
              'gen_ai.system_instructions': system
                ? JSON.stringify([{ type: 'text', content: system }])
                : undefined,
            }),
        'gen_ai.input.messages': embeddings
          ? JSON.stringify(call.messages.map((message) => message.text))
          : JSON.stringify(
              withoutSystem(call.messages).map((message) => ({
                role: message.role,
                parts: messageParts(message),
              })),
            ),
        'gen_ai.tool.definitions':
          call.tools.length > 0
            ? JSON.stringify(call.tools.map((tool) => ({ type: 'function', ...tool })))
            : undefined,
        ...usageAttributes(response?.usage),
        'gen_ai.response.id': response?.id,
        'gen_ai.response.model': response ? model.responseName : undefined,
        ...(response && !embeddings
          ? {
              'gen_ai.response.finish_reasons': [response.finishReason],
              'gen_ai.response.time_to_first_chunk': call.stream ? response.firstTokenMs / 1000 : undefined,
              'gen_ai.output.messages': JSON.stringify([
                {
                  role: 'assistant',
                  parts: messageParts(response.message),
                  finish_reason: response.finishReason,
                },
              ]),
            }
          : {}),
      },
    };
  },
  tool({ call, definition, who, result }) {
    return {
      name: `execute_tool ${call.name}`,
      kind: 'internal',
      scope,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.name,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.description': definition.description,
        'gen_ai.tool.call.id': call.id,
        'gen_ai.tool.call.arguments': call.arguments,
        'gen_ai.tool.call.result': result,
        ...whoAttributes(who),
      },
    };
  },
  agent(run) {
    return {
      name: `invoke_agent ${run.who.agentName}`,
      kind: 'internal',
      scope,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': run.model.provider,
        'gen_ai.request.model': run.model.name,
        'gen_ai.workflow.name': present(run.workflow),
        ...whoAttributes(run.who),
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: run.input }] },
        ]),
        'gen_ai.output.messages': run.output
          ? JSON.stringify([
              { role: 'assistant', parts: [{ type: 'text', content: run.output }], finish_reason: 'stop' },
            ])
          : undefined,
        // The sum over the calls below: a reader must not count it again.
        ...usageAttributes(run.total),
      },
    };
  },
  retrieval(run) {
    return {
      name: `${run.step === 'rerank' ? 'rerank' : 'retrieval'} ${run.collection}`,
      kind: 'client',
      scope,
      attributes: {
        'gen_ai.operation.name': run.step === 'rerank' ? 'rerank' : 'retrieval',
        'gen_ai.data_source.id': run.collection,
        'gen_ai.retrieval.query.text': run.query,
        'gen_ai.retrieval.documents': JSON.stringify(run.documents),
        ...(run.step === 'rerank'
          ? { 'gen_ai.provider.name': run.model.provider, 'gen_ai.request.model': run.model.name }
          : {}),
      },
    };
  },
};
