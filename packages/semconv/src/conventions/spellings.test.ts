/** Spellings that were read in sources or documentation, not recorded: older versions, other languages, coding agents. */
import { describe, expect, test } from 'vitest';
import { normaliseLog, normaliseSpan, readConversation } from '../index.ts';
import type { AttributeValue, LogReader, SpanEvent } from '../types.ts';
import { spanOf } from './fixtures/load.ts';

const usageOf = (attributes: Record<string, AttributeValue>) => normaliseSpan(spanOf(attributes))?.usage;
const event = (name: string, attributes: Record<string, AttributeValue>): SpanEvent => ({
  name,
  timeUnixNano: 0n,
  attributes: new Map(Object.entries(attributes)),
});
const FULL = { input: 56, cacheRead: 64, cacheWrite: 0, output: 30, reasoning: 0 };

describe('the managed prompt', () => {
  test.each([
    ['platform.prompt.name', 'platform.prompt.version'],
    ['gen_ai.prompt.name', 'gen_ai.prompt.version'],
  ])('%s, alone and beside a model call', (name, version) => {
    const prompt = { [name]: 'support.reply', [version]: '1.2.0' };
    for (const more of [{}, { 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'openai' }])
      expect(normaliseSpan(spanOf({ ...prompt, ...more }))).toMatchObject({
        promptName: 'support.reply',
        promptVersion: '1.2.0',
      });
    expect(normaliseSpan(spanOf(prompt))?.isModelCall).toBe(false);
  });

  test('Langfuse has names of its own', () => {
    expect(
      normaliseSpan(
        spanOf({
          'langfuse.observation.type': 'generation',
          'langfuse.observation.prompt.name': 'support.reply',
          'langfuse.observation.prompt.version': 3,
        }),
      ),
    ).toMatchObject({ promptName: 'support.reply', promptVersion: '3' });
  });
});

describe('cache and reasoning tokens', () => {
  const base = {
    'gen_ai.system': 'openai',
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': 120,
    'gen_ai.usage.output_tokens': 30,
  };
  test.each([
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.cache.read_input_tokens',
    'gen_ai.usage.prompt_tokens_details.cache_read',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.cached_tokens',
  ])('%s', (key) => {
    expect(usageOf({ ...base, [key]: '64' })).toEqual(FULL);
  });

  test.each([
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.completion_tokens_details.reasoning',
  ])('%s', (key) => {
    expect(usageOf({ ...base, [key]: 8 })).toMatchObject({ output: 22, reasoning: 8 });
  });

  test('the old names of input and output', () => {
    expect(
      usageOf({
        'gen_ai.system': 'OpenAI',
        'gen_ai.usage.prompt_tokens': 120,
        'gen_ai.usage.completion_tokens': 30,
      }),
    ).toMatchObject({ input: 120, output: 30 });
  });

  test('the span of a request by the server of the model, vLLM as well as SGLang: it names no operation', () => {
    const request = {
      'gen_ai.request.id': 'chatcmpl-1',
      'gen_ai.response.model': 'meta-llama/Llama-3.1-8B-Instruct',
      'gen_ai.request.max_tokens': 512,
      'gen_ai.usage.num_sequences': 1,
      'gen_ai.usage.prompt_tokens': 120,
      'gen_ai.usage.completion_tokens': 30,
      'gen_ai.latency.time_in_queue': 0.002,
      'gen_ai.latency.time_to_first_token': 0.125,
      'gen_ai.latency.e2e': 1.5,
    };
    expect(normaliseSpan(spanOf(request, { scopeName: 'vllm.llm_engine' }))).toMatchObject({
      operation: 'chat',
      isModelCall: true,
      responseModel: 'meta-llama/Llama-3.1-8B-Instruct',
      usage: { input: 120, output: 30 },
      timeToFirstTokenMs: 125,
    });
  });

  test("OpenLIT's Anthropic wrapper reports the cache beside the input, others inside", () => {
    const call = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.usage.input_tokens': 500,
      'gen_ai.usage.output_tokens': 30,
      'gen_ai.usage.cache_read.input_tokens': 64,
    };
    expect(normaliseSpan(spanOf(call))?.usage).toMatchObject({ input: 436, cacheRead: 64 });
    expect(
      normaliseSpan(spanOf(call, { scopeName: 'openlit.instrumentation.anthropic' }))?.usage,
    ).toMatchObject({ input: 500, cacheRead: 64 });
  });
});

