import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFilterOrFail } from '@candela/contract';
import { isUnspaced, wordsOf } from '@candela/contract';
import type { Span } from '@candela/otlp';
import { type AttributeValue, type Message, readConversation } from '@candela/semconv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createActivityQueries } from '../activity/index.ts';
import { BASE_MS, contextOf, id, LIMITS, openQueryBench, type QueryBench, span } from '../core/testing.ts';
import { roleTexts, SPEAKERS, type SpokenRole } from './role-texts.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from './stored-span.ts';

/** Spans that real SDKs sent, recorded for the conventions. */
const RECORDED = join(import.meta.dirname, '../../../../semconv/src/conventions/fixtures');

type Value = string | number | boolean | null | Value[] | { $map: [string, Value][] };
interface Recorded {
  readonly name: string;
  readonly scope: string;
  readonly attributes: Record<string, Value>;
}

const valueOf = (value: Value): AttributeValue =>
  Array.isArray(value)
    ? value.map(valueOf)
    : typeof value === 'object' && value !== null
      ? new Map(value.$map.map(([key, one]) => [key, valueOf(one)]))
      : value;

interface OtlpSpan {
  readonly name: string;
  readonly attributes?: readonly {
    key: string;
    value: { stringValue?: string; intValue?: string; doubleValue?: number };
  }[];
}

/** Spans of an OTLP/JSON body. */
function caseSpans(file: string): { name: string; scope: string; attributes: Map<string, AttributeValue> }[] {
  const body = JSON.parse(readFileSync(join(RECORDED, 'cases', file), 'utf8')) as {
    resourceSpans: { scopeSpans: { scope?: { name?: string }; spans: OtlpSpan[] }[] }[];
  };
  return body.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ name, attributes = [] }) => ({
        name,
        scope: scope?.name ?? '',
        attributes: new Map(
          attributes.map(({ key, value }) => [
            key,
            value.stringValue ?? Number(value.intValue ?? value.doubleValue),
          ]),
        ),
      })),
    ),
  );
}

const chat = { 'gen_ai.operation.name': 'chat' };
/** Messages as frameworks and vendors write them. */
const SHAPES: readonly Record<string, unknown>[] = [
  {
    ...chat,
    'gen_ai.system_instructions': [{ type: 'text', content: 'answer politely' }],
    'gen_ai.input.messages': [
      { role: 'user', parts: [{ type: 'text', content: 'where is my parcel' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: '1', name: 'track', arguments: { parcel: 'forty' } }],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: '1', response: { state: 'delayed somewhere' } }],
      },
    ],
    'gen_ai.output.messages': [
      { role: 'assistant', parts: [{ type: 'text', content: 'sorry about that' }], finish_reason: 'stop' },
    ],
  },
  {
    ...chat,
    'input.value': {
      system: 'speak german',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'first question' },
            { type: 'tool_result', tool_use_id: 'x', content: 'sunny weather' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'x', name: 'weather', input: { city: 'Paris' } }],
        },
      ],
    },
    'output.value': { role: 'assistant', content: [{ type: 'text', text: 'schoenes wetter' }] },
    'openinference.span.kind': 'LLM',
  },
  {
    ...chat,
    'openinference.span.kind': 'LLM',
    'input.value': {
      contents: [
        { role: 'user', parts: [{ text: 'gemini question' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: { up: 'thing' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'look', response: { result: 'found nothing' } } }],
        },
      ],
      config: { system_instruction: 'gemini rules' },
    },
    'output.value': { candidates: [{ content: { role: 'model', parts: [{ text: 'gemini answer' }] } }] },
  },
  {
    ...chat,
    'langfuse.observation.type': 'generation',
    'langfuse.observation.input': [
      [
        {
          lc: 1,
          type: 'constructor',
          id: ['langchain', 'schema', 'SystemMessage'],
          kwargs: { content: 'chain rules' },
        },
        {
          lc: 1,
          type: 'constructor',
          id: ['langchain', 'schema', 'HumanMessage'],
          kwargs: { content: 'chain question' },
        },
      ],
    ],
    'langfuse.observation.output': { role: 'assistant', content: 'chain answer' },
  },
  {
    'traceloop.span.kind': 'workflow',
    'traceloop.entity.input': {
      messages: [
        { type: 'human', data: { content: 'old chain' } },
        { type: 'ai', content: 'said before' },
      ],
    },
    'traceloop.entity.output': { choices: [{ message: { content: 'chosen words', role: 'assistant' } }] },
  },
  {
    'ai.operationId': 'ai.toolCall',
    'gen_ai.operation.name': 'execute_tool',
    'ai.toolCall.name': 'shop',
    'ai.toolCall.args': { wanted: 'apples' },
    'ai.toolCall.result': { price: 'cheap enough' },
  },
  { 'openinference.span.kind': 'CHAIN', 'input.value': 'plain question', 'output.value': 'plain answer' },
  {
    ...chat,
    'gen_ai.prompt.0.role': 'system',
    'gen_ai.prompt.0.content': 'flat rules',
    'gen_ai.prompt.1.role': 'user',
    'gen_ai.prompt.1.content': '[{"type":"text","text":"flat question"}]',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': 'flat answer',
    'traceloop.span.kind': 'task',
  },
  {
    'openinference.span.kind': 'LLM',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.contents.0.message_content.type': 'text',
    'llm.input_messages.0.message.contents.0.message_content.text': 'numbered question',
    'llm.input_messages.1.message.role': 'tool',
    'llm.input_messages.1.message.content': 'numbered result',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'numbered answer',
  },
  {
    'openinference.span.kind': 'TOOL',
    'input.value': 'given words',
    'output.value': 'returned words',
    'tool.name': 'echo',
  },
];

