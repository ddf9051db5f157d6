/** What real SDKs sent for the same calls gives the same rows. */
import { describe, expect, test } from 'vitest';
import { isContentKey, normaliseSpan, priceUsage, readConversation } from '../index.ts';
import type { GenAiFacts, MessagePart } from '../types.ts';
import { type RecordedSpan, recordedSpans } from './fixtures/load.ts';

interface Row extends GenAiFacts {
  readonly span: RecordedSpan;
}

const rowsOf = (client: string): Row[] =>
  recordedSpans(client).flatMap((span) => {
    const facts = normaliseSpan(span);
    return facts === undefined ? [] : [{ ...facts, span }];
  });

/** The plain call: prompt `hi`, answered with `Hello Ada`, no tools. */
const isPlain = (row: Row): boolean => {
  const { input, output, tools } = readConversation(row.span);
  const answer = output[0]?.parts[0];
  return row.isModelCall && input.length === 1 && tools.length === 0 && answer?.type === 'text';
};

const FULL = { input: 56, cacheRead: 64, cacheWrite: 0, output: 30, reasoning: 0 };
/** These do not put the cached part of a call that is not streamed on the wire at all. */
const WITHOUT_CACHE = { ...FULL, input: 120, cacheRead: 0 };
const OPENAI_CLIENTS: readonly (readonly [string, string, typeof FULL])[] = [
  ['openlit', 'gen-ai', FULL],
  ['openinference', 'openinference', FULL],
  ['traceloop', 'traceloop', WITHOUT_CACHE],
  ['ai-v5', 'vercel-ai', WITHOUT_CACHE],
  ['ai-v7', 'gen-ai', FULL],
  ['langfuse', 'langfuse', FULL],
  ['langsmith', 'langsmith', FULL],
  ['otel-exporters', 'gen-ai', FULL],
];
const WITH_SESSION = new Set([
  'openlit',
  'openinference',
  'traceloop',
  'ai-v5',
  'langfuse',
  'langsmith',
  'otel-exporters',
]);
const toolCall: MessagePart = {
  type: 'tool_call',
  id: 'call_1',
  name: 'get_weather',
  arguments: '{"city":"Paris"}',
};

describe.each(OPENAI_CLIENTS)('%s', (client, convention, usage) => {
  const rows = rowsOf(client);
  const plain = rows.find((row) => isPlain(row) || client === 'otel-exporters');

  test('the plain call is one chat row with the same facts as everywhere', () => {
    expect(plain).toMatchObject({
      convention,
      operation: 'chat',
      provider: 'openai',
      requestModel: 'gpt-4o-mini',
      isModelCall: true,
      errorType: '',
      toolName: '',
      usage,
    });
    if (client !== 'langfuse') {
      expect(plain?.responseModel).toBe('gpt-4o-mini-2024-07-18');
      expect(plain?.finishReason).toBe('stop');
    }
    if (WITH_SESSION.has(client)) expect(plain).toMatchObject({ sessionId: 's-9', userId: 'user-42' });
  });

  test('its conversation is the same', () => {
    const { input, output } = readConversation(plain?.span as RecordedSpan);
    expect(input).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]);
    expect(output).toHaveLength(1);
    expect(output[0]).toMatchObject({ role: 'assistant', parts: [{ type: 'text', text: 'Hello Ada' }] });
  });

  test('its cost follows from its usage', () => {
    const cost = priceUsage(plain as Row);
    expect(cost).toMatchObject({
      costUsd: usage === FULL ? 0.0000312 : 0.000036,
      priceId: 'openai/gpt-4o-mini',
    });
  });

  // The spans made by hand show no tool call.
  const testTools = client === 'otel-exporters' ? undefined : test;
  testTools?.('the call with a tool shows the tool and what the model asked of it', () => {
    const row = rows.find((entry) => entry.isModelCall && readConversation(entry.span).tools.length > 0);
    const { tools, output, toolExecution } = readConversation(row?.span as RecordedSpan);
    expect(tools[0]).toMatchObject({ name: 'get_weather', description: 'Weather of a city' });
    expect(JSON.parse(tools[0]?.parameters ?? '')).toMatchObject({
      properties: { city: { type: 'string' } },
    });
    expect(output[0]?.parts).toEqual([toolCall]);
    expect(toolExecution).toBeUndefined();
    if (client !== 'langfuse') expect(row?.finishReason).toBe('tool_calls');
  });

  test('a model call has run no tool, whatever it asked for', () => {
    for (const row of rows.filter(({ isModelCall }) => isModelCall)) expect(row.toolName).toBe('');
  });

  test('every attribute that holds the conversation is a content key', () => {
    for (const { span } of rows) {
      for (const key of span.attributes.keys()) {
        const value = span.attributes.get(key);
        if (typeof value === 'string' && /Hello Ada|"hi"/.test(value))
          expect(isContentKey(key), key).toBe(true);
      }
    }
  });
});

