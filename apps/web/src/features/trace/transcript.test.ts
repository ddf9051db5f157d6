import type { Conversation, Message, MessagePart } from '@candela/semconv';
import { describe, expect, it } from 'vitest';
import { testSpan as span } from './light-span.fixture.ts';
import {
  aroundStep,
  buildTranscript,
  type Entry,
  foldedAtFirst,
  speakingAlone,
  stepAt,
  stepsInside,
  stepsOf,
  stepsToRead,
  stretchTo,
  toldBefore,
} from './transcript.ts';
import { buildTree } from './tree.ts';

const said = (role: string, text: string): Message => ({ role, parts: [{ type: 'text', text }] });
const empty: Conversation = {
  input: [],
  output: [],
  tools: [],
  toolExecution: undefined,
  retrievedDocuments: [],
  scores: [],
};
const shortly = (entries: readonly Entry[]) =>
  entries.map((entry) => {
    const at = '  '.repeat(entry.depth);
    if (entry.kind === 'agent') return `${at}[${entry.span.spanId} ${entry.steps}]`;
    if (entry.kind === 'tool')
      return `${at}${entry.name}(${entry.arguments}) ${entry.failed ? '!' : ''}= ${entry.result} ${entry.ran ? 'by' : 'asked by'} ${entry.span.spanId}`;
    if (entry.kind === 'failure') return `${at}failed ${entry.span.spanId}`;
    const part = entry.message.parts[0];
    return `${at}${entry.message.role}: ${part?.type === 'text' ? part.text : part?.type}`;
  });

