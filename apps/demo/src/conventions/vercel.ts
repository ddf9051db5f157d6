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

const scope = { name: 'ai', version: '5.0.93' };

const whoAttributes = (who: Who): Attributes => ({
  'ai.telemetry.functionId': present(who.agentName),
  'ai.telemetry.metadata.sessionId': present(who.sessionId),
  'ai.telemetry.metadata.userId': present(who.userId),
});

const usageAttributes = (usage: Usage | undefined): Attributes => ({
  'ai.usage.promptTokens': usage?.input,
  'ai.usage.completionTokens': usage?.output,
  'ai.usage.cachedInputTokens': usage?.cached || undefined,
  'ai.usage.reasoningTokens': usage?.reasoning || undefined,
});

function content(message: ChatMessage): unknown {
  if (message.role === 'tool') {
    return [
      {
        type: 'tool-result',
        toolCallId: message.toolCallId,
        toolName: message.toolName,
        output: { type: 'text', value: message.text },
      },
    ];
  }
  if (!message.toolCalls?.length) return [{ type: 'text', text: message.text }];
  return message.toolCalls.map((call) => ({
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: JSON.parse(call.arguments),
  }));
}

/** The SDK names a provider with the kind of API behind it. */
const PROVIDERS = new Map([
  ['openai', 'openai.responses'],
  ['anthropic', 'anthropic.messages'],
  ['gcp.gemini', 'google.generative-ai'],
  ['groq', 'groq.chat'],
]);
const providerOf = (provider: string) => PROVIDERS.get(provider) ?? `${provider}.chat`;

const finish = (reason: string) => reason.replace('tool_calls', 'tool-calls');

/** Vercel's AI SDK 5: the outer span repeats the sum of its inner calls. */
export const vercel: Convention = {
  id: 'vercel',
  model(call) {
    const { model, response } = call;
    const id = call.stream ? 'ai.streamText.doStream' : 'ai.generateText.doGenerate';
    const embed = call.operation === 'embeddings';
    const operation = embed ? 'ai.embed.doEmbed' : id;
    return {
      name: operation,
      kind: 'internal',
      scope,
      attributes: {
        'operation.name': `${operation} ${call.functionName}`,
        'resource.name': call.functionName,
        'ai.operationId': operation,
        'ai.model.provider': embed ? `${model.provider}.embedding` : providerOf(model.provider),
        'ai.model.id': model.name,
        'ai.settings.maxRetries': 2,
        ...whoAttributes({ ...call.who, agentName: call.functionName }),
        ...(embed
          ? {
              'ai.values': call.messages.map((message) => JSON.stringify(message.text)),
              'ai.usage.tokens': response?.usage.input,
            }
          : {
              'gen_ai.system': providerOf(model.provider),
              'gen_ai.request.model': model.name,
              'gen_ai.request.temperature': call.temperature,
              'ai.prompt.messages': JSON.stringify([
                ...(systemOf(call.messages) ? [{ role: 'system', content: systemOf(call.messages) }] : []),
                ...withoutSystem(call.messages).map((message) => ({
                  role: message.role,
                  content: content(message),
                })),
              ]),
              'ai.prompt.tools':
                call.tools.length > 0
                  ? call.tools.map((tool) =>
                      JSON.stringify({
                        type: 'function',
                        name: tool.name,
                        description: tool.description,
                        inputSchema: tool.parameters,
                      }),
                    )
                  : undefined,
              'ai.response.id': response?.id,
              'ai.response.model': response ? model.responseName : undefined,
              'ai.response.text': response ? present(response.message.text) : undefined,
              'ai.response.toolCalls': response?.message.toolCalls?.length
                ? JSON.stringify(
                    response.message.toolCalls.map((tool) => ({
                      toolCallId: tool.id,
                      toolName: tool.name,
                      input: tool.arguments,
                    })),
                  )
                : undefined,
              'ai.response.finishReason': response ? finish(response.finishReason) : undefined,
              'ai.response.msToFirstChunk': call.stream ? response?.firstTokenMs : undefined,
              ...usageAttributes(response?.usage),
              'gen_ai.response.id': response?.id,
              'gen_ai.response.model': response ? model.responseName : undefined,
              'gen_ai.response.finish_reasons': response ? [finish(response.finishReason)] : undefined,
              'gen_ai.usage.input_tokens': response?.usage.input,
              'gen_ai.usage.output_tokens': response?.usage.output,
            }),
      },
    };
  },
  tool({ call, result, who }) {
    return {
      name: 'ai.toolCall',
      kind: 'internal',
      scope,
      attributes: {
        'operation.name': `ai.toolCall ${who.agentName}`,
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': call.name,
        'ai.toolCall.id': call.id,
        'ai.toolCall.args': call.arguments,
        'ai.toolCall.result': result === undefined ? undefined : JSON.stringify(result),
        ...whoAttributes(who),
      },
    };
  },
  agent(run) {
    return {
      name: 'ai.streamText',
      kind: 'internal',
      scope,
      attributes: {
        'operation.name': `ai.streamText ${run.who.agentName}`,
        'resource.name': run.who.agentName,
        'ai.operationId': 'ai.streamText',
        'ai.model.provider': providerOf(run.model.provider),
        'ai.model.id': run.model.name,
        ...whoAttributes(run.who),
        'ai.prompt': JSON.stringify({ prompt: run.input }),
        'ai.response.text': run.output,
        'ai.response.finishReason': run.output === undefined ? undefined : 'stop',
        ...usageAttributes(run.total),
      },
    };
  },
  retrieval(run) {
    return {
      name: run.step,
      kind: 'client',
      scope: { name: 'app.retrieval', version: '3.2.0' },
      attributes: {
        'db.system.name': 'postgresql',
        'db.collection.name': run.collection,
        'db.operation.name': 'SELECT',
        'db.query.summary': `${run.step} ${run.collection}`,
        'db.response.returned_rows': run.documents.length,
      },
    };
  },
};
