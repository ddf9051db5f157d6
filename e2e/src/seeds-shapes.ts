import { newSpanId, newTraceId, type SeedSpan, type SeedTrace } from './otlp.ts';

const ids = (count: number): string[] => Array.from({ length: count }, newSpanId);
const trace = (service: string, startedAt: number, spans: readonly SeedSpan[]): SeedTrace => ({
  traceId: newTraceId(),
  service,
  startedAt,
  spans,
});

/** A child whose clock is a second behind its parent's, an orphan, two roots, a ring, and a span without an end. */
export function oddTrace(startedAt: number): SeedTrace {
  const id = ids(7);
  const at = (index: number) => id[index] as string;
  return trace('odd', startedAt, [
    { spanId: at(0), name: 'first root', startMs: 1_000, durationMs: 900 },
    { spanId: at(1), parentSpanId: at(0), name: 'child with another clock', startMs: 0, durationMs: 400 },
    { spanId: at(2), name: 'second root', startMs: 1_500, durationMs: 300 },
    { spanId: at(3), parentSpanId: '00000000000000aa', name: 'orphan', startMs: 1_200, durationMs: 100 },
    { spanId: at(4), parentSpanId: at(5), name: 'ring one', startMs: 1_300, durationMs: 50 },
    { spanId: at(5), parentSpanId: at(4), name: 'ring two', startMs: 1_310, durationMs: 50 },
    { spanId: at(6), parentSpanId: at(0), name: 'still running', startMs: 1_400, unfinished: true },
  ]);
}

/** One root with that many children at its side. */
export function wideTrace(siblings: number, startedAt: number): SeedTrace {
  const root = newSpanId();
  return trace('wide', startedAt, [
    { spanId: root, name: 'fan out', durationMs: siblings + 10 },
    ...ids(siblings).map((spanId, index) => ({
      spanId,
      parentSpanId: root,
      name: `task ${index}`,
      startMs: index,
      durationMs: 8,
    })),
  ]);
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** Every provider's shapes, a model call each: what went in and what came out. */
const SHAPES: readonly {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly input: unknown;
  readonly output: unknown;
}[] = [
  {
    name: 'chat openai',
    provider: 'openai',
    model: 'gpt-4o',
    input: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in these pictures?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          { type: 'image_url', image_url: { url: 'https://example.com/elsewhere.png' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ],
      },
    ],
    output: [
      {
        role: 'assistant',
        content: 'A red square.',
        annotations: [
          { type: 'url_citation', url_citation: { title: 'Squares', url: 'https://example.com/sq' } },
        ],
      },
      { role: 'assistant', content: null, refusal: 'I cannot open the second picture.' },
    ],
  },
  {
    name: 'chat claude',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    input: [
      { role: 'user', content: 'Weather in Oslo?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'The tool knows.', signature: 's' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
          { type: 'tool_use', id: 'toolu_2', name: 'radar', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: '{"sky":"wet"}' },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            is_error: true,
            content: [
              { type: 'text', text: 'Rain from the west.' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            ],
          },
        ],
      },
    ],
    output: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Wet.' },
          { type: 'redacted_thinking', data: 'x' },
        ],
      },
    ],
  },
  {
    name: 'generate_content gemini',
    provider: 'gcp.gemini',
    model: 'gemini-2.5-pro',
    input: [
      { role: 'user', parts: [{ text: 'Add one and one.' }] },
      { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: 'print(1+1)' } }] },
    ],
    output: [{ role: 'model', parts: [{ text: 'Let me see.', thought: true }, { text: 'Two.' }] }],
  },
  {
    name: 'chat langchain',
    provider: 'openai',
    model: 'gpt-4o-mini',
    input: [
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'HumanMessage'],
        kwargs: { content: 'As JSON please.' },
      },
    ],
    output: [
      {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'AIMessage'],
        kwargs: { content: '{"answer":{"city":"Oslo","degrees":4}}' },
      },
    ],
  },
  {
    name: 'responses openai',
    provider: 'openai',
    model: 'gpt-5',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Search the web.' }] }],
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'A search is asked for.' }] },
      { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'candles' } },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Found candles.' }] },
    ],
  },
];

/** A trace with a model call of every provider's shape, in a long conversation each. */
export function shapesTrace(startedAt: number): SeedTrace {
  const root = newSpanId();
  return trace('shapes', startedAt, [
    { spanId: root, name: 'every shape', durationMs: 1_000 },
    ...SHAPES.map(({ name, provider, model, input, output }, index) => ({
      spanId: newSpanId(),
      parentSpanId: root,
      name,
      kind: 3,
      startMs: 10 + index * 150,
      durationMs: 120,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': 20 + index,
        'gen_ai.usage.output_tokens': 5 + index,
        'gen_ai.input.messages': JSON.stringify(input),
        'gen_ai.output.messages': JSON.stringify(output),
      },
    })),
  ]);
}

/** An agent of so many turns, each a model call that repeats all before it and a tool that it asked for. */
export function longTalkTrace(turns: number, startedAt: number): SeedTrace {
  const root = newSpanId();
  const history: unknown[] = [{ role: 'user', content: 'Port the module, step by step.' }];
  const spans: SeedSpan[] = [
    {
      spanId: root,
      name: 'invoke_agent coder',
      durationMs: turns * 10,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'coder',
        'gen_ai.conversation.id': 'long talk',
        'user.id': 'ada',
      },
    },
  ];
  for (let turn = 1; turn <= turns; turn += 1) {
    const args = JSON.stringify({ command: `step number ${turn}` });
    const said = {
      role: 'assistant',
      content: `I do step ${turn}.`,
      tool_calls: [{ id: `call${turn}`, type: 'function', function: { name: 'shell', arguments: args } }],
    };
    spans.push(
      {
        spanId: newSpanId(),
        parentSpanId: root,
        name: `chat ${turn}`,
        startMs: turn * 10 - 9,
        durationMs: 4,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'gpt-4o',
          'gen_ai.usage.input_tokens': turn * 50,
          'gen_ai.input.messages': JSON.stringify(history),
          'gen_ai.output.messages': JSON.stringify([said]),
          // The last answer has to have a form.
          ...(turn === turns
            ? { 'gen_ai.request.structured_output_schema': '{"title":"Ported","type":"object"}' }
            : {}),
        },
      },
      {
        spanId: newSpanId(),
        parentSpanId: root,
        name: 'execute_tool shell',
        startMs: turn * 10 - 4,
        durationMs: 3,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'shell',
          'gen_ai.tool.call.id': `call${turn}`,
          'gen_ai.tool.call.arguments': args,
          'gen_ai.tool.call.result': `done with ${turn}`,
        },
      },
    );
    history.push(said, { role: 'tool', tool_call_id: `call${turn}`, content: `done with ${turn}` });
  }
  return trace('coder', startedAt, spans);
}
