import { callIdsOf, type Conversation, type Message, type MessagePart } from '@candela/semconv';
import { describe, expect, it, vi } from 'vitest';
import { buildTurns, type Speaker, type SpokenTrace } from './turns.ts';

vi.mock(import('@candela/semconv'), async (original) => {
  const all = await original();
  return { ...all, callIdsOf: vi.fn(all.callIdsOf) };
});

const said = (role: string, text: string): Message => ({ role, parts: [{ type: 'text', text }] });
const call = (id: string, args: string, name = 'weather'): MessagePart => ({
  type: 'tool_call',
  id,
  name,
  arguments: args,
});
const result = (id: string, text: string): MessagePart => ({
  type: 'tool_result',
  id,
  name: '',
  result: text,
});
const message = (role: string, ...parts: MessagePart[]): Message => ({ role, parts });

let made = 0;
function speaker(conversation: Partial<Conversation>, more: Partial<Speaker> = {}): Speaker {
  return {
    spanId: `span${(made += 1)}`,
    name: 'call',
    operation: 'chat',
    agent: null,
    model: 'm',
    tool: null,
    failed: false,
    error: null,
    durationMs: 1,
    conversation: {
      input: [],
      output: [],
      tools: [],
      toolExecution: undefined,
      retrievedDocuments: [],
      scores: [],
      ...conversation,
    },
    ...more,
  };
}
const asked = (input: Message[], ...output: Message[]) => speaker({ input, output });
const ran = (callId: string, args: string, text: string, more: Partial<Speaker> = {}) =>
  speaker(
    { toolExecution: { callId, arguments: args, result: text } },
    { operation: 'execute_tool', tool: 'weather', ...more },
  );
const trace = (...speakers: Speaker[]): SpokenTrace => ({ traceId: `t${made}`, speakers, cut: false });
const partOf = (part: MessagePart): string =>
  part.type === 'text' ? part.text : part.type === 'tool_result' ? `result ${part.result}` : part.type;
const read = (known: SpokenTrace[], traces: SpokenTrace[], next?: SpokenTrace): string[][] =>
  buildTurns(known, traces, next).map(({ entries }) =>
    entries.map((entry) => {
      if (entry.kind === 'message')
        return `${entry.message.role}: ${entry.message.parts.map(partOf).join(' ')}`;
      return entry.kind === 'tool' ? `${entry.arguments} = ${entry.result}` : 'failed';
    }),
  );

describe('the result of a tool', () => {
  const where = said('user', 'Where am I?');
  const locate = message('assistant', call('c1', '{}', 'locate'));
  const first = trace(asked([where], locate));
  const second = trace(
    asked([where, locate, message('tool', result('c1', 'Bern'))], said('assistant', 'Bern!')),
  );

  it('that the client ran stands at its call, though the next trace tells it; pages agree on where', () => {
    const turns = [['user: Where am I?', '{} = Bern'], ['assistant: Bern!']];
    expect(read([], [first, second])).toEqual(turns);
    expect(read([], [first], second)).toEqual([turns[0]]);
    expect(read([first], [second])).toEqual([turns[1]]);
  });

  it('that comes much later stands where it is told', () => {
    const between = trace(asked([where, locate, said('user', 'Hello?')], said('assistant', 'I wait.')));
    const late = trace(
      asked(
        [
          where,
          locate,
          said('user', 'Hello?'),
          said('assistant', 'I wait.'),
          message('tool', result('c1', 'Bern')),
        ],
        said('assistant', 'Bern!'),
      ),
    );
    expect(read([], [first, between, late])).toEqual([
      ['user: Where am I?', '{} = null'],
      ['user: Hello?', 'assistant: I wait.'],
      ['tool: result Bern', 'assistant: Bern!'],
    ]);
  });

  it('that the provider ran stands at its call, in the order of the answer', () => {
    const answer = message(
      'assistant',
      { type: 'text', text: 'I look.' },
      call('s1', '"x"'),
      result('s1', 'found'),
      { type: 'text', text: 'There.' },
    );
    expect(read([], [trace(asked([where], answer))])).toEqual([
      ['user: Where am I?', 'assistant: I look.', '"x" = found', 'assistant: There.'],
    ]);
  });

  it('is that of its own call where ids are given anew in every answer', () => {
    const [bern, rome] = [
      message('assistant', call('0', '"Bern"')),
      message('assistant', call('0', '"Rome"')),
    ];
    const history = [where, bern, message('tool', result('0', 'sun'))];
    const more = [...history, rome, message('tool', result('0', 'rain'))];
    const calls = [asked([where], bern), asked(history, rome), asked(more, said('assistant', 'Done.'))];
    const turns = [['user: Where am I?', '"Bern" = sun', '"Rome" = rain', 'assistant: Done.']];
    expect(read([], [trace(...calls)])).toEqual(turns);
    const [one, two, three] = calls as [Speaker, Speaker, Speaker];
    expect(read([], [trace(one, ran('0', '"Bern"', 'sun'), two, ran('0', '"Rome"', 'rain'), three)])).toEqual(
      turns,
    );
  });

  it('is that of its own agent', () => {
    const of = (agent: string, city: string, weather: string) => {
      const ask = message('assistant', call('0', `"${city}"`));
      return [
        { ...asked([said('user', city)], ask), agent },
        {
          ...asked(
            [said('user', city), ask, message('tool', result('0', weather))],
            said('assistant', weather),
          ),
          agent,
        },
      ];
    };
    expect(read([], [trace(...of('a', 'Bern', 'sun'), ...of('b', 'Rome', 'rain'))])).toEqual([
      ['user: Bern', '"Bern" = sun', 'assistant: sun', 'user: Rome', '"Rome" = rain', 'assistant: rain'],
    ]);
  });
});

