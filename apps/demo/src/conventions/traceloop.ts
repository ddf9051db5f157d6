import { type Convention, present, systemOf, type Who } from './convention.ts';
import type { Attributes, Value } from '../telemetry.ts';

const scope = { name: 'opentelemetry.instrumentation.openai.v1', version: '0.47.3' };
const sdk = { name: 'traceloop.tracer', version: '0.47.3' };

const whoAttributes = (who: Who): Attributes => ({
  'traceloop.association.properties.session_id': present(who.sessionId),
  'traceloop.association.properties.user_id': present(who.userId),
});

/** OpenLLMetry with its older, numbered attributes: what many Python services still run. */
export const traceloop: Convention = {
  id: 'traceloop',
  model(call) {
    const { model, response } = call;
    if (call.operation === 'embeddings') {
      return {
        name: 'openai.embeddings',
        kind: 'client',
        scope,
        attributes: {
          'llm.request.type': 'embedding',
          'gen_ai.system': 'OpenAI',
          'gen_ai.request.model': model.name,
          'gen_ai.response.model': response ? model.responseName : undefined,
          ...Object.fromEntries(
            call.messages.map((message, index) => [`gen_ai.prompt.${index}.content`, message.text]),
          ),
          'gen_ai.usage.prompt_tokens': response?.usage.input,
          'llm.usage.total_tokens': response?.usage.input,
          ...whoAttributes(call.who),
        },
      };
    }
    const prompts: Record<string, Value> = {};
    call.messages.forEach((message, index) => {
      prompts[`gen_ai.prompt.${index}.role`] = message.role;
      prompts[`gen_ai.prompt.${index}.content`] = message.text;
    });
    const functions: Record<string, Value> = {};
    call.tools.forEach((tool, index) => {
      functions[`llm.request.functions.${index}.name`] = tool.name;
      functions[`llm.request.functions.${index}.description`] = tool.description;
      functions[`llm.request.functions.${index}.parameters`] = JSON.stringify(tool.parameters);
    });
    const usage = response?.usage;
    return {
      name: model.provider === 'anthropic' ? 'anthropic.chat' : 'openai.chat',
      kind: 'client',
      scope,
      attributes: {
        'llm.request.type': 'chat',
        'gen_ai.system': model.provider === 'anthropic' ? 'Anthropic' : 'OpenAI',
        'gen_ai.request.model': model.name,
        'gen_ai.request.temperature': call.temperature,
        'llm.is_streaming': call.stream,
        'llm.headers': 'None',
        ...prompts,
        ...functions,
        ...whoAttributes(call.who),
        'gen_ai.response.model': response ? model.responseName : undefined,
        'gen_ai.response.id': response?.id,
        ...(response
          ? {
              'gen_ai.completion.0.role': 'assistant',
              'gen_ai.completion.0.content': response.message.text,
              'gen_ai.completion.0.finish_reason': response.finishReason,
              ...Object.fromEntries(
                (response.message.toolCalls ?? []).flatMap((tool, index) => [
                  [`gen_ai.completion.0.tool_calls.${index}.id`, tool.id],
                  [`gen_ai.completion.0.tool_calls.${index}.name`, tool.name],
                  [`gen_ai.completion.0.tool_calls.${index}.arguments`, tool.arguments],
                ]),
              ),
            }
          : {}),
        'gen_ai.usage.prompt_tokens': usage?.input,
        'gen_ai.usage.completion_tokens': usage?.output,
        'gen_ai.usage.cache_read_input_tokens': usage?.cached || undefined,
        'llm.usage.total_tokens': usage ? usage.input + usage.output : undefined,
        'traceloop.workflow.name': present(call.functionName),
        'traceloop.entity.path': systemOf(call.messages) ? call.functionName : undefined,
      },
    };
  },
  tool({ call, result }) {
    return {
      name: `${call.name}.tool`,
      kind: 'internal',
      scope: sdk,
      attributes: {
        'traceloop.span.kind': 'tool',
        'traceloop.entity.name': call.name,
        'traceloop.entity.input': call.arguments,
        'traceloop.entity.output': result,
      },
    };
  },
  agent(run) {
    const kind = run.who.agentName ? 'agent' : 'workflow';
    const name = run.who.agentName || run.workflow;
    return {
      name: `${name}.${kind}`,
      kind: 'internal',
      scope: sdk,
      attributes: {
        'traceloop.span.kind': kind,
        'traceloop.entity.name': name,
        'traceloop.workflow.name': run.workflow,
        'traceloop.entity.input': JSON.stringify({ args: [run.input], kwargs: {} }),
        'traceloop.entity.output': run.output ? JSON.stringify(run.output) : undefined,
        ...whoAttributes(run.who),
      },
    };
  },
  retrieval(run) {
    return {
      name: run.step === 'rerank' ? 'cohere.rerank' : 'qdrant.query',
      kind: 'client',
      scope: { name: 'opentelemetry.instrumentation.qdrant', version: '0.47.3' },
      attributes: {
        'db.system': run.step === 'rerank' ? undefined : 'qdrant',
        'db.operation': run.step,
        'db.qdrant.query.collection_name': run.collection,
        'db.vector.query.top_k': run.documents.length,
        'traceloop.entity.input': run.query,
      },
    };
  },
};