describe('versions of the Vercel AI SDK', () => {
  const call = {
    'ai.operationId': 'ai.streamText.doStream',
    'ai.usage.inputTokens': 500,
    'ai.usage.outputTokens': 30,
    'ai.usage.totalTokens': 530,
    'ai.usage.cachedInputTokens': 64,
  };
  test('5 passes on what Anthropic says, where the cache is beside the input', () => {
    expect(usageOf({ ...call, 'ai.model.provider': 'anthropic.messages' })).toMatchObject({
      input: 500,
      cacheRead: 64,
    });
    expect(usageOf({ ...call, 'ai.model.provider': 'amazon-bedrock' })).toMatchObject({
      input: 500,
      cacheRead: 64,
    });
    expect(usageOf({ ...call, 'ai.model.provider': 'openai.chat' })).toMatchObject({
      input: 436,
      cacheRead: 64,
    });
  });

  test('6 counts the cache into the input for every provider', () => {
    const six = {
      ...call,
      'ai.usage.inputTokenDetails.noCacheTokens': 436,
      'ai.model.provider': 'anthropic.messages',
    };
    expect(usageOf(six)).toMatchObject({ input: 436, cacheRead: 64 });
  });

  test('what only the provider says is read from its metadata', () => {
    const metadata = '{"anthropic":{"cacheCreationInputTokens":12,"usage":{"cache_read_input_tokens":64}}}';
    const { 'ai.usage.cachedInputTokens': _, ...without } = call;
    expect(
      usageOf({
        ...without,
        'ai.model.provider': 'anthropic.messages',
        'ai.response.providerMetadata': metadata,
      }),
    ).toMatchObject({ input: 500, cacheRead: 64, cacheWrite: 12 });
  });
});