/** Frameworks of Python: the same two calls of a model and a run of the tool. Session and user where they send them. */
const FRAMEWORKS: readonly (readonly [
  string,
  string,
  { readonly sessionId?: string; readonly userId?: string },
])[] = [
  ['genkit', 'genkit', {}],
  ['laminar', 'laminar', { sessionId: 's-9', userId: 'user-42' }],
  ['langchain', 'openinference', { sessionId: 's-9', userId: 'user-42' }],
  ['logfire', 'logfire', { sessionId: '' }],
  ['mlflow', 'mlflow', {}],
  ['opik', 'opik', { sessionId: 's-9', userId: 'user-42' }],
];

describe.each(FRAMEWORKS)('%s', (client, convention, who) => {
  const rows = rowsOf(client);
  const calls = rows.filter(({ isModelCall }) => isModelCall);
  const said = (row: Row) => readConversation(row.span);

  test('a call of a model has its model, its usage, its cost and its messages', () => {
    const [plain] = calls;
    expect(plain).toMatchObject({ convention, operation: 'chat', provider: 'openai', usage: FULL, ...who });
    expect(plain?.requestModel).toMatch(/^gpt-4o-mini(?:-2024-07-18)?$/);
    expect(priceUsage(plain as Row)).toMatchObject({ costUsd: 0.0000312 });
    const { input, output } = said(plain as Row);
    expect(input.at(-1)).toEqual({ role: 'user', parts: [{ type: 'text', text: 'hi' }] });
    expect(output).toMatchObject([{ role: 'assistant', parts: [{ type: 'text', text: 'Hello Ada' }] }]);
  });

  test('a tool that was run has its arguments and its result, and is no call of a model', () => {
    const run = rows.find(({ operation }) => operation === 'execute_tool');
    expect(run).toMatchObject({ toolName: 'get_weather', isModelCall: false });
    const { toolExecution, input, output } = said(run as Row);
    expect(toolExecution?.arguments).toContain('Paris');
    expect(toolExecution?.result).toBe('sunny in Paris');
    expect([...input, ...output]).toEqual([]);
  });

  // The program of Opik, which has no OpenTelemetry of its own, makes one call.
  test.skipIf(client === 'opik')('a call that asks for a tool shows what it asked for', () => {
    const asked = calls.flatMap((row) => said(row).output.flatMap(({ parts }) => parts));
    const call = asked.find(({ type }) => type === 'tool_call') as { name: string; arguments: string };
    expect(call.name).toBe('get_weather');
    expect(JSON.parse(call.arguments)).toEqual({ city: 'Paris' });
  });

  test('what holds the conversation is content, and what only sums calls has no usage', () => {
    for (const { span, isModelCall, usage } of rows) {
      if (!isModelCall) expect(usage).toBeUndefined();
      for (const key of span.attributes.keys()) {
        const value = span.attributes.get(key);
        if (typeof value === 'string' && /Hello Ada|"hi"/.test(value))
          expect(isContentKey(key), key).toBe(true);
      }
    }
  });
});

test('MLflow: who set session and user on a span, and both names of a model', () => {
  const rows = rowsOf('mlflow');
  expect(rows.find(({ operation }) => operation === 'invoke_agent')).toMatchObject({
    sessionId: 's-9',
    userId: 'user-42',
  });
  expect(rows.find(({ operation }) => operation === 'chat')).toMatchObject({
    requestModel: 'gpt-4o-mini',
    responseModel: 'gpt-4o-mini-2024-07-18',
  });
});

