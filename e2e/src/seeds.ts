import { newSpanId, newTraceId, type SeedSpan, type SeedTrace } from './otlp.ts';

/** Text that would do harm anywhere it was taken for HTML, markdown code or a link. */
const HOSTILE = '<img src=x onerror="window.__hacked=1"><script>window.__hacked=1</script>';

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });

const SYSTEM = text('system', 'You are a careful assistant of a candle shop.');
const QUESTION = text('user', 'Where is order **4711**?');
const ASK = {
  role: 'assistant',
  parts: [{ type: 'tool_call', id: 'call_1', name: 'track_parcel', arguments: { order: '4711' } }],
  finish_reason: 'tool_calls',
};
const TOLD = {
  role: 'tool',
  parts: [{ type: 'tool_call_response', id: 'call_1', response: '{"status":"left the warehouse"}' }],
};
const ANSWER = {
  ...text(
    'assistant',
    '# On its way\n\nIt **left the warehouse** this morning.\n\n- [track it](https://example.com/4711)\n- [bad](javascript:alert(1))',
  ),
  finish_reason: 'stop',
};

function chat(messages: readonly unknown[], answer: unknown, usage: { input: number; output: number }) {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
    'gen_ai.conversation.id': 'session-1',
    'user.id': 'user-7',
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.input.messages': JSON.stringify(messages),
    'gen_ai.output.messages': JSON.stringify([answer]),
  };
}

/** An agent that asks a model, calls a tool, fails once and answers: eight spans in two services' worth of names. */
export function agentTrace(startedAt: number): SeedTrace {
  const id = Array.from({ length: 8 }, newSpanId);
  const at = (index: number) => id[index] as string;
  const spans: SeedSpan[] = [
    { spanId: at(0), name: 'POST /chat', kind: 2, durationMs: 2_400, attributes: { 'http.route': '/chat' } },
    {
      spanId: at(1),
      parentSpanId: at(0),
      name: 'invoke_agent shop-assistant',
      startMs: 20,
      durationMs: 2_350,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'shop-assistant' },
    },
    {
      spanId: at(2),
      parentSpanId: at(1),
      name: 'chat gpt-4o-mini',
      kind: 3,
      startMs: 40,
      durationMs: 700,
      attributes: chat([SYSTEM, QUESTION], ASK, { input: 310, output: 24 }),
    },
    {
      spanId: at(3),
      parentSpanId: at(1),
      name: 'execute_tool track_parcel',
      startMs: 760,
      durationMs: 300,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'track_parcel',
        'gen_ai.tool.call.id': 'call_1',
        'gen_ai.tool.call.arguments': '{"order":"4711"}',
        'gen_ai.tool.call.result': '{"status":"left the warehouse"}',
      },
    },
    {
      spanId: at(4),
      parentSpanId: at(3),
      name: 'GET parcels',
      kind: 3,
      startMs: 770,
      durationMs: 250,
      failed: 'connection reset, retried',
      attributes: { 'error.type': 'ECONNRESET' },
      events: [
        {
          name: 'exception',
          attributes: { 'exception.type': 'ECONNRESET', 'exception.message': 'connection reset' },
        },
      ],
    },
    {
      spanId: at(5),
      parentSpanId: at(1),
      name: 'chat gpt-4o-mini',
      kind: 3,
      startMs: 1_100,
      durationMs: 1_200,
      attributes: chat([SYSTEM, QUESTION, ASK, TOLD], ANSWER, { input: 402, output: 61 }),
      // Survived: the span did not fail by it.
      events: [
        {
          name: 'exception',
          attributes: { 'exception.type': 'CacheMiss', 'exception.message': 'the prompt was not cached' },
        },
      ],
    },
    { spanId: at(6), parentSpanId: at(0), name: 'INSERT messages', kind: 3, startMs: 2_372, durationMs: 12 },
    { spanId: at(7), parentSpanId: '00000000000000ff', name: 'lost parent', startMs: 2_390, durationMs: 3 },
  ];
  return { traceId: newTraceId(), service: 'shop', startedAt, spans };
}

/** One model call whose every text is hostile. */
export function hostileTrace(startedAt: number): SeedTrace {
  return {
    traceId: newTraceId(),
    service: HOSTILE,
    startedAt,
    spans: [
      {
        spanId: newSpanId(),
        name: HOSTILE,
        durationMs: 90,
        failed: HOSTILE,
        attributes: {
          ...chat(
            [text('user', HOSTILE)],
            text('assistant', `${HOSTILE}\n\n![x](https://evil.example/x.png)`),
            {
              input: 1,
              output: 1,
            },
          ),
          __proto__x: HOSTILE,
          [HOSTILE]: 'as key',
          constructor: HOSTILE,
        },
        events: [{ name: HOSTILE, attributes: { [HOSTILE]: HOSTILE } }],
      },
    ],
  };
}

/** Plain requests of several services, every fifth failed. */
export function requestTraces(count: number, until: number): SeedTrace[] {
  return Array.from({ length: count }, (_, index) => ({
    traceId: newTraceId(),
    service: ['checkout', 'cart', 'search'][index % 3] as string,
    environment: index % 4 === 0 ? 'staging' : 'production',
    startedAt: until - index * 20_000 - 5_000,
    spans: [
      {
        spanId: newSpanId(),
        name: `GET /item/${index % 7}`,
        kind: 2,
        durationMs: 40 + ((index * 97) % 900),
        ...(index % 5 === 0 ? { failed: 'status 500' } : {}),
        attributes: { 'http.route': `/item/${index % 7}` },
      },
    ],
  }));
}

/** One trace of `count` spans: agents, tools and model calls, nested and wide, one in a hundred failed. */
export function largeTrace(count: number, startedAt: number): SeedTrace {
  const ids = Array.from({ length: count }, newSpanId);
  const spans = ids.map((spanId, index): SeedSpan => {
    const name = index % 7 === 1 ? 'chat gpt-4o' : index % 7 === 2 ? 'execute_tool search' : `step ${index}`;
    const operation = index % 7 === 1 ? 'chat' : index % 7 === 2 ? 'execute_tool' : undefined;
    // Half of the spans hang on one of the five before them, half on a tenth of their number: deep and wide at once.
    const parent =
      index === 0 ? -1 : index % 2 === 0 ? index - 1 - (index % Math.min(5, index)) : Math.floor(index / 10);
    return {
      spanId,
      ...(parent < 0 ? {} : { parentSpanId: ids[parent] as string }),
      name,
      startMs: index * 2,
      durationMs: index === 0 ? count * 2 : 20 + (index % 50) * 6,
      ...(index % 100 === 99 ? { failed: 'step failed' } : {}),
      attributes:
        operation === undefined
          ? {}
          : { 'gen_ai.operation.name': operation, 'gen_ai.request.model': 'gpt-4o' },
    };
  });
  return { traceId: newTraceId(), service: 'crew', startedAt, spans };
}
