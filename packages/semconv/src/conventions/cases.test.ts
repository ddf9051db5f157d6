/** Bodies that SDKs in use sent, with the facts and messages that are right. Each stands for a kind. */
import { describe, expect, test } from 'vitest';
import { normaliseSpan, readConversation } from '../index.ts';
import type { AttributeValue, GenAiFacts } from '../types.ts';
import { caseSpans, spanOf } from './fixtures/load.ts';

const first = (name: string) => caseSpans(name)[0] ?? spanOf({});
const factsOf = (name: string): GenAiFacts | undefined => normaliseSpan(first(name));
const usageOf = (attributes: Record<string, AttributeValue>) =>
  normaliseSpan(spanOf({ 'gen_ai.operation.name': 'chat', ...attributes }))?.usage;
const text = (value: string) => [{ type: 'text', text: value }];

describe('usage', () => {
  test.each([
    ['cache-read-tokens-alias', { input: 200, cacheRead: 600, cacheWrite: 200, output: 100, reasoning: 0 }],
    ['reasoning-details-key', { input: 120, cacheRead: 0, cacheWrite: 0, output: 22, reasoning: 8 }],
    [
      'gemini-thoughts-in-total-only',
      { input: 55_021, cacheRead: 0, cacheWrite: 0, output: 923, reasoning: 785 },
    ],
    ['genkit', { input: 56, cacheRead: 64, cacheWrite: 0, output: 22, reasoning: 8 }],
    ['mlflow-spans', { input: 120, cacheRead: 0, cacheWrite: 0, output: 30, reasoning: 0 }],
    [
      'cache-1h-ttl',
      { input: 0, cacheRead: 0, cacheWrite: 1000, output: 0, reasoning: 0, details: { cacheWrite1h: 1000 } },
    ],
  ])('%s', (name, usage) => {
    expect(factsOf(name)?.usage).toEqual(usage);
  });

  test('LangSmith: the metadata as JSON, the details as Python', () => {
    for (const span of caseSpans('langsmith-usage-metadata')) {
      expect(normaliseSpan(span)?.usage).toEqual({
        input: 56,
        cacheRead: 64,
        cacheWrite: 0,
        output: 22,
        reasoning: 8,
      });
    }
    const metadata =
      "{'input_tokens': 120, 'output_tokens': 30, 'total_tokens': 150, 'input_token_details': {'cache_read': 64}, 'output_token_details': {'reasoning': 8}}";
    expect(usageOf({ 'langsmith.span.kind': 'llm', 'langsmith.metadata.usage_metadata': metadata })).toEqual({
      input: 56,
      cacheRead: 64,
      cacheWrite: 0,
      output: 22,
      reasoning: 8,
    });
  });

  test.each([
    "{'completion_tokens': 30, 'prompt_tokens': 120, 'total_tokens': 150, 'completion_tokens_details': {'reasoning_tokens': 8}, 'prompt_tokens_details': {'audio_tokens': None, 'cached_tokens': 64}}",
    'Usage(completion_tokens=30, prompt_tokens=120, total_tokens=150, completion_tokens_details=CompletionTokensDetailsWrapper(audio_tokens=None, reasoning_tokens=8), prompt_tokens_details=PromptTokensDetailsWrapper(cached_tokens=64), cache_read_input_tokens=64)',
    'completion_tokens=30 prompt_tokens=120 total_tokens=150 completion_tokens_details=X(reasoning_tokens=8) prompt_tokens_details=Y(cached_tokens=64)',
  ])("LiteLLM's usage object: %s", (object) => {
    expect(usageOf({ 'metadata.usage_object': object })).toEqual({
      input: 56,
      cacheRead: 64,
      cacheWrite: 0,
      output: 22,
      reasoning: 8,
    });
  });

  const gemini = {
    'gen_ai.provider.name': 'gcp.gemini',
    'gen_ai.request.model': 'gemini-2.5-flash',
    'gen_ai.usage.input_tokens': 100,
  };
  test.each<[string, Record<string, AttributeValue>]>([
    ['within the output', { 'gen_ai.usage.output_tokens': 30, 'gen_ai.usage.reasoning.output_tokens': 8 }],
    [
      'beside it, as the total tells',
      {
        'gen_ai.usage.output_tokens': 22,
        'gen_ai.usage.reasoning_tokens': 8,
        'gen_ai.usage.total_tokens': 130,
      },
    ],
    [
      'beside it, as the name tells',
      { 'gen_ai.usage.output_tokens': 22, 'gen_ai.usage.experimental.reasoning_tokens': 8 },
    ],
    ['only in the total', { 'gen_ai.usage.output_tokens': 22, 'gen_ai.usage.total_tokens': 130 }],
  ])('what Gemini thought counts once: %s', (_where, counts) => {
    expect(usageOf({ ...gemini, ...counts })).toMatchObject({ input: 100, output: 22, reasoning: 8 });
  });

  test('parts of the classes: sound, pictures, searches, one-hour writes', () => {
    expect(
      usageOf({
        'gen_ai.usage.input_tokens': 1000,
        'gen_ai.usage.output_tokens': 100,
        'gen_ai.usage.details.input_audio_tokens': 300,
        'gen_ai.usage.output_image_tokens': 5,
        'gen_ai.usage.image.output_tokens': 90,
        'gen_ai.usage.details.web_search_requests': 2,
      }),
    ).toEqual({
      input: 1000,
      cacheRead: 0,
      cacheWrite: 0,
      output: 100,
      reasoning: 0,
      details: { inputAudio: 300, outputImage: 90, webSearches: 2 },
    });
    expect(
      usageOf({
        'gen_ai.usage.input_tokens': 1000,
        'gen_ai.usage.output_tokens': 1,
        'gen_ai.usage.input_token_details':
          "{'cache_read': 0, 'cache_creation': 0, 'ephemeral_5m_input_tokens': 100, 'ephemeral_1h_input_tokens': 400}",
      }),
    ).toMatchObject({ input: 500, cacheWrite: 500, details: { cacheWrite1h: 400 } });
  });

  test.each<AttributeValue>([1e20, -5, Number.NaN, Number.POSITIVE_INFINITY, '1e20', 'NaN', 2n ** 63n, 5e9])(
    'an absurd count (%s) is left out and told, never clamped',
    (count) => {
      const facts = normaliseSpan(
        spanOf({
          'gen_ai.operation.name': 'chat',
          'gen_ai.usage.input_tokens': count,
          'gen_ai.usage.output_tokens': 10,
        }),
      );
      expect(facts?.rejectedCounts).toBe(1);
      expect(facts?.usage).toMatchObject({ input: 0, output: 10 });
    },
  );
});