describe('transcript', () => {
  const call: Message = {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' }],
  };
  const spans = [
    span('web', '', 'other', 0),
    span('agent', 'web', 'agent', 1),
    span('llm1', 'agent', 'llm', 2),
    span('tool1', 'agent', 'tool', 3),
    span('sub', 'agent', 'agent', 4),
    span('llm2', 'sub', 'llm', 5, { status: 'error' }),
    span('llm3', 'agent', 'llm', 6),
  ];
  const steps = stepsOf(spans, buildTree(spans));
  const conversations = new Map<string, Conversation>([
    ['llm1', { ...empty, input: [said('system', 'be kind'), said('user', 'Rain?')], output: [call] }],
    ['tool1', { ...empty, toolExecution: { callId: 'c1', arguments: '{"city":"Oslo"}', result: 'wet' } }],
    ['llm2', { ...empty, input: [said('user', 'Rain?')], output: [] }],
    [
      'llm3',
      {
        ...empty,
        input: [
          said('system', 'be kind'),
          said('user', 'Rain?'),
          call,
          { role: 'tool', parts: [{ type: 'tool_result', id: 'c1', name: 'weather', result: 'wet' }] },
        ],
        output: [said('assistant', 'Yes.')],
      },
    ],
  ]);

  it('ends before a step that is not read yet, unless it is folded away', () => {
    const shown = (open: string, folded: readonly string[] = []) =>
      shortly(buildTranscript(steps, conversations, new Set(folded), new Set([open])));
    expect(shown('llm1')).toEqual(['[agent 5]']);
    expect(shown('llm2').at(-1)).toContain('[sub 1]');
    expect(shown('llm2', ['sub']).at(-1)).toContain('Yes.');
  });

  it('says everything once, tools with their result, each agent in its own thread', () => {
    expect(shortly(buildTranscript(steps, conversations, new Set()))).toEqual([
      '[agent 5]',
      '  system: be kind',
      '  user: Rain?',
      '  weather({"city":"Oslo"}) = wet by tool1',
      '  [sub 1]',
      '    user: Rain?',
      '    failed llm2',
      '  assistant: Yes.',
    ]);
  });

  it('folds a sub-agent', () => {
    expect(shortly(buildTranscript(steps, conversations, new Set(['sub'])))).toHaveLength(6);
    expect(shortly(buildTranscript(steps, conversations, new Set(['agent'])))).toEqual(['[agent 5]']);
  });

  it('starts with sub-agents folded, but not what a mere wrapper holds', () => {
    expect([...foldedAtFirst(steps)]).toEqual(['sub']);
    const wrapped = [
      span('workflow', '', 'agent', 0),
      span('inner', 'workflow', 'agent', 1),
      span('call', 'inner', 'llm', 2),
    ];
    expect(foldedAtFirst(stepsOf(wrapped, buildTree(wrapped))).size).toBe(0);
  });

  it('takes a result from the next call when no span ran the tool', () => {
    const without = new Map([...conversations].filter(([id]) => id !== 'tool1'));
    expect(shortly(buildTranscript(steps, without, new Set()))[3]).toBe(
      '  weather({"city":"Oslo"}) = wet asked by llm1',
    );
  });

  it('says of a result that the tool failed', () => {
    const boom: MessagePart = {
      type: 'tool_result',
      id: 'c1',
      name: 'weather',
      result: 'no such city',
      failed: true,
    };
    const two = [span('llm1', '', 'llm', 0), span('llm2', '', 'llm', 1)];
    const entries = buildTranscript(
      stepsOf(two, buildTree(two)),
      new Map([
        ['llm1', { ...empty, input: [said('user', 'Rain?')], output: [call] }],
        ['llm2', { ...empty, input: [said('user', 'Rain?'), call, { role: 'tool', parts: [boom] }] }],
      ]),
      new Set(),
    );
    expect(shortly(entries)[1]).toBe('weather({"city":"Oslo"}) != no such city asked by llm1');
  });

  it('puts the result that the next call reports to a call without an id', () => {
    const asks: Message = {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: '', name: 'weather', arguments: '{"city":"Oslo"}' }],
    };
    const answer: Message = {
      role: 'user',
      parts: [{ type: 'tool_result', id: '', name: 'weather', result: 'wet' }],
    };
    const two = [span('llm1', '', 'llm', 0), span('llm2', '', 'llm', 1)];
    const entries = buildTranscript(
      stepsOf(two, buildTree(two)),
      new Map([
        ['llm1', { ...empty, input: [said('user', 'Rain?')], output: [asks] }],
        [
          'llm2',
          { ...empty, input: [said('user', 'Rain?'), asks, answer], output: [said('assistant', 'Yes.')] },
        ],
      ]),
      new Set(),
    );
    expect(shortly(entries)).toEqual([
      'user: Rain?',
      'weather({"city":"Oslo"}) = wet asked by llm1',
      'assistant: Yes.',
    ]);
  });

  const results = (...parts: [id: string, text: string][]): Message => ({
    role: 'tool',
    parts: parts.map(([id, result]) => ({ type: 'tool_result', id, name: '', result })),
  });
  const asks = (id: string, args: string): Message => ({
    role: 'assistant',
    parts: [{ type: 'tool_call', id, name: 'weather', arguments: args }],
  });
  /** Model calls one after the other, each told what was said before it. */
  const transcriptOf = (...calls: readonly (readonly [Message[], Message[]])[]) => {
    const several = calls.map((_, index) => span(`llm${index}`, '', 'llm', index));
    const conversation = new Map(
      calls.map(([input, output], index) => [`llm${index}`, { ...empty, input, output }] as const),
    );
    return shortly(buildTranscript(stepsOf(several, buildTree(several)), conversation, new Set()));
  };

  it('says again what was said again', () => {
    const [next, ok] = [said('user', 'next'), said('assistant', 'Ok.')];
    expect(transcriptOf([[next], [ok]], [[next, ok, next], [ok]])).toEqual([
      'user: next',
      'assistant: Ok.',
      'user: next',
      'assistant: Ok.',
    ]);
  });

  it('says once what a second instrumentation tells with other instructions', () => {
    const [hi, hello] = [said('user', 'hi'), said('assistant', 'Hello')];
    expect(transcriptOf([[hi], [hello]], [[said('system', 'Be nice'), hi], [hello]])).toEqual([
      'user: hi',
      'assistant: Hello',
      'system: Be nice',
    ]);
  });

  it('says once what a graph gives back with its answer', () => {
    const [hi, hello, more] = [said('user', 'hi'), said('assistant', 'Hello'), said('user', 'more')];
    const state = [hi, hello, more];
    expect(transcriptOf([[hi], [hi, hello]], [state, [...state, hello]])).toEqual([
      'user: hi',
      'assistant: Hello',
      'user: more',
      'assistant: Hello',
    ]);
  });

  it('shows what two spans ran of one call once', () => {
    const four = [
      span('llm', '', 'llm', 0),
      ...['t1', 't2', 't3'].map((id, at) => span(id, '', 'tool', at + 1)),
    ];
    const run = (result: string): Conversation => ({
      ...empty,
      toolExecution: { callId: 'c1', arguments: 'Oslo', result },
    });
    const entries = buildTranscript(
      stepsOf(four, buildTree(four)),
      new Map([
        ['llm', { ...empty, output: [asks('c1', 'Oslo')] }],
        ['t1', run('wet')],
        ['t2', run('wet')],
        ['t3', run('dry')],
      ]),
      new Set(),
    );
    expect(shortly(entries)).toEqual(['weather(Oslo) = wet by t1', 't3(Oslo) = dry by t3']);
  });

  it('knows the result of a call without an id in a history that begins with it', () => {
    const wet: MessagePart = { type: 'tool_result', id: '', name: 'weather', result: 'wet' };
    const history: Message[] = [said('user', 'go'), asks('', 'Oslo'), { role: 'tool', parts: [wet] }];
    expect(transcriptOf([history, []], [history.slice(2), [said('assistant', 'Wet.')]])).toEqual([
      ...transcriptOf([history, []]),
      'assistant: Wet.',
    ]);
  });

  it('says once what a client sends again without the thinking', () => {
    const [ask, next] = [said('user', 'a?'), said('user', 'b?')];
    const thought: Message = {
      role: 'assistant',
      parts: [{ type: 'reasoning', text: 'hmm' }, ...said('', 'yes').parts],
    };
    expect(transcriptOf([[ask], [thought]], [[ask, said('assistant', 'yes'), next], []])).toEqual([
      'user: a?',
      'assistant: reasoning',
      'user: b?',
    ]);
  });

  it('tells calls apart that have the same id, and shows a result that nobody asked for', () => {
    const [where, bern, rome] = [said('user', 'Where?'), asks('0', 'Bern'), asks('0', 'Rome')];
    const history = [where, bern, results(['0', 'sun'])];
    expect(
      transcriptOf(
        [[where], [bern]],
        [history, [rome]],
        [[...history, rome, results(['0', 'rain'], ['9', 'whose?'])], [said('assistant', 'Done.')]],
      ),
    ).toEqual([
      'user: Where?',
      'weather(Bern) = sun asked by llm0',
      'weather(Rome) = rain asked by llm1',
      'tool: tool_result',
      'assistant: Done.',
    ]);
  });

  it('reads what the provider ran in its order, with its result', () => {
    const [call, told] = [asks('s1', 'Oslo').parts, results(['s1', 'wet']).parts];
    const parts = [...said('', 'I look.').parts, ...call, ...told, ...said('', 'Wet.').parts];
    const answer: Message = { role: 'assistant', finishReason: 'stop', parts };
    expect(transcriptOf([[said('user', 'Oslo?')], [answer]])).toEqual([
      'user: Oslo?',
      'assistant: I look.',
      'weather(Oslo) = wet asked by llm0',
      'assistant: Wet.',
    ]);
  });

  it('reads the nodes of a graph as one conversation', () => {
    const chain = (id: string, parent: string, at: number) =>
      span(id, parent, 'agent', at, { operation: 'chain' });
    const nodes = [
      chain('graph', '', 0),
      chain('node1', 'graph', 1),
      span('llm1', 'node1', 'llm', 2),
      chain('node2', 'graph', 3),
      span('llm2', 'node2', 'llm', 4),
    ];
    const ask = said('user', 'Rain?');
    const entries = buildTranscript(
      stepsOf(nodes, buildTree(nodes)),
      new Map([
        ['llm1', { ...empty, input: [ask], output: [said('assistant', 'I look.')] }],
        [
          'llm2',
          { ...empty, input: [ask, said('assistant', 'I look.')], output: [said('assistant', 'Yes.')] },
        ],
      ]),
      new Set(),
    );
    expect(shortly(entries).map((line) => line.trim())).toEqual([
      '[graph 4]',
      '[node1 1]',
      'user: Rain?',
      'assistant: I look.',
      '[node2 1]',
      'assistant: Yes.',
    ]);
  });

  it('lets an agent without model calls speak for itself, around what it ran', () => {
    const solo = [span('agent', '', 'agent', 0), span('tool', 'agent', 'tool', 1)];
    const conversation = new Map<string, Conversation>([
      ['agent', { ...empty, input: [said('user', 'Rain?')], output: [said('assistant', 'Yes.')] }],
      ['tool', { ...empty, toolExecution: { callId: '', arguments: 'Oslo', result: 'wet' } }],
    ]);
    const of = (open: string[], folded: string[] = []) =>
      shortly(
        buildTranscript(stepsOf(solo, buildTree(solo)), conversation, new Set(folded), new Set(open)),
      ).map((line) => line.trim());
    const begins = ['[agent 1]', 'user: Rain?'];
    expect(of([])).toEqual([...begins, 'tool(Oslo) = wet by tool', 'assistant: Yes.']);
    expect(of(['tool'])).toEqual(begins);
    expect(of([], ['agent'])).toEqual(['[agent 1]']);
  });

  it('puts what a span without call id ran to the call that asked for it', () => {
    const three = [span('llm1', '', 'llm', 0), span('t1', '', 'tool', 1), span('t2', '', 'tool', 2)];
    const run = { callId: '', arguments: '{"city":"Oslo"}', result: 'wet' };
    const entries = buildTranscript(
      stepsOf(three, buildTree(three)),
      new Map([
        [
          'llm1',
          {
            ...empty,
            output: [
              {
                role: 'assistant',
                parts: [{ type: 'tool_call', id: 'c1', name: 't1', arguments: '{"city":"Oslo"}' }],
              },
            ],
          },
        ],
        ['t1', { ...empty, toolExecution: run }],
        ['t2', { ...empty, toolExecution: run }],
      ]),
      new Set(),
    );
    expect(shortly(entries)).toEqual(['t1({"city":"Oslo"}) = wet by t1', 't2({"city":"Oslo"}) = wet by t2']);
  });
});