describe('executions of tools', () => {
  test.each(['traceloop', 'ai-v5', 'ai-v7', 'langfuse', 'langsmith'])('%s', (client) => {
    const row = rowsOf(client).find((entry) => entry.operation === 'execute_tool');
    expect(row).toMatchObject({ toolName: 'get_weather', isModelCall: false });
    const { toolExecution, input, output } = readConversation(row?.span as RecordedSpan);
    expect(JSON.parse(toolExecution?.arguments ?? '')).toEqual({ city: 'Paris' });
    expect(toolExecution?.result).toBe('sunny in Paris');
    expect([...input, ...output]).toEqual([]);
  });
});

describe('parents that sum their children', () => {
  /** Usage of the model calls of one trace that have no model call below them. */
  const counted = (rows: readonly Row[], traceId: string): number[] => {
    const calls = rows.filter((row) => row.isModelCall && row.span.traceId === traceId);
    const parents = new Set(calls.map((row) => row.span.parentSpanId));
    const leaves = calls.filter((row) => !parents.has(row.span.spanId));
    return [
      leaves.reduce((sum, { usage }) => sum + (usage === undefined ? 0 : usage.input + usage.cacheRead), 0),
      leaves.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0),
    ];
  };

  test.each(['ai-v5', 'ai-v7'])('the tool loop of %s counts 240/60, not 480/120', (client) => {
    const rows = rowsOf(client);
    const tool = rows.find((row) => row.operation === 'execute_tool');
    expect(counted(rows, tool?.span.traceId ?? '')).toEqual([240, 60]);
  });

  test('the input of a call to Anthropic is the same however a version counts it', () => {
    for (const client of ['ai-v5', 'ai-v7', 'openlit', 'anthropic-sdk']) {
      const calls = rowsOf(client).filter(
        (row) => row.isModelCall && row.provider === 'anthropic' && row.errorType === '',
      );
      expect(calls.length, client).toBeGreaterThan(0);
      for (const call of calls) expect(call.usage, `${client} ${call.span.name}`).toEqual(FULL);
    }
  });

  test('a call that two instrumentations report below each other counts once', () => {
    const rows = rowsOf('openlit');
    const anthropic = rows.filter((row) => row.provider === 'anthropic');
    expect(anthropic.map((row) => row.usage)).toEqual([FULL, FULL]);
    expect(counted(rows, anthropic[0]?.span.traceId ?? '')).toEqual([120, 30]);
  });
});

describe('streams, failures, embeddings', () => {
  test('time to the first token is known where the emitter says it', () => {
    for (const client of ['openlit', 'ai-v5', 'ai-v7', 'langfuse', 'anthropic-sdk']) {
      const times = rowsOf(client).flatMap((row) => row.timeToFirstTokenMs ?? []);
      expect(times.length, client).toBeGreaterThan(0);
      for (const time of times) expect(time).toBeLessThan(10_000);
    }
  });

  test.each([
    ['openlit', 'RateLimitError'],
    ['ai-v5', 'AI_APICallError'],
    ['ai-v7', 'AI_APICallError'],
    ['langfuse', '_OTHER'],
    ['anthropic-sdk', 'rate_limit_error'],
  ])('a failed call of %s has an error type and no usage', (client, errorType) => {
    const row = rowsOf(client).find((entry) => entry.requestModel === 'boom' && entry.isModelCall);
    expect(row).toMatchObject({ errorType, usage: undefined });
  });

  test.each(['openlit', 'ai-v5', 'ai-v7'])('embeddings of %s count once, as input', (client) => {
    const rows = rowsOf(client).filter((row) => row.operation === 'embeddings');
    const used = rows.filter((row) => row.isModelCall && row.usage !== undefined);
    expect(used).toHaveLength(1);
    expect(used[0]?.usage).toEqual({ input: 8, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 });
    expect(priceUsage(used[0] as Row)?.priceId).toBe('openai/text-embedding-3-small');
  });

  test('the SDK of Anthropic names its own reasons', () => {
    const rows = rowsOf('anthropic-sdk');
    expect(rows.map((row) => row.finishReason)).toEqual(['stop', 'tool_calls', 'stop', '']);
    expect(rows.every((row) => row.convention === 'anthropic-sdk')).toBe(true);
    expect(rows[0]?.usage).toEqual(FULL);
  });
});