describe('names', () => {
  test.each([
    ['OpenAI', 'openai'],
    ['openai.chat', 'openai'],
    ['openai.responses', 'openai'],
    ['Anthropic', 'anthropic'],
    ['az.ai.openai', 'azure'],
    ['azure-openai.chat', 'azure'],
    ['aws.bedrock', 'aws.bedrock'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['gcp.gemini', 'google'],
    ['google.generative-ai', 'google'],
    ['google.vertex.chat', 'google'],
    ['mistral_ai', 'mistral'],
    ['mistral.chat', 'mistral'],
    ['xai.chat', 'xai'],
    ['Cohere', 'cohere'],
    ['something new', 'something_new'],
  ])('provider %s is %s', (spelled, canonical) => {
    expect(normaliseSpan(spanOf({ 'gen_ai.system': spelled }))?.provider).toBe(canonical);
  });

  test.each([
    ['claude-opus-5', 'anthropic'],
    ['gemini-3.5-flash', 'google'],
    ['us.anthropic.claude-opus-5-v1:0', 'aws.bedrock'],
    ['groq/llama-3.3-70b-versatile', 'groq'],
    ['my-own-model', ''],
  ])('the provider of %s is %s when nobody names it', (model, provider) => {
    expect(
      normaliseSpan(
        spanOf({ 'langfuse.observation.type': 'generation', 'langfuse.observation.model.name': model }),
      )?.provider,
    ).toBe(provider);
  });

  test.each([
    ['embedding', 'embeddings', true],
    ['completion', 'text_completion', true],
    ['llm_call', 'chat', true],
    ['generate_content', 'chat', true],
    ['tool_call', 'execute_tool', false],
    ['vectordb', 'retrieval', false],
    ['chain', 'chain', false],
    ['agent_step', 'agent_step', false],
    ['invoke_agent', 'invoke_agent', false],
    ['plan', 'plan', false],
  ])('operation %s is %s', (spelled, operation, isModelCall) => {
    expect(normaliseSpan(spanOf({ 'gen_ai.operation.name': spelled }))).toMatchObject({
      operation,
      isModelCall,
    });
  });

  test.each([['tool_calls'], [['tool-calls']], [['tool_call']], ['["tool_use"]']])(
    'finish reason %j is tool_calls',
    (reason) => {
      expect(
        normaliseSpan(spanOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': reason }))
          ?.finishReason,
      ).toBe('tool_calls');
    },
  );
});

describe('OpenTelemetry up to 1.36', () => {
  test('messages as span events', () => {
    const span = spanOf(
      { 'gen_ai.system': 'openai', 'gen_ai.operation.name': 'chat' },
      {
        events: [
          event('gen_ai.system.message', { content: 'Be brief.' }),
          event('gen_ai.user.message', { content: 'hi' }),
          event('gen_ai.tool.message', { id: 'call_1', content: 'sunny' }),
          event('gen_ai.choice', {
            index: 0,
            finish_reason: 'stop',
            message: '{"role":"assistant","content":"Hello Ada"}',
          }),
        ],
      },
    );
    const { input, output } = readConversation(span);
    expect(input.map((message) => message.role)).toEqual(['system', 'user', 'tool']);
    expect(input[2]?.parts).toEqual([{ type: 'tool_result', id: 'call_1', name: '', result: 'sunny' }]);
    expect(output).toEqual([
      { role: 'assistant', finishReason: 'stop', parts: [{ type: 'text', text: 'Hello Ada' }] },
    ]);
  });

  test('numbered attributes', () => {
    const { input, output, tools } = readConversation(
      spanOf({
        'llm.request.type': 'chat',
        'gen_ai.system': 'OpenAI',
        'gen_ai.prompt.0.role': 'system',
        'gen_ai.prompt.0.content': 'Be brief.',
        'gen_ai.prompt.10.role': 'user',
        'gen_ai.prompt.10.content': 'last',
        'gen_ai.prompt.2.role': 'user',
        'gen_ai.prompt.2.content': 'hi',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.finish_reason': 'tool_calls',
        'gen_ai.completion.0.tool_calls.0.id': 'call_1',
        'gen_ai.completion.0.tool_calls.0.name': 'get_weather',
        'gen_ai.completion.0.tool_calls.0.arguments': '{"city":"Paris"}',
        'llm.request.functions.0.name': 'get_weather',
        'llm.request.functions.0.description': 'Weather',
        'llm.request.functions.0.parameters': '{}',
      }),
    );
    expect(input.map((message) => message.parts[0])).toEqual(
      ['Be brief.', 'hi', 'last'].map((text) => ({ type: 'text', text })),
    );
    expect(output).toEqual([
      {
        role: 'assistant',
        finishReason: 'tool_calls',
        parts: [{ type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' }],
      },
    ]);
    expect(tools).toEqual([{ name: 'get_weather', description: 'Weather', parameters: '{}' }]);
  });

  test.each([
    'gen_ai.prompt.name',
    'gen_ai.prompt.version',
    'gen_ai.prompt.cache_key',
    'gen_ai.completion.id',
  ])('numbered attributes beside %s, which is none of them', (beside) => {
    const numbered = { 'gen_ai.prompt.0.content': 'hi', 'gen_ai.completion.0.content': 'Hello Ada' };
    const { input, output } = readConversation(spanOf({ ...numbered, [beside]: 'greeting' }));
    expect(input).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]);
    expect(output).toEqual([{ role: 'assistant', parts: [{ type: 'text', text: 'Hello Ada' }] }]);
  });
});

test('messages as structured values', () => {
  const { input } = readConversation(
    spanOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': [
        new Map<string, AttributeValue>([
          ['role', 'user'],
          [
            'parts',
            [
              new Map([
                ['type', 'text'],
                ['content', 'hi'],
              ]),
            ],
          ],
        ]),
      ],
      'gen_ai.system_instructions': 'Be brief.',
    }),
  );
  expect(input).toEqual([
    { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
  ]);
});