describe('calls', () => {
  const [where, more] = [said('user', 'Where?'), said('user', 'more')];
  const noId = message('assistant', { type: 'text', text: 'let me' }, call('', '{}'));
  const sun = message('tool', { type: 'tool_result', id: '', name: 'weather', result: 'SUN' });

  it('without ids are not told again when another agent takes over', () => {
    const history = [where, noId, sun, said('assistant', 'ans')];
    const first = trace({ ...asked([where], noId), agent: 'A' }, { ...asked(history), agent: 'A' });
    const second = trace({ ...asked([...history, more], said('assistant', 'done')), agent: 'B' });
    expect(read([], [first, second])[1]).toEqual(['user: more', 'assistant: done']);
  });

  it('are not answered by an equal one of the next trace, but by what that one is given', () => {
    const ask = message('assistant', call('', '{}'));
    const asks = trace(asked([where], ask));
    const answers = asked([where, ask, sun], said('assistant', 'Sun.'));
    const turn = ['user: Where?', '{} = SUN', 'assistant: Sun.'];
    expect(read([], [asks, trace(asked([where], ask), answers)])).toEqual([
      ['user: Where?', '{} = null'],
      turn,
    ]);
    expect(read([], [asks, trace(answers)])[0]).toEqual(turn.slice(0, 2));
  });

  it('that two spans tell were run once', () => {
    const calls = [asked([where], message('assistant', call('c1', '{}')))];
    const runs = () => ran('c1', '{}', 'Bern');
    expect(read([], [trace(...calls, runs(), runs())])).toEqual([['user: Where?', '{} = Bern']]);
    expect(read([], [trace(...calls, runs(), ran('c1', '{}', 'Rome'))])[0]).toHaveLength(3);
  });

  it('are found once in each trace', () => {
    const traces = [0, 1, 2, 3].map(() => trace(asked([where], message('assistant', call('c1', '{}')))));
    vi.mocked(callIdsOf).mockClear();
    buildTurns(traces.slice(0, 1), traces.slice(1, 3), traces[3]);
    expect(callIdsOf).toHaveBeenCalledTimes(4);
  });
});

