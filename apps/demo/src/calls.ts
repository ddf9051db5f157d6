import {
  type ChatMessage,
  type Convention,
  CONVENTIONS,
  type ModelCall,
  type ToolDefinition,
  type Usage,
  type Who,
} from './conventions/index.ts';
import { countTokens, type Model } from './models.ts';
import { SERVICES } from './services.ts';
import { type Attributes, type Recorder, SimulatedFailure } from './telemetry.ts';

export const NOBODY: Who = { sessionId: '', userId: '', agentName: '' };

export interface CallOptions {
  readonly convention: Convention;
  readonly model: Model;
  readonly operation?: 'chat' | 'embeddings';
  readonly messages: readonly ChatMessage[];
  /** What the model answers, decided by the story. */
  readonly reply: ChatMessage;
  readonly tools?: readonly ToolDefinition[];
  readonly stream?: boolean;
  readonly who?: Who;
  readonly promptName?: string;
  readonly promptVersion?: string;
  readonly functionName: string;
  /** Absent: always the same for the same function, as a program's configuration is. */
  readonly temperature?: number;
  /** Also record the HTTP request below the call, as an HTTP client instrumentation would. */
  readonly http?: boolean;
  /** Also write the call as an event log record, as some SDKs do beside the span. */
  readonly eventLog?: boolean;
}

export interface CallResult {
  readonly message: ChatMessage;
  readonly usage: Usage;
  readonly costUsd: number;
}

export const sumUsage = (usages: readonly Usage[]): Usage =>
  usages.reduce(
    (sum, usage) => ({
      input: sum.input + usage.input,
      cached: sum.cached + usage.cached,
      output: sum.output + usage.output,
      reasoning: sum.reasoning + usage.reasoning,
    }),
    { input: 0, cached: 0, output: 0, reasoning: 0 },
  );

function usageOf(rec: Recorder, call: ModelCall, reply: ChatMessage): Usage {
  const { model } = call;
  const tokensOf = (message: ChatMessage) =>
    countTokens(message.text + (message.toolCalls ?? []).map((tool) => tool.name + tool.arguments).join(''));
  const input =
    call.messages.reduce((sum, message) => sum + tokensOf(message) + 4, 0) +
    call.tools.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
  if (call.operation === 'embeddings') return { input, cached: 0, output: 0, reasoning: 0 };
  // Providers cache the unchanged beginning of a prompt in blocks; only conversations with a past have one.
  const past = call.messages.slice(0, -2).reduce((sum, message) => sum + tokensOf(message) + 4, 0);
  const cached = past > 128 && rec.random.chance(0.7) ? Math.floor(past / 64) * 64 : 0;
  const reasoning = model.reasoning && rec.random.chance(0.8) ? rec.random.int(1, 14) * 64 : 0;
  return { input, cached, output: tokensOf(reply) + reasoning, reasoning };
}

/** One of the values, the same for the same name. */
function pickFor(name: string, values: readonly number[]): number {
  let hash = 7;
  for (const character of name) hash = (hash * 31 + character.charCodeAt(0)) % 65_521;
  return values[hash % values.length] ?? 0;
}

const costOf = (model: Model, usage: Usage) =>
  ((usage.input - usage.cached) * model.inputPrice +
    usage.cached * model.cachedPrice +
    usage.output * model.outputPrice) /
  1_000_000;