test('OpenInference retriever, contents and evaluation', () => {
  const retriever = readConversation(
    spanOf({
      'openinference.span.kind': 'RETRIEVER',
      'input.value': 'what?',
      'retrieval.documents.0.document.id': 'd1',
      'retrieval.documents.0.document.content': 'first',
      'retrieval.documents.0.document.score': 0.9,
      'retrieval.documents.1.document.content': 'second',
    }),
  );
  expect(retriever.retrievedDocuments).toEqual([
    { id: 'd1', content: 'first', score: 0.9 },
    { id: '', content: 'second', score: undefined },
  ]);
  const { input } = readConversation(
    spanOf({
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.type': 'text',
      'llm.input_messages.0.message.contents.0.message_content.text': 'hi',
      'llm.input_messages.0.message.contents.1.message_content.type': 'image',
      'llm.input_messages.0.message.contents.1.message_content.image.image.url': 'https://x/y.png',
    }),
  );
  expect(input[0]?.parts).toEqual([
    { type: 'text', text: 'hi' },
    { type: 'media', modality: 'image', mimeType: '', uri: 'https://x/y.png' },
  ]);
});

test('scores are read once each, however often they are sent', () => {
  const score = event('gen_ai.evaluation.result', {
    'gen_ai.evaluation.name': 'helpful',
    'gen_ai.evaluation.score.value': 1,
    'gen_ai.evaluation.score.label': 'true',
    'gen_ai.evaluation.explanation': 'because',
    'openlit.score.idempotency_key': 'k1',
  });
  const { scores } = readConversation(
    spanOf({ 'gen_ai.operation.name': 'chat' }, { events: [score, score] }),
  );
  expect(scores).toEqual([
    { name: 'helpful', value: 1, label: 'true', explanation: 'because', idempotencyKey: 'k1' },
  ]);
});

test('agents of OpenInference are named as nodes of a graph, or by their span', () => {
  const agent = (attributes: Record<string, AttributeValue>, name = 'run') =>
    normaliseSpan(spanOf({ 'openinference.span.kind': 'AGENT', ...attributes }, { name }))?.agentName;
  expect(agent({ 'graph.node.id': 'Triage Agent' })).toBe('Triage Agent');
  expect(agent({ 'graph.node.id': 'n-1', 'graph.node.name': 'Writer' })).toBe('Writer');
  expect(agent({}, 'CodeAgent.run')).toBe('CodeAgent.run');
  const whole = { scopeName: 'openinference.instrumentation.openai_agents', name: 'Agent workflow' };
  expect(normaliseSpan(spanOf({ 'openinference.span.kind': 'AGENT' }, whole))?.agentName).toBe('');
  const step = { 'openinference.span.kind': 'CHAIN', 'graph.node.id': 'search_0' };
  expect(normaliseSpan(spanOf(step))?.agentName).toBe('');
});

test('a thread of the operating system is no session', () => {
  const call = { 'gen_ai.operation.name': 'chat', 'thread.name': 'worker-1' };
  expect(normaliseSpan(spanOf({ ...call, 'thread.id': 42 }))?.sessionId).toBe('');
  expect(normaliseSpan(spanOf({ ...call, 'thread.id': 42n }))?.sessionId).toBe('');
  expect(normaliseSpan(spanOf({ ...call, 'thread.id': 'thread_abc' }))?.sessionId).toBe('thread_abc');
});

test("LangChain's agents are named in their metadata, sessions of ADK on their calls", () => {
  const called = {
    'langsmith.span.kind': 'llm',
    'gen_ai.request.model': 'gpt-4o',
    'langsmith.metadata.lc_agent_name': 'supervisor',
  };
  expect(normaliseSpan(spanOf(called))).toMatchObject({ operation: 'chat', agentName: 'supervisor' });
  const adk = { 'gen_ai.request.model': 'gemini-3', 'gcp.vertex.agent.session_id': 's-1' };
  expect(normaliseSpan(spanOf(adk))).toMatchObject({ operation: 'chat', sessionId: 's-1' });
});