describe('facts', () => {
  test.each<[string, Partial<GenAiFacts>]>([
    ['framework-as-provider', { provider: 'openai' }],
    ['ttft-in-ms', { timeToFirstTokenMs: 65, provider: 'openai' }],
    ['service-tier-flex', { serviceTier: 'flex' }],
    ['langfuse-user-cost', { emitterCostUsd: 1, costIsExplicit: true }],
    ['openrouter-cost-unknown-model', { emitterCostUsd: 0.0123, costIsExplicit: false }],
    [
      'genkit',
      {
        convention: 'genkit',
        operation: 'chat',
        isModelCall: true,
        provider: 'google',
        requestModel: 'gemini-2.5-flash',
        sessionId: 's1',
        finishReason: 'stop',
      },
    ],
    [
      'mlflow-spans',
      { convention: 'mlflow', operation: 'chat', provider: 'openai', requestModel: 'gpt-4o-mini' },
    ],
    [
      'lmnr-tool',
      { operation: 'execute_tool', toolName: 'get_weather', sessionId: 's1', isModelCall: false },
    ],
    ['session-metadata-langchain', { sessionId: 'th-7', userId: 'u7', provider: 'openai' }],
    ['traceloop-tool-input', { operation: 'execute_tool', toolName: 'get_weather' }],
  ])('%s', (name, facts) => {
    expect(factsOf(name)).toMatchObject(facts);
  });

  test.each([
    'strands-agents',
    'pydantic-ai',
    'crewai',
    'google-adk',
    'autogen',
    'smolagents',
    'Semantic Kernel',
    'agno',
  ])('a framework is no provider: %s', (framework) => {
    const facts = (model: string) =>
      normaliseSpan(
        spanOf({
          'gen_ai.operation.name': 'chat',
          'gen_ai.system': framework,
          'gen_ai.request.model': model,
        }),
      )?.provider;
    expect(facts('claude-opus-5')).toBe('anthropic');
    expect(facts('my-own')).toBe('');
  });

  test.each([
    ['api.deepinfra.com', 'deepinfra'],
    ['https://api.groq.com/openai/v1', 'groq'],
    ['my-resource.openai.azure.com', 'azure'],
    ['us-east5-aiplatform.googleapis.com', 'google'],
    ['bedrock-runtime.us-east-1.amazonaws.com', 'aws.bedrock'],
    ['127.0.0.1', 'openai'],
    ['notapi.groq.com.example', 'openai'],
  ])('a client of OpenAI that calls %s', (address, provider) => {
    expect(
      normaliseSpan(
        spanOf({
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'm',
          'server.address': address,
        }),
      )?.provider,
    ).toBe(provider);
  });

  test.each([
    ['FinishReason.STOP', 'stop'],
    ['finishreason.max_tokens', 'length'],
    ['FINISH_REASON_SAFETY', 'content_filter'],
    ['FinishReason.TOOL_CALLS', 'tool_calls'],
  ])('a reason as a member of an enum: %s', (reason, canonical) => {
    expect(
      normaliseSpan(spanOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': [reason] }))
        ?.finishReason,
    ).toBe(canonical);
  });

  test('time to first token: what is later than the end of its call is in the other unit', () => {
    const ttft = (value: number, ms: number) =>
      normaliseSpan(
        spanOf(
          { 'gen_ai.operation.name': 'chat', 'gen_ai.server.time_to_first_token': value },
          { startTimeUnixNano: 0n, endTimeUnixNano: BigInt(ms) * 1_000_000n },
        ),
      )?.timeToFirstTokenMs;
    expect(ttft(0.065, 118)).toBe(65);
    expect(ttft(65, 118)).toBe(65);
    expect(ttft(1.5, 2000)).toBe(1500);
    expect(ttft(65, 120_000)).toBe(65_000);
  });

  test('Laminar: embeddings are no chat', () => {
    const embedding = { 'lmnr.span.type': 'LLM', 'gen_ai.request.model': 'text-embedding-3-small' };
    expect(normaliseSpan(spanOf(embedding))).toMatchObject({ operation: 'embeddings', isModelCall: true });
    expect(normaliseSpan(spanOf({ ...embedding, 'gen_ai.request.model': 'gpt-4o' }))?.operation).toBe('chat');
    expect(normaliseSpan(spanOf({ 'lmnr.span.type': 'DEFAULT' }))).toMatchObject({
      operation: '',
      isModelCall: false,
    });
  });

  test("Logfire's agents of OpenAI", () => {
    const run = {
      'logfire.msg_template': 'Agent run: {name!r}',
      name: 'Assistant',
      'gen_ai.system': 'openai',
    };
    expect(normaliseSpan(spanOf(run))).toMatchObject({ operation: 'invoke_agent', agentName: 'Assistant' });
    const call = spanOf({
      'logfire.msg_template': 'Function: {name}',
      name: 'get_weather',
      input: '{"city":"Paris"}',
      output: 'sunny',
    });
    expect(normaliseSpan(call)).toMatchObject({ operation: 'execute_tool', toolName: 'get_weather' });
    expect(readConversation(call).toolExecution).toMatchObject({
      arguments: '{"city":"Paris"}',
      result: 'sunny',
    });
    expect(normaliseSpan(spanOf({ 'logfire.msg_template': 'GET {url}' }))).toBeUndefined();
  });

  test('Opik', () => {
    expect(
      normaliseSpan(
        spanOf({
          'opik.span.type': 'llm',
          'opik.model': 'gpt-4o-mini',
          'opik.thread_id': 't1',
          'opik.usage': '{"prompt_tokens": 120, "completion_tokens": 30}',
        }),
      ),
    ).toMatchObject({
      operation: 'chat',
      isModelCall: true,
      provider: 'openai',
      sessionId: 't1',
      usage: { input: 120, output: 30 },
    });
  });
});

describe('messages', () => {
  test.each<[string, unknown, unknown]>([
    ['adk-new-message', [{ role: 'user', parts: text('hi') }], []],
    ['langgraph-command', [], [{ role: 'assistant', parts: text('Hello Ada') }]],
    [
      'meai-reasoning',
      [],
      [{ role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }, ...text('ok')] }],
    ],
    [
      'genkit',
      [{ role: 'user', parts: text('hi') }],
      [{ role: 'assistant', parts: text('Hello Ada'), finishReason: 'stop' }],
    ],
    [
      'mlflow-spans',
      [{ role: 'user', parts: text('hi') }],
      [{ role: 'assistant', parts: text('Hello Ada') }],
    ],
    [
      'oi-contents-tool-use',
      [],
      [
        {
          role: 'assistant',
          parts: [
            ...text('Let me look'),
            { type: 'tool_call', id: 'toolu_1', name: 'get_weather', arguments: '{"city": "Paris"}' },
          ],
        },
      ],
    ],
  ])('%s', (name, input, output) => {
    expect(readConversation(first(name))).toMatchObject({ input, output });
  });

  test('tool-def-as-message: a definition is no call', () => {
    const { input, tools } = readConversation(first('tool-def-as-message'));
    expect(input).toEqual([{ role: 'user', parts: text('hi') }]);
    expect(tools).toMatchObject([{ name: 'get_weather', description: 'w' }]);
  });

  test('responses-built-in-tools: the instructions of the request are not said in the answer', () => {
    const { output } = readConversation(first('responses-built-in-tools'));
    expect(output.map(({ role }) => role)).toEqual(Array.from({ length: 6 }, () => 'assistant'));
    expect(
      output.flatMap(({ parts }) => parts.map((part) => ('name' in part ? part.name : part.type))),
    ).toEqual(['web_search', 'code_interpreter', 'code_interpreter', 'roll', 'roll', 'sql', 'media', 'text']);
  });

  test.each(['lmnr-tool', 'tool-result-message', 'traceloop-tool-input'])(
    '%s: what is in the wrapping',
    (name) => {
      const { toolExecution, input, output } = readConversation(first(name));
      expect([input, output]).toEqual([[], []]);
      expect(JSON.parse(toolExecution?.arguments ?? '')).toEqual({ city: 'Paris' });
      expect(toolExecution?.result).toBe(name === 'lmnr-tool' ? 'sunny' : 'sunny Paris');
    },
  );

  test.each([
    "content='sunny Paris' name='get_weather' tool_call_id='call_1' type='tool'",
    "ToolMessage(content='sunny Paris', name='get_weather', tool_call_id='call_1')",
    '{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"sunny Paris","type":"tool","tool_call_id":"c"}}',
    '{"update":{"messages":[{"type":"tool","content":"sunny Paris","tool_call_id":"c"}]},"goto":[]}',
  ])('a result as a serialised object: %s', (result) => {
    const span = spanOf({ 'langfuse.observation.type': 'tool', 'langfuse.observation.output': result });
    expect(readConversation(span).toolExecution?.result).toBe('sunny Paris');
  });

  test('what only looks like a message of a tool stays as it is', () => {
    const result = '{"content":"a page","type":"tool","url":"https://example.org"}';
    const span = spanOf({ 'langfuse.observation.type': 'tool', 'langfuse.observation.output': result });
    expect(readConversation(span).toolExecution?.result).toBe(result);
  });

  test("smolagents' task, BeeAI's result, other contents of Microsoft.Extensions.AI", () => {
    const agent = spanOf({
      'openinference.span.kind': 'AGENT',
      'input.value': '{"task": "say hi", "stream": false, "reset": true, "images": null}',
      'output.value':
        '{"result": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}, "iterations": 1}',
    });
    expect(readConversation(agent)).toMatchObject({
      input: [{ role: 'user', parts: text('say hi') }],
      output: [{ role: 'assistant', parts: text('hi') }],
    });
    const prefix = 'Microsoft.Extensions.AI.';
    const parts = [
      { type: `${prefix}TextContent`, content: { text: 'hi' } },
      { type: `${prefix}FunctionCallContent`, content: { callId: 'c', name: 'f', arguments: { a: 1 } } },
      {
        type: `${prefix}DataContent`,
        content: { uri: 'data:image/png;base64,iVBORw0KGgo=', mediaType: 'image/png' },
      },
    ];
    const span = spanOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
    });
    expect(readConversation(span).output[0]?.parts).toEqual([
      ...text('hi'),
      { type: 'tool_call', id: 'c', name: 'f', arguments: '{"a":1}' },
      { type: 'media', modality: 'image', mimeType: 'image/png', uri: 'data:image/png;base64,iVBORw0KGgo=' },
    ]);
  });

  test('a data URI keeps its type', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/webp;base64,UklGRg==' } };
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } };
    const span = spanOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: [image, file] }]),
    });
    expect(readConversation(span).input[0]?.parts).toMatchObject([
      { modality: 'image', mimeType: 'image/webp' },
      { modality: 'file', mimeType: 'application/pdf' },
    ]);
  });

  test("Genkit's calls of tools", () => {
    const span = spanOf({
      'genkit:type': 'action',
      'genkit:metadata:subtype': 'model',
      'genkit:name': 'googleai/gemini-2.5-flash',
      'genkit:output': JSON.stringify({
        message: {
          role: 'model',
          content: [{ toolRequest: { name: 'w', ref: 'r', input: { city: 'Paris' } } }],
        },
      }),
    });
    expect(readConversation(span).output[0]?.parts).toEqual([
      { type: 'tool_call', id: 'r', name: 'w', arguments: '{"city":"Paris"}' },
    ]);
  });
});