describe('what is said again', () => {
  it('is told once when only the instructions are new', () => {
    const [hi, hello] = [said('user', 'hi'), said('assistant', 'Hello')];
    const nice = said('system', 'Be nice');
    expect(read([], [trace(asked([hi], hello), asked([nice, hi], hello))])).toEqual([
      ['user: hi', 'assistant: Hello', 'system: Be nice'],
    ]);
  });

  it('is told once when a graph gives its whole state back', () => {
    const [hi, hello] = [said('user', 'hi'), said('assistant', 'Hello')];
    const node = (input: Message[], ...answer: Message[]) =>
      trace(speaker({ input, output: [...input, ...answer] }, { operation: 'invoke_agent' }));
    const yes = [hi, hello, said('user', 'again'), hello];
    expect(read([], [node([hi], hello), node(yes.slice(0, 3), hello), node([...yes, hi], hello)])).toEqual([
      ['user: hi', 'assistant: Hello'],
      ['user: again', 'assistant: Hello'],
      ['user: hi', 'assistant: Hello'],
    ]);
  });

  it('is told again when it was asked again', () => {
    const [next, ok] = [said('user', 'next'), said('assistant', 'Ok.')];
    expect(read([], [trace(asked([next], ok), asked([next, ok, next], ok))])).toEqual([
      ['user: next', 'assistant: Ok.', 'user: next', 'assistant: Ok.'],
    ]);
    const yes = said('assistant', 'yes');
    expect(read([], [trace(asked([said('user', 'a?')], yes), asked([said('user', 'b?')], yes))])).toEqual([
      ['user: a?', 'assistant: yes', 'user: b?', 'assistant: yes'],
    ]);
  });

  it('is told once though the client drops the thinking when it sends the history', () => {
    const [ask, next] = [said('user', 'a?'), said('user', 'b?')];
    const answer = message('assistant', { type: 'reasoning', text: 'hmm' }, { type: 'text', text: 'yes' });
    const later = asked([ask, said('assistant', 'yes'), next], said('assistant', 'no'));
    const turns = read([], [trace(asked([ask], answer)), trace(later)]);
    expect(turns[1]).toEqual(['user: b?', 'assistant: no']);
  });

  it('is told once when two instrumentations tell the same call', () => {
    const twice = [
      asked([said('user', 'a?')], said('assistant', 'yes')),
      asked([said('user', 'a?')], said('assistant', 'yes')),
    ];
    expect(read([], [trace(...twice)])).toEqual([['user: a?', 'assistant: yes']]);
  });

  it('is told once when nobody answered it, and again when it is the question', () => {
    const [lost, next] = [said('user', 'lost'), said('user', 'next')];
    const failing = { ...asked([lost]), failed: true };
    expect(read([], [trace(failing), trace(asked([lost, next], said('assistant', 'Here.')))])).toEqual([
      ['user: lost', 'failed'],
      ['user: next', 'assistant: Here.'],
    ]);
    expect(
      read([], [trace(asked([next], said('assistant', 'a'))), trace(asked([next], said('assistant', 'b')))]),
    ).toEqual([
      ['user: next', 'assistant: a'],
      ['user: next', 'assistant: b'],
    ]);
  });
});

it('shows pictures as far as a page has room, and says of others where they are', () => {
  const picture = (characters: number): MessagePart => ({
    type: 'media',
    modality: 'image',
    mimeType: 'image/png',
    uri: 'x'.repeat(characters),
  });
  const sizes = [400_000, 2_000_000, 900_000, 900_000, 900_000, 900_000, 900_000, 100];
  const [turn] = buildTurns([], [trace(asked([message('user', ...sizes.map(picture))]))]);
  const entry = turn?.entries[0];
  const kept =
    entry?.kind === 'message' ? entry.message.parts.map((part) => part.type === 'media' && part.uri) : [];
  expect(kept.map((uri) => (uri === '[the span has all of it]' ? 0 : uri && uri.length))).toEqual([
    400_000, 0, 900_000, 900_000, 900_000, 900_000, 0, 100,
  ]);
});

it('gives no room to pictures that are left out, and counts small ones', () => {
  const picture = (characters: number): MessagePart => ({
    type: 'media',
    modality: 'image',
    mimeType: 'image/png',
    uri: 'data:'.padEnd(characters, 'x'),
  });
  const few = Array.from({ length: 300 }, (_, at) => message('user', picture(1_000 + at)));
  const many = trace(
    asked([...few, ...Array.from({ length: 5 }, () => message('user', picture(1_000_000)))]),
  );
  const small = Array.from({ length: 400 }, () => picture(10_000));
  const turns = buildTurns([], [many, trace(asked([message('user', ...small)]))]);
  const kept = turns.map(({ entries }) =>
    entries
      .flatMap((entry) => (entry.kind === 'message' ? entry.message.parts : []))
      .filter((part) => part.type === 'media' && part.uri.startsWith('data:')),
  );
  // 4 MiB less 300 pictures of about 1,150 characters.
  expect(kept.map((parts) => parts.length)).toEqual([300, 384]);
});