describe('coding agents', () => {
  test('a turn counts, its session only repeats the sum', () => {
    const resource = new Map<string, AttributeValue>([
      ['coding_agent.session.id', 's-1'],
      ['gen_ai.user.name', 'ada'],
    ]);
    const attributes = new Map<string, AttributeValue>([
      ['gen_ai.provider.name', 'anthropic'],
      ['gen_ai.request.model', 'claude-opus-5'],
      ['gen_ai.agent.name', 'claude-code'],
      ['gen_ai.usage.input_tokens', 1000],
      ['gen_ai.usage.output_tokens', 50],
      ['gen_ai.usage.cache.read_input_tokens', 800],
      ['gen_ai.usage.cache.creation_input_tokens', 100],
    ]);
    const turn = normaliseSpan(spanOf(attributes, { name: 'coding_agent.llm.turn', resource }));
    expect(turn).toMatchObject({
      convention: 'coding-agents',
      operation: 'chat',
      isModelCall: true,
      sessionId: 's-1',
      userId: 'ada',
      agentName: 'claude-code',
      usage: { input: 100, cacheRead: 800, cacheWrite: 100, output: 50, reasoning: 0 },
    });
    expect(normaliseSpan(spanOf(attributes, { name: 'coding_agent.session', resource }))).toMatchObject({
      operation: 'invoke_agent',
      isModelCall: false,
    });
    const tool = normaliseSpan(
      spanOf({ 'gen_ai.tool.name': 'Bash', 'error.type': 'exit_1' }, { name: 'coding_agent.tool.call' }),
    );
    expect(tool).toMatchObject({ operation: 'execute_tool', toolName: 'Bash', errorType: 'exit_1' });
  });

  test('the run of a sub-agent has its name, not that of the agent that started it', () => {
    const attributes = {
      'gen_ai.agent.name': 'claude-code',
      'coding_agent.client': 'claude-code',
      'coding_agent.subagent.type': 'Explore',
    };
    const named = (name: string) => normaliseSpan(spanOf(attributes, { name }))?.agentName;
    expect([named('coding_agent.subagent'), named('coding_agent.tool.call')]).toEqual([
      'Explore',
      'claude-code',
    ]);
  });

  test("Claude Code's own spans: a run, its model calls with usage, its tools", () => {
    const base = { 'session.id': 's-1', 'user.id': 'u-1' };
    const prompted = spanOf(
      { ...base, 'span.type': 'interaction', user_prompt: 'Fix the bug' },
      { name: 'claude_code.interaction' },
    );
    expect(normaliseSpan(prompted)).toMatchObject({
      convention: 'claude-code',
      operation: 'invoke_agent',
      agentName: 'claude-code',
      sessionId: 's-1',
      userId: 'u-1',
      isModelCall: false,
      usage: undefined,
    });
    expect(readConversation(prompted).input).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'Fix the bug' }] },
    ]);
    const withheld = spanOf(
      { 'span.type': 'interaction', user_prompt: '<REDACTED>' },
      { name: 'claude_code.interaction' },
    );
    expect(readConversation(withheld).input).toEqual([]);
    const call = spanOf(
      {
        ...base,
        'span.type': 'llm_request',
        model: 'claude-opus-5',
        'gen_ai.system': 'anthropic',
        'gen_ai.request.model': 'claude-opus-5',
        input_tokens: 2,
        output_tokens: 1200,
        cache_read_tokens: 84562,
        cache_creation_tokens: 7096,
        ttft_ms: 1305,
        success: true,
        stop_reason: 'tool_use',
        'response.model_output': 'I will run it.',
      },
      { name: 'claude_code.llm_request' },
    );
    expect(normaliseSpan(call)).toMatchObject({
      operation: 'chat',
      isModelCall: true,
      agentName: 'claude-code',
      provider: 'anthropic',
      requestModel: 'claude-opus-5',
      finishReason: 'tool_calls',
      timeToFirstTokenMs: 1305,
      errorType: '',
      usage: { input: 2, cacheRead: 84562, cacheWrite: 7096, output: 1200, reasoning: 0 },
    });
    expect(readConversation(call).output[0]?.parts).toEqual([{ type: 'text', text: 'I will run it.' }]);
    const ran = spanOf(
      {
        ...base,
        'span.type': 'tool',
        tool_name: 'Bash',
        tool_use_id: 'toolu_1',
        tool_input: '{"command":"ls"}',
      },
      { name: 'claude_code.tool', events: [event('tool.output', { output: 'a.txt' })] },
    );
    expect(normaliseSpan(ran)).toMatchObject({
      operation: 'execute_tool',
      toolName: 'Bash',
      agentName: 'claude-code',
      isModelCall: false,
    });
    expect(readConversation(ran).toolExecution).toEqual({
      callId: 'toolu_1',
      arguments: '{"command":"ls"}',
      result: 'a.txt',
    });
    const started = spanOf(
      { 'span.type': 'tool', tool_name: 'Task', subagent_type: 'code-reviewer' },
      { name: 'claude_code.tool' },
    );
    expect(normaliseSpan(started)).toMatchObject({ operation: 'invoke_agent', agentName: 'code-reviewer' });
    const waited = spanOf(
      { 'span.type': 'tool.execution', success: false },
      { name: 'claude_code.tool.execution' },
    );
    expect(normaliseSpan(waited)).toMatchObject({
      operation: 'tool.execution',
      agentName: '',
      errorType: '_OTHER',
    });
    // Others name kinds of spans so too.
    expect(normaliseSpan(spanOf({ 'span.type': 'web' }, { name: 'GET /' }))).toBeUndefined();
  });

  test("Codex's own spans: the answer with the usage is the call, the turn the run", () => {
    const call = spanOf(
      {
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.cache_read.input_tokens': 64,
        'gen_ai.usage.output_tokens': 30,
        'codex.usage.reasoning_output_tokens': 8,
        'codex.usage.total_tokens': 150,
      },
      { name: 'handle_responses', events: [event('x', { model: 'gpt-6-sol', 'conversation.id': 'c-1' })] },
    );
    expect(normaliseSpan(call)).toMatchObject({
      convention: 'codex',
      operation: 'chat',
      agentName: 'codex',
      requestModel: 'gpt-6-sol',
      sessionId: 'c-1',
      isModelCall: true,
      usage: { input: 56, cacheRead: 64, output: 22, reasoning: 8 },
    });
    const turn = spanOf(
      { 'thread.id': 'c-1', 'turn.id': 't', model: 'gpt-6-sol', 'codex.turn.token_usage.input_tokens': 120 },
      { name: 'session_task.turn' },
    );
    expect(normaliseSpan(turn)).toMatchObject({
      operation: 'invoke_agent',
      agentName: 'codex',
      sessionId: 'c-1',
      isModelCall: false,
    });
  });

  test('Copilot CLI and Gemini CLI are told by their scope; calls of sub-agents are not of the agent', () => {
    const call = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5.2',
      'gen_ai.conversation.id': 'c-1',
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.cache_read.input_tokens': 64,
      'gen_ai.usage.output_tokens': 30,
    };
    const scope = { name: 'chat gpt-5.2', scopeName: 'github.copilot' };
    const expected = {
      operation: 'chat',
      sessionId: 'c-1',
      isModelCall: true,
      usage: { input: 56, cacheRead: 64, output: 30 },
    };
    expect(normaliseSpan(spanOf({ ...call, 'github.copilot.initiator': 'agent' }, scope))).toMatchObject({
      ...expected,
      convention: 'copilot-cli',
      agentName: 'copilot-cli',
    });
    expect(normaliseSpan(spanOf({ ...call, 'github.copilot.initiator': 'sub-agent' }, scope))).toMatchObject({
      ...expected,
      convention: 'copilot-cli',
      agentName: '',
    });
    expect(normaliseSpan(spanOf(call, { name: 'chat gpt-5.2' }))).toMatchObject({
      ...expected,
      convention: 'gen-ai',
      agentName: '',
    });
    const gemini = { 'gen_ai.operation.name': 'tool_call', 'gen_ai.agent.name': 'gemini-cli' };
    expect(normaliseSpan(spanOf(gemini, { name: 'tool_call', scopeName: 'gemini-cli' }))).toMatchObject({
      convention: 'gemini-cli',
      operation: 'execute_tool',
    });
  });

  const log = (
    eventName: string,
    attributes: Record<string, AttributeValue>,
    more: Partial<LogReader> = {},
  ): LogReader => ({
    eventName,
    scopeName: '',
    body: undefined,
    attributes: new Map(Object.entries(attributes)),
    resource: new Map(),
    ...more,
  });

  test('Claude Code names its events in three ways; the cache is beside the input', () => {
    const attributes = {
      model: 'claude-opus-5',
      cost_usd: '0.02',
      input_tokens: '56',
      output_tokens: 30,
      cache_read_tokens: 64,
      cache_creation_tokens: 10,
      'session.id': 's-1',
    };
    const expected = {
      convention: 'claude-code',
      operation: 'chat',
      provider: 'anthropic',
      requestModel: 'claude-opus-5',
      isModelCall: true,
      sessionId: 's-1',
      emitterCostUsd: 0.02,
      usage: { input: 56, cacheRead: 64, cacheWrite: 10, output: 30, reasoning: 0 },
    };
    expect(normaliseLog(log('claude_code.api_request', attributes))).toMatchObject(expected);
    expect(
      normaliseLog(
        log('', { ...attributes, 'event.name': 'api_request' }, { body: 'claude_code.api_request' }),
      ),
    ).toMatchObject(expected);
    expect(
      normaliseLog(log('api_request', attributes, { resource: new Map([['service.name', 'claude-code']]) })),
    ).toMatchObject(expected);
    expect(
      normaliseLog(log('claude_code.tool_result', { tool_name: 'Bash', success: 'false', error: 'exit 1' })),
    ).toMatchObject({
      operation: 'execute_tool',
      toolName: 'Bash',
      errorType: 'exit 1',
      isModelCall: false,
      usage: undefined,
    });
    expect(normaliseLog(log('claude_code.user_prompt', { prompt_length: 12 }))).toMatchObject({
      operation: 'user_prompt',
      usage: undefined,
    });
  });

  test('Codex counts on the completed stream event only', () => {
    const done = normaliseLog(
      log('codex.sse_event', {
        'event.kind': 'response.completed',
        'conversation.id': 'c-1',
        model: 'gpt-6-sol',
        input_token_count: '120',
        output_token_count: '30',
        cached_token_count: '64',
        reasoning_token_count: '8',
        tool_token_count: '150',
      }),
    );
    expect(done).toMatchObject({
      convention: 'codex',
      isModelCall: true,
      sessionId: 'c-1',
      provider: 'openai',
      usage: { input: 56, cacheRead: 64, output: 22, reasoning: 8 },
    });
    expect(
      normaliseLog(log('codex.sse_event', { 'event.kind': 'response.output_text.delta' })),
    ).toMatchObject({ isModelCall: false, usage: undefined });
  });

  test('Gemini CLI reports thoughts beside the output', () => {
    expect(
      normaliseLog(
        log('gemini_cli.api_response', {
          model: 'gemini-3.5-flash',
          input_token_count: 120,
          output_token_count: 30,
          cached_content_token_count: 64,
          thoughts_token_count: 8,
          total_token_count: 158,
        }),
      ),
    ).toMatchObject({
      convention: 'gemini-cli',
      provider: 'google',
      usage: { input: 56, cacheRead: 64, output: 30, reasoning: 8 },
    });
  });

  test("OpenTelemetry's own event repeats its span and counts nothing", () => {
    expect(
      normaliseLog(
        log('gen_ai.client.inference.operation.details', {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'gpt-4o',
          'gen_ai.usage.input_tokens': 5,
        }),
      ),
    ).toMatchObject({ convention: 'gen-ai', operation: 'chat', isModelCall: false });
    expect(normaliseLog(log('', { 'http.route': '/' }, { body: 'GET /' }))).toBeUndefined();
  });
});