/** Decides whether this attempt fails, and how. Context overflow is no chance: the prompt is simply too long. */
function failureOf(rec: Recorder, model: Model, inputTokens: number): SimulatedFailure | undefined {
  if (inputTokens > model.contextTokens) {
    return new SimulatedFailure(
      'BadRequestError',
      `This model's maximum context length is ${model.contextTokens} tokens, but the request has ${inputTokens} tokens.`,
      { httpStatus: 400, trace: stack('BadRequestError', model.provider) },
    );
  }
  if (!rec.random.chance(rec.conditions.errorRate)) return undefined;
  return rec.random.weighted<() => SimulatedFailure>([
    [
      () =>
        new SimulatedFailure(
          'RateLimitError',
          `429 Rate limit reached for ${model.name}: limit 200000 tokens per minute, please try again in ${rec.random.int(200, 4000)}ms.`,
          { httpStatus: 429, trace: stack('RateLimitError', model.provider) },
        ),
      5,
    ],
    [
      () =>
        new SimulatedFailure('APITimeoutError', 'Request timed out after 30000 ms.', {
          trace: stack('APITimeoutError', model.provider),
        }),
      2,
    ],
    [
      () =>
        new SimulatedFailure('OverloadedError', '529 The service is temporarily overloaded.', {
          httpStatus: 529,
          trace: stack('OverloadedError', model.provider),
        }),
      2,
    ],
  ])();
}

function stack(type: string, provider: string): string {
  return [
    `${type}`,
    `    at Client.request (/app/node_modules/${provider}/client.js:412:19)`,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
    '    at async complete (/app/src/llm/complete.ts:58:20)',
    '    at async handle (/app/src/routes/answer.ts:31:18)',
  ].join('\n');
}

/** One call of a model, as the program behind `rec` makes it. Throws `SimulatedFailure` when the provider refuses. */
export function callModel(rec: Recorder, options: CallOptions): CallResult {
  const { convention, model, reply } = options;
  const request: ModelCall = {
    operation: options.operation ?? 'chat',
    model,
    messages: options.messages,
    tools: options.tools ?? [],
    stream: options.stream ?? false,
    temperature: options.temperature ?? pickFor(options.functionName, [0, 0.2, 0.3, 0.7, 1]),
    maxTokens: pickFor(options.functionName, [512, 1024, 2048, 4096]),
    who: options.who ?? NOBODY,
    promptName: options.promptName ?? '',
    promptVersion: options.promptVersion ?? '',
    functionName: options.functionName,
  };
  const labels: Attributes = {
    'gen_ai.operation.name': request.operation,
    'gen_ai.provider.name': model.provider,
    'gen_ai.request.model': model.name,
    'server.address': model.server,
  };
  const startedAt = rec.now;
  return rec.span(convention.model(request), (span) => {
    if (convention.id === 'langfuse') {
      span.onFailure = (failure) =>
        span.set({
          'langfuse.observation.level': 'ERROR',
          'langfuse.observation.status_message': failure.message,
        });
    }
    const usage = usageOf(rec, request, reply);
    const { slowdown } = rec.conditions;
    const failure = failureOf(rec, model, usage.input);
    const exchange = () => {
      if (failure) {
        rec.advance(
          failure.type === 'APITimeoutError'
            ? 30_000
            : rec.random.latency(failure.httpStatus === 529 ? 900 : 120),
        );
        throw failure;
      }
      const firstTokenMs = rec.random.latency(
        (model.firstTokenMs + usage.input * 0.03 + usage.reasoning * model.tokenMs) * slowdown,
      );
      rec.advance(firstTokenMs);
      rec.advance((usage.output - usage.reasoning) * rec.random.latency(model.tokenMs * slowdown, 0.2));
      return firstTokenMs;
    };
    const answered = () => (model.selfHosted ? servedCall(rec, request, usage, reply, exchange) : exchange());
    try {
      const firstTokenMs = options.http ? httpCall(rec, model, failure, answered) : answered();
      const costUsd = costOf(model, usage);
      const response = {
        id: `${model.provider === 'anthropic' ? 'msg_01' : 'chatcmpl-'}${rec.random.hex(24)}`,
        message: reply,
        finishReason: reply.toolCalls?.length ? ('tool_calls' as const) : ('stop' as const),
        usage,
        firstTokenMs: Math.round(firstTokenMs * 10) / 10,
        costUsd,
      };
      const done = { ...request, response };
      span.set(convention.model(done).attributes);
      if (options.eventLog) logCall(rec, done);
      rec.measure('gen_ai.client.token.usage', usage.input, { ...labels, 'gen_ai.token.type': 'input' });
      if (usage.output > 0) {
        rec.measure('gen_ai.client.token.usage', usage.output, { ...labels, 'gen_ai.token.type': 'output' });
      }
      if (request.stream) rec.measure('gen_ai.server.time_to_first_token', firstTokenMs / 1000, labels);
      rec.measure('gen_ai.usage.cost', costUsd, labels);
      rec.measure('gen_ai.client.operation.duration', (rec.now - startedAt) / 1000, labels);
      return { message: reply, usage, costUsd };
    } catch (error) {
      if (error instanceof SimulatedFailure) {
        rec.measure('gen_ai.client.operation.duration', (rec.now - startedAt) / 1000, {
          ...labels,
          'error.type': error.type,
        });
      }
      throw error;
    }
  });
}