type Row = StoredSpan & Record<'SpanId' | SpokenRole, string> & { readonly Texts: readonly string[][] };

/** Texts of a conversation by who said them. */
function saidBy(row: Row): Map<string, string[]> {
  const { input, output, toolExecution } = readConversation(spanReader(row));
  const texts = new Map<string, string[]>();
  const say = (role: string, text: string) => texts.set(role, [...(texts.get(role) ?? []), text]);
  const read = (message: Message) => {
    for (const part of message.parts) {
      if (part.type === 'text') say(message.role, part.text);
      if (part.type === 'tool_result') say('tool', part.result);
    }
  };
  [...input, ...output].forEach(read);
  if (toolExecution?.result !== undefined && toolExecution.result !== null) say('tool', toolExecution.result);
  return texts;
}

const words = (text: string) => wordsOf(text).filter((word) => !isUnspaced(word) && /^[a-z]{3,}$/.test(word));

describe('texts by speaker', () => {
  let bench: QueryBench;
  let rows: Row[];
  const clients = new Map<string, string>();
  const byScope = new Map<string, Span[]>();
  beforeAll(async () => {
    bench = await openQueryBench();
    let own = 0;
    const put = (client: string, scope: string, name: string, attributes: Map<string, AttributeValue>) => {
      own += 1;
      clients.set(id(own, 16), `${client} ${name}`);
      const group = byScope.get(scope) ?? [];
      group.push(span(own, own, own, { name, attributes }));
      byScope.set(scope, group);
    };
    for (const client of readdirSync(RECORDED)) {
      if (client === 'cases' || client.endsWith('.ts')) continue;
      const spans = JSON.parse(readFileSync(join(RECORDED, client, 'spans.json'), 'utf8')) as Recorded[];
      for (const { name, scope, attributes } of spans)
        put(
          client,
          scope,
          name,
          new Map(Object.entries(attributes).map(([key, value]) => [key, valueOf(value)])),
        );
    }
    for (const file of readdirSync(join(RECORDED, 'cases')))
      for (const { name, scope, attributes } of caseSpans(file))
        put(`cases/${file}`, scope, name, attributes);
    SHAPES.forEach((shape, index) =>
      put(
        `shape ${index}`,
        'test',
        'chat',
        new Map(
          Object.entries(shape).map(([key, value]) => [
            key,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        ),
      ),
    );
    for (const [scope, spans] of byScope) await bench.put(spans, { scope: { name: scope, version: '1' } });
    rows = await bench.store.select<Row>(
      `SELECT SpanId, ${READER_COLUMNS}, ${CONTENT_COLUMNS}, [${SPEAKERS.map((role) => roleTexts(role)).join(', ')}] AS Texts
       FROM otel_traces WHERE ProjectId = 'default' ORDER BY SpanId`,
      {},
    );
  }, 60_000);
  afterAll(() => bench.close());

  it('are those of the messages that the conventions read', () => {
    const missed: string[] = [];
    const wrong: string[] = [];
    let seen = 0;
    for (const row of rows) {
      const said = saidBy(row);
      SPEAKERS.forEach((role, index) => {
        const found = new Set((row.Texts[index] ?? []).flatMap(words));
        const own = new Set((said.get(role) ?? []).flatMap(words));
        seen += own.size;
        const lacks = [...own].filter((word) => !found.has(word));
        const who = `${clients.get(row.SpanId)} ${role}`;
        if (lacks.length > 0) missed.push(`${who}: ${lacks.join(' ').slice(0, 80)}`);
        const others = SPEAKERS.filter((other) => other !== role).flatMap((other) =>
          (said.get(other) ?? []).flatMap(words),
        );
        const extra = [...new Set(others)].filter((word) => found.has(word) && !own.has(word));
        if (extra.length > 0) wrong.push(`${who}: ${extra.join(' ').slice(0, 80)}`);
      });
    }
    expect(seen).toBeGreaterThan(150);
    expect(wrong).toEqual([]);
    // The output of a hosted tool is a list of its own kind: its texts are found, the names of its members are not.
    expect(missed).toEqual(['cases/responses-built-in-tools.json chat tool: type logs']);
  });

  it.each([
    ['user_said:"parcel where"', 1],
    ['user_said:sorry', 0],
    ['user_said:role', 0],
    ['user_said:*parc*', 1],
    ['user_said:/where is my p.rcel/', 1],
    ['assistant_said:sorry', 1],
    ['assistant_said:forty', 0],
    ['system_prompt:politely', 1],
    ['system_prompt:rules', 3],
    ['user_said:rules', 0],
    ['tool_result:delayed', 1],
    ['tool_result:"sunny weather"', 1],
    ['user_said:"sunny weather"', 0],
    ['tool_result:returned', 1],
    ['user_said:question -user_said:gemini tool_result:*', 2],
  ])('%s finds %i of the shapes', async (q, count) => {
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60_000) * 1_000_000n };
    const { data } = await bench.queries.searchSpans(contextOf(), {
      window,
      filter: parseFilterOrFail(`name:chat (${q})`, 'spans'),
      sort: '-start',
      limit: 100,
      cursor: undefined,
    });
    expect(data.filter(({ spanId }) => clients.get(spanId)?.startsWith('shape'))).toHaveLength(count);
  });

  it('stand in events of spans and in log records as well, with the text around, of the own tenant', async () => {
    const chatOf = (own: number, events: { name: string; attributes: Record<string, string> }[] = []) =>
      span(8_000 + own, 8_000 + own, 30_000 + own, {
        name: 'told',
        attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' },
        events: events.map((event) => ({ ...event, timeUnixNano: BigInt(BASE_MS + 30_001) * 1_000_000n })),
      });
    const json = JSON.stringify;
    const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
    const details = (word: string) => ({
      'gen_ai.system_instructions': json([{ type: 'text', content: `be ${word}kind` }]),
      'gen_ai.input.messages': json([text('user', `where is the ${word}lamp`)]),
      'gen_ai.output.messages': json([text('assistant', `on the ${word}shelf`)]),
    });
    await bench.put([
      chatOf(1, [
        { name: 'gen_ai.system.message', attributes: { content: 'be firstkind' } },
        {
          name: 'gen_ai.user.message',
          attributes: { 'gen_ai.event.content': json({ role: 'user', content: 'where is the firstlamp' }) },
        },
        { name: 'gen_ai.tool.message', attributes: { content: 'firstfound', id: 'c1' } },
        {
          name: 'gen_ai.choice',
          attributes: {
            message: json({ role: 'assistant', content: 'on the firstshelf' }),
            finish_reason: 'stop',
          },
        },
        { name: 'gen_ai.evaluation.result', attributes: { 'gen_ai.evaluation.explanation': 'firstjudged' } },
      ]),
      chatOf(2, [{ name: 'gen_ai.client.inference.operation.details', attributes: details('second') }]),
      chatOf(3, [
        { name: 'gen_ai.content.prompt', attributes: { 'gen_ai.prompt': 'where is the thirdlamp' } },
        { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': 'on the thirdshelf' } },
      ]),
      chatOf(4),
      chatOf(5),
      chatOf(6),
    ]);
    const log = (
      own: number,
      eventName: string,
      more: { body?: AttributeValue; attributes?: Record<string, string> },
    ) => ({
      timeUnixNano: BigInt(BASE_MS + 30_002) * 1_000_000n,
      traceId: id(8_000 + own, 32),
      spanId: id(8_000 + own, 16),
      eventName,
      ...more,
    });
    const body = (value: Record<string, string>) => new Map(Object.entries(value));
    const records = [
      log(4, 'gen_ai.system.message', { body: body({ content: 'be fourthkind' }) }),
      log(4, 'gen_ai.user.message', { body: body({ content: 'where is the fourthlamp' }) }),
      log(4, 'gen_ai.tool.message', { body: body({ content: 'fourthfound', id: 'c1' }) }),
      log(4, 'gen_ai.choice', {
        body: new Map<string, AttributeValue>([
          ['finish_reason', 'stop'],
          ['index', 0],
          ['message', body({ role: 'assistant', content: 'on the fourthshelf' })],
        ]),
      }),
      log(5, 'gen_ai.client.inference.operation.details', { attributes: details('fifth') }),
      log(6, 'gen_ai.client.inference.operation.details', { body: body(details('sixth')) }),
    ];
    await bench.putLogs(records);
    // Of another project, with the same ids.
    await bench.putLogs([log(4, 'gen_ai.user.message', { body: body({ content: 'foreignlamp' }) })], {
      project: 'other',
    });
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60_000) * 1_000_000n };
    const context = { ...contextOf(), window };
    const found = async (q: string) => {
      const { data } = await bench.queries.searchSpans(context, {
        window,
        filter: parseFilterOrFail(`name:told ${q}`, 'spans'),
        sort: 'start',
        limit: 100,
        cursor: undefined,
      });
      return data.map(({ spanId }) => Number.parseInt(spanId, 16) - 8_000);
    };
    const words = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
    for (const [at, word] of words.entries()) {
      const own = [at + 1];
      expect([word, await found(`user_said:${word}lamp`)]).toEqual([word, own]);
      expect([word, await found(`assistant_said:"shelf ${word}shelf"`)]).toEqual([word, []]);
      expect([word, await found(`assistant_said:"on ${word}shelf"`)]).toEqual([word, own]);
      expect([word, await found(`user_said:*${word}sh*`)]).toEqual([word, []]);
      if (word !== 'third') expect([word, await found(`system_prompt:${word}kind`)]).toEqual([word, own]);
    }
    expect(await found('tool_result:firstfound or tool_result:*thfound*')).toEqual([1, 4]);
    expect(await found('user_said:/the [a-z]+thlamp/')).toEqual([4, 5, 6]);
    expect(await found('-user_said:*lamp*')).toEqual([]);
    expect(await found('user_said:foreignlamp')).toEqual([]);
    expect(await found('user_said:firstjudged')).toEqual([]);
    expect(await found('user_said:*')).toEqual([1, 2, 3]);
    const ids = words.map((_, at) => id(8_001 + at, 32));
    const hits = await bench.queries.said(context, {
      window,
      filter: parseFilterOrFail('user_said:*lamp* or tool_result:*found*', 'spans') ?? { and: [] },
      of: 'traces',
      ids,
      each: 5,
    });
    expect(
      hits.map(({ role, before, match, after }) => `${role}: ${before}[${match}]${after}`).sort(),
    ).toEqual([
      'tool: first[found]',
      'tool: fourth[found]',
      'user: where is the fifth[lamp]',
      'user: where is the first[lamp]',
      'user: where is the fourth[lamp]',
      'user: where is the second[lamp]',
      'user: where is the sixth[lamp]',
      'user: where is the third[lamp]',
    ]);
  });

  it('are shown with the text around, of each row the first, of repeated history once', async () => {
    const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
    const call = (own: number, atMs: number, input: unknown[], output: string) =>
      span(9_000 + (own > 2 ? 1 : 0), 9_000 + own, atMs, {
        attributes: {
          'gen_ai.operation.name': 'chat',
          'session.id': 'talk',
          'gen_ai.input.messages': JSON.stringify(input),
          'gen_ai.output.messages': JSON.stringify([said('assistant', output)]),
        },
      });
    const asked = said('user', `${'well '.repeat(40)}I want my <b>Lanterns</b> back, all of them`);
    await bench.put([
      call(1, 50_000, [asked], 'which lanterns'),
      call(2, 50_001, [asked, said('assistant', 'which lanterns'), said('user', 'the blue ones')], 'gone'),
      call(3, 51_000, [asked, said('user', 'lanterns again')], 'no'),
    ]);
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 60_000) * 1_000_000n };
    const filter = (q: string) => parseFilterOrFail(q, 'spans') ?? { and: [] };
    const ids = [id(9_000, 32), id(9_001, 32)];
    const hits = await bench.queries.said(contextOf(), {
      window,
      filter: filter('user_said:lanterns -status:error'),
      of: 'traces',
      ids,
      each: 1,
    });
    expect(hits.map(({ id: trace, role, match }) => [trace, role, match])).toEqual([
      [ids[0], 'user', 'Lanterns'],
      [ids[1], 'user', 'Lanterns'],
    ]);
    expect(hits[0]?.before).toMatch(/^….{40,}I want my <b>$/);
    expect(hits[0]?.after).toBe('</b> back, all of them');
    const found = await createActivityQueries(bench.store, LIMITS).sessionHits(contextOf(), {
      sessionId: 'talk',
      window,
      filter: filter('lanterns'),
    });
    expect(found.hits.map(({ spanId, role, match }) => [Number.parseInt(spanId, 16), role, match])).toEqual([
      [9_001, 'user', 'Lanterns'],
      [9_001, 'assistant', 'lanterns'],
      [9_003, 'user', 'lanterns'],
    ]);
    const elsewhere = { window, filter: filter('lanterns'), of: 'traces', ids, each: 1 } as const;
    expect(await bench.queries.said(contextOf('other'), elsewhere)).toEqual([]);
    expect(await bench.queries.said(contextOf(), { ...elsewhere, filter: filter('-lanterns') })).toEqual([]);
  });
});
