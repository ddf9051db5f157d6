import type { Attributes, Value } from '../telemetry.ts';
import { type ChatMessage, type Convention, lastUserText, present, type Who } from './convention.ts';

const scope = { name: '@arizeai/openinference-instrumentation-openai', version: '4.0.3' };

function flatMessages(prefix: string, messages: readonly ChatMessage[]): Attributes {
  const flat: Record<string, Value | undefined> = {};
  messages.forEach((message, index) => {
    const base = `${prefix}.${index}.message`;
    flat[`${base}.role`] = message.role;
    flat[`${base}.content`] = present(message.text);
    flat[`${base}.tool_call_id`] = message.toolCallId;
    message.toolCalls?.forEach((call, at) => {
      const tool = `${base}.tool_calls.${at}.tool_call`;
      flat[`${tool}.id`] = call.id;
      flat[`${tool}.function.name`] = call.name;
      flat[`${tool}.function.arguments`] = call.arguments;
    });
  });
  return flat;
}

const whoAttributes = (who: Who): Attributes => ({
  'session.id': present(who.sessionId),
  'user.id': present(who.userId),
});

const system = (provider: string) => (provider === 'gcp.gemini' ? 'google' : provider.replace('_ai', 'ai'));

/** Every instrumentation names its spans after the client's method. */
const NAMES = new Map([
  ['gcp.gemini', 'GenerateContent'],
  ['mistral_ai', 'MistralClient.chat'],
]);

/** OpenInference, as Arize's instrumentations send it. */
export const openinference: Convention = {
  id: 'openinference',
  model(call) {
    const { model, response } = call;
    if (call.operation === 'embeddings') {
      return {
        name: 'CreateEmbeddings',
        kind: 'internal',
        scope,
        attributes: {
          'openinference.span.kind': 'EMBEDDING',
          'embedding.model_name': model.name,
          ...Object.fromEntries(
            call.messages.map((message, index) => [
              `embedding.embeddings.${index}.embedding.text`,
              message.text,
            ]),
          ),
          'input.value': call.messages[0]?.text,
          'llm.token_count.prompt': response?.usage.input,
          'llm.token_count.total': response?.usage.input,
        },
      };
    }
    const usage = response?.usage;
    return {
      name: NAMES.get(model.provider) ?? 'OpenAI Chat Completions',
      kind: 'internal',
      scope,
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.provider': system(model.provider),
        'llm.system': system(model.provider),
        'llm.model_name': response ? model.responseName : model.name,
        'llm.request.model_name': model.name,
        'llm.invocation_parameters': JSON.stringify({
          model: model.name,
          temperature: call.temperature,
          max_tokens: call.maxTokens,
          stream: call.stream,
        }),
        ...whoAttributes(call.who),
        'llm.prompt_template.version': present(call.promptVersion),
        ...flatMessages('llm.input_messages', call.messages),
        ...Object.fromEntries(
          call.tools.map((tool, index) => [`llm.tools.${index}.tool.json_schema`, JSON.stringify(tool)]),
        ),
        ...(response ? flatMessages('llm.output_messages', [response.message]) : {}),
        'llm.finish_reason': response?.finishReason,
        'llm.token_count.prompt': usage?.input,
        'llm.token_count.completion': usage?.output,
        'llm.token_count.total': usage ? usage.input + usage.output : undefined,
        'llm.token_count.prompt_details.cache_read': usage?.cached || undefined,
        'llm.token_count.completion_details.reasoning': usage?.reasoning || undefined,
        'input.mime_type': 'text/plain',
        'input.value': lastUserText(call.messages),
        'output.value': response?.message.text,
      },
    };
  },
  tool({ call, result, definition }) {
    return {
      name: call.name,
      kind: 'internal',
      scope,
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': call.name,
        'tool.description': definition.description,
        'tool.parameters': call.arguments,
        'input.value': call.arguments,
        'input.mime_type': 'application/json',
        'output.value': result,
      },
    };
  },
  agent(run) {
    return {
      name: run.workflow || run.who.agentName,
      kind: 'internal',
      scope: { name: '@arizeai/openinference-core', version: '2.1.0' },
      attributes: {
        'openinference.span.kind': run.who.agentName ? 'AGENT' : 'CHAIN',
        'agent.name': present(run.who.agentName),
        ...whoAttributes(run.who),
        'input.value': run.input,
        'output.value': run.output,
        'tag.tags': JSON.stringify(['demo', run.workflow]),
        metadata: JSON.stringify({ channel: 'web', release: '2026.11' }),
      },
    };
  },
  retrieval(run) {
    const rerank = run.step === 'rerank';
    const prefix = rerank ? 'reranker.output_documents' : 'retrieval.documents';
    return {
      name: rerank ? 'rerank' : 'retrieve',
      kind: 'internal',
      scope: { name: '@arizeai/openinference-core', version: '2.1.0' },
      attributes: {
        'openinference.span.kind': rerank ? 'RERANKER' : 'RETRIEVER',
        'input.value': run.query,
        ...(rerank
          ? {
              'reranker.query': run.query,
              'reranker.model_name': run.model.name,
              'reranker.top_k': run.documents.length,
            }
          : {}),
        ...Object.fromEntries(
          run.documents.flatMap((document, index) => [
            [`${prefix}.${index}.document.id`, document.id],
            [`${prefix}.${index}.document.content`, document.text],
            [`${prefix}.${index}.document.score`, document.score],
          ]),
        ),
      },
    };
  },
};