/** The side of the inference server, on the machine with the GPUs. */
function servedCall(
  rec: Recorder,
  request: ModelCall,
  usage: Usage,
  message: ChatMessage,
  exchange: () => number,
): number {
  const start = CONVENTIONS.otel.model(request);
  return rec.span(
    {
      ...start,
      kind: 'server',
      service: SERVICES.inference,
      scope: { name: 'vllm.llm_engine', version: '0.11.2' },
    },
    (span) => {
      rec.advance(rec.random.latency(2, 0.4));
      const firstTokenMs = exchange();
      const response = {
        id: `cmpl-${rec.random.hex(24)}`,
        message,
        finishReason: message.toolCalls?.length ? ('tool_calls' as const) : ('stop' as const),
        usage,
        firstTokenMs: Math.round(firstTokenMs * 10) / 10,
        costUsd: 0,
      };
      span.set(CONVENTIONS.otel.model({ ...request, response }).attributes);
      return firstTokenMs;
    },
  );
}

function httpCall<T>(rec: Recorder, model: Model, failure: SimulatedFailure | undefined, body: () => T): T {
  const path = model.provider === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
  return rec.span(
    {
      name: 'POST',
      kind: 'client',
      scope: { name: '@opentelemetry/instrumentation-undici', version: '0.21.0' },
      attributes: {
        'http.request.method': 'POST',
        'url.full': `https://${model.server}${path}`,
        'server.address': model.server,
        'server.port': 443,
        'http.response.status_code': failure ? failure.httpStatus : 200,
      },
    },
    body,
  );
}

/** What was said, as the event carries it when content is captured. */
const CONTENT = ['gen_ai.system_instructions', 'gen_ai.input.messages', 'gen_ai.output.messages'];

function logCall(rec: Recorder, call: ModelCall): void {
  const span = CONVENTIONS.otel.model(call).attributes ?? {};
  const messages = Object.fromEntries(Object.entries(span).filter(([key]) => CONTENT.includes(key)));
  rec.log(
    'info',
    'gen_ai.client.inference.operation.details',
    {
      'gen_ai.operation.name': call.operation,
      'gen_ai.request.model': call.model.name,
      'gen_ai.response.model': call.model.responseName,
      'gen_ai.response.id': call.response?.id,
      'gen_ai.usage.input_tokens': call.response?.usage.input,
      'gen_ai.usage.output_tokens': call.response?.usage.output,
      'gen_ai.response.finish_reasons': call.response ? [call.response.finishReason] : undefined,
      ...messages,
    },
    { eventName: 'gen_ai.client.inference.operation.details' },
  );
}

/** Tries again on what may pass (429, 529, timeouts), with a pause that doubles; gives up with the last failure. */
export function withRetries<T>(rec: Recorder, attempts: number, body: (attempt: number) => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return body(attempt);
    } catch (error) {
      if (!(error instanceof SimulatedFailure) || error.httpStatus === 400 || attempt >= attempts)
        throw error;
      const pauseMs = Math.round(rec.random.between(400, 700) * 2 ** (attempt - 1));
      rec.log(
        'warn',
        `Model call failed (${error.type}), attempt ${attempt} of ${attempts}, next in ${pauseMs} ms`,
        {
          'error.type': error.type,
          'retry.attempt': attempt,
        },
      );
      rec.advance(pauseMs);
    }
  }
}
