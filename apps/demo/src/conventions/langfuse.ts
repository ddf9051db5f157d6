import type { Attributes } from '../telemetry.ts';
import { type Convention, present, type Usage, type Who } from './convention.ts';

const scope = { name: 'langfuse-sdk', version: '4.4.2' };

const traceAttributes = (who: Who): Attributes => ({
  'session.id': present(who.sessionId),
  'user.id': present(who.userId),
  'langfuse.trace.tags': ['demo'],
  'langfuse.environment': 'production',
});

const usageDetails = (usage: Usage) =>
  JSON.stringify({
    input: usage.input,
    output: usage.output,
    total: usage.input + usage.output,
    ...(usage.cached > 0 ? { input_cache_read: usage.cached } : {}),
    ...(usage.reasoning > 0 ? { output_reasoning: usage.reasoning } : {}),
  });

/** Langfuse's SDK: details as JSON texts, and failures that leave the span status unset. */
export const langfuse: Convention = {
  id: 'langfuse',
  model(call) {
    const { model, response } = call;
    return {
      name: call.functionName,
      kind: 'internal',
      scope,
      attributes: {
        'langfuse.observation.type': call.operation === 'embeddings' ? 'embedding' : 'generation',
        'langfuse.observation.model.name': model.name,
        'langfuse.observation.model.parameters': JSON.stringify({
          temperature: call.temperature,
          max_tokens: call.maxTokens,
        }),
        ...traceAttributes(call.who),
        'langfuse.observation.prompt.name': present(call.promptName),
        'langfuse.observation.prompt.version': present(call.promptVersion),
        'langfuse.observation.input': JSON.stringify(
          call.messages.map((message) => ({ role: message.role, content: message.text })),
        ),
        'langfuse.observation.output': response
          ? JSON.stringify({ role: 'assistant', content: response.message.text })
          : undefined,
        'langfuse.observation.usage_details': response ? usageDetails(response.usage) : undefined,
        'langfuse.observation.cost_details': response
          ? JSON.stringify({ total: response.costUsd })
          : undefined,
      },
    };
  },
  tool({ call, result, who }) {
    return {
      name: call.name,
      kind: 'internal',
      scope,
      attributes: {
        'langfuse.observation.type': 'tool',
        'langfuse.observation.input': call.arguments,
        'langfuse.observation.output': result,
        ...traceAttributes(who),
      },
    };
  },
  agent(run) {
    return {
      name: run.workflow || run.who.agentName,
      kind: 'internal',
      scope,
      attributes: {
        'langfuse.observation.type': run.who.agentName ? 'agent' : 'span',
        'langfuse.trace.name': run.workflow,
        ...traceAttributes(run.who),
        'langfuse.observation.input': run.input,
        'langfuse.observation.output': run.output,
      },
    };
  },
  retrieval(run) {
    return {
      name: `${run.step}-${run.collection}`,
      kind: 'internal',
      scope,
      attributes: {
        'langfuse.observation.type': 'retriever',
        'langfuse.observation.input': run.query,
        'langfuse.observation.output': JSON.stringify(run.documents),
      },
    };
  },
};