describe('a transcript that begins in the middle', () => {
  const turns = 60;
  const spans = [
    span('agent', '', 'agent', 0),
    ...Array.from({ length: turns }, (_, turn) => [
      span(`call${turn}`, 'agent', 'llm', turn * 10 + 1, { inputTokens: turn * 100 }),
      span(`query${turn}`, 'agent', 'other', turn * 10 + 2),
      // A short call about something else stands between two calls of the conversation.
      span(`title${turn}`, 'agent', 'llm', turn * 10 + 3, { inputTokens: 5 }),
    ]).flat(),
  ];
  const tree = buildTree(spans);
  const steps = stepsOf(spans, tree);
  const history = Array.from({ length: turns }, (_, turn) => [
    said('user', `question ${turn}`),
    said('assistant', `answer ${turn}`),
  ]).flat();
  const conversations = new Map<string, Conversation>(
    Array.from({ length: turns }, (_, turn): [string, Conversation][] => [
      [
        `call${turn}`,
        {
          ...empty,
          input: history.slice(0, turn * 2 + 1),
          output: history.slice(turn * 2 + 1, turn * 2 + 2),
        },
      ],
      [`title${turn}`, { ...empty, input: [said('user', `name ${turn}`)], output: [] }],
    ]).flat(),
  );

  it('says only what comes there, below the agents around it', () => {
    const at = stepAt(steps, tree, 'call40');
    const told = toldBefore(steps, at);
    expect(told.map((step) => step.span.spanId).toSorted()).toEqual(['call39', 'title39']);
    const entries = buildTranscript(
      [...aroundStep(steps, at), ...told, ...steps.slice(at, at + 3)],
      conversations,
      new Set(),
      new Set(),
      new Set(told.map((step) => step.span.spanId)),
      stepsInside(steps),
    );
    expect(shortly(entries)).toEqual([
      '[agent 120]',
      '  user: question 40',
      '  assistant: answer 40',
      '  user: name 40',
      '  user: question 41',
      '  assistant: answer 41',
    ]);
  });

  it('reads the agents around it that speak for themselves, unless they are folded away', () => {
    const own = [
      span('outer', '', 'agent', 0),
      span('llm', 'outer', 'llm', 1),
      span('solo', 'outer', 'agent', 2),
      ...Array.from({ length: 20 }, (_, index) => span(`tool${index}`, 'solo', 'tool', index + 3)),
    ];
    const all = stepsOf(own, buildTree(own));
    const read = (folded: string[]) =>
      stepsToRead(all, { from: 20, to: 60, seen: 20 }, [], new Set(folded), speakingAlone(all)).map(
        (step) => step.span.spanId,
      );
    expect(read([])).toEqual(['solo', 'tool17', 'tool18', 'tool19']);
    expect(read(['outer'])).toEqual([]);
  });

  it('tells spans that share an id apart, each with what it said', () => {
    const startTime = '2026-11-20T10:00:03.000Z';
    const shared = [
      span('root', '', 'agent', 0),
      span('one', 'root', 'llm', 1),
      span('one', 'root', 'llm', 3, { startTime }),
      span('last', 'root', 'llm', 4),
    ];
    const own = buildTree(shared);
    const all = stepsOf(shared, own);
    expect(all.map(({ key, start }) => [key, start])).toEqual([
      ['root', undefined],
      ['one', undefined],
      [`one ${startTime}`, startTime],
      ['last', undefined],
    ]);
    const says = new Map(
      all.map(({ key }) => [key, { ...empty, output: [said('assistant', `I am ${key}`)] }]),
    );
    expect(shortly(buildTranscript(all, says, new Set()))).toEqual([
      '[root 3]',
      '  assistant: I am one',
      `  assistant: I am one ${startTime}`,
      '  assistant: I am last',
    ]);
    // What only the first one waits for holds back nothing that the other said, and the other way round.
    const keys = (open: string) =>
      buildTranscript(all, says, new Set(), new Set([open])).map(({ key }) => key);
    expect(keys(`one ${startTime}`)).toEqual(['root', 'one output 0']);
    expect(keys('one')).toEqual(['root']);
    expect(all[stepAt(all, own, 'one')]?.key).toBe('one');
  });

  it('goes to a span, or to the step before one that is no step', () => {
    expect(stepAt(steps, tree, undefined)).toBe(0);
    expect(stepAt(steps, tree, 'not here')).toBe(0);
    expect(steps[stepAt(steps, tree, 'title7')]?.span.spanId).toBe('title7');
    expect(steps[stepAt(steps, tree, 'query7')]?.span.spanId).toBe('call7');
  });

  it('grows to what is near, and begins anew far away', () => {
    const start = stretchTo(undefined, 100);
    expect(start).toEqual({ from: 92, to: 132, seen: 92 });
    expect(stretchTo(start, 131)).toBe(start);
    expect(stretchTo(start, 140)).toEqual({ from: 92, to: 180, seen: 92 });
    expect(stretchTo(start, 80)).toEqual({ from: 72, to: 132, seen: 92 });
    expect(stretchTo(start, 500)).toEqual({ from: 492, to: 532, seen: 492 });
    expect(stretchTo(start, 3)).toEqual({ from: 0, to: 40, seen: 0 });
  });
});
