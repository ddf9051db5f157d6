/** What every convention must hold, whatever an emitter or an attacker sends. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CONVENTIONS,
  isContentKey,
  normaliseLog,
  normaliseSpan,
  priceUsage,
  readCall,
  readConversation,
} from '../index.ts';
import type { AttributeValue, GenAiFacts, Message, SpanReader } from '../types.ts';
import { recordedSpans, spanOf } from './fixtures/load.ts';

const RECORDED = [
  'openlit',
  'openinference',
  'traceloop',
  'ai-v5',
  'ai-v7',
  'langfuse',
  'langsmith',
  'anthropic-sdk',
  'otel-exporters',
].flatMap(recordedSpans);
/** Keys that mean something to some convention, and some that mean nothing or try to hurt. */
const KEYS = [
  ...new Set([
    ...RECORDED.flatMap((span) => [...span.attributes.keys()]),
    ...CONVENTIONS.flatMap((convention) => convention.triggers),
    'gen_ai.usage.cache.read_input_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.total_tokens',
    'ai.response.providerMetadata',
    'gen_ai.prompt.0.content',
    'gen_ai.completion.0.tool_calls.0.arguments',
    'llm.request.functions.0.name',
    'retrieval.documents.0.document.content',
    'cost_usd',
    'input_token_count',
    '__proto__',
    'constructor',
    'toString',
    'http.request.method',
  ]),
];

const hostileText = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '',
    '{',
    '[',
    '"',
    '[[[[',
    'NaN',
    '-1',
    '1e999',
    '120',
    '{"role":',
    '__proto__',
    'null',
    '{"__proto__":{"role":"x"}}',
  ),
  fc.json({ maxDepth: 4 }),
  fc
    .record({ role: fc.string(), content: fc.anything({ maxDepth: 2 }), parts: fc.anything({ maxDepth: 2 }) })
    .map((value) => safeJson([value])),
);
const scalar: fc.Arbitrary<AttributeValue> = fc.oneof(
  hostileText,
  fc.integer(),
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300, 2 ** 53),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 8 }),
);
const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 4 }),
  fc
    .array(
      fc.tuple(fc.oneof(fc.string(), fc.constantFrom('role', 'content', 'parts', '__proto__')), scalar),
      { maxLength: 4 },
    )
    .map((entries) => new Map(entries)),
);
const attributes = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string()), value), { maxLength: 30 })
  .map((entries) => new Map<string, AttributeValue>(entries));
const span: fc.Arbitrary<SpanReader> = fc.record({
  name: fc.oneof(fc.string(), fc.constantFrom('coding_agent.llm.turn', 'coding_agent.session')),
  scopeName: fc.string(),
  statusCode: fc.integer({ min: -1, max: 3 }),
  statusMessage: fc.string(),
  startTimeUnixNano: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  endTimeUnixNano: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  attributes,
  resource: attributes,
  events: fc.array(
    fc.record({
      name: fc.constantFrom(
        'exception',
        'gen_ai.choice',
        'gen_ai.user.message',
        'gen_ai.evaluation.result',
        'x',
      ),
      timeUnixNano: fc.constant(0n),
      attributes,
    }),
    { maxLength: 3 },
  ),
});

function safeJson(input: unknown): string {
  try {
    return (
      JSON.stringify(input, (_key, entry: unknown) => (typeof entry === 'bigint' ? String(entry) : entry)) ??
      ''
    );
  } catch {
    return '[';
  }
}

function expectSound(facts: GenAiFacts): void {
  const texts = Object.entries(facts).filter(([, fact]) => typeof fact === 'string');
  expect(texts.length).toBeGreaterThanOrEqual(15);
  for (const [field, text] of texts) expect(String(text).length, field).toBeLessThanOrEqual(512);
  expect(facts.convention).not.toBe('');
  for (const tokens of Object.values(facts.usage ?? {})) {
    expect(Number.isInteger(tokens)).toBe(true);
    expect(tokens).toBeGreaterThanOrEqual(0);
    expect(tokens).toBeLessThanOrEqual(0xff_ff_ff_ff);
  }
  for (const amount of [facts.emitterCostUsd, facts.timeToFirstTokenMs]) {
    if (amount === undefined) continue;
    expect(Number.isFinite(amount)).toBe(true);
    expect(amount).toBeGreaterThanOrEqual(0);
  }
  const cost = priceUsage(facts);
  if (cost !== undefined) {
    expect(Number.isFinite(cost.costUsd)).toBe(true);
    expect(cost.costUsd).toBeGreaterThanOrEqual(0);
  }
}

test('no span throws, and every fact is sound', () => {
  fc.assert(
    fc.property(span, (candidate) => {
      const facts = normaliseSpan(candidate);
      if (facts !== undefined) expectSound(facts);
    }),
    { numRuns: 2000 },
  );
});

test('no log record throws, and every fact is sound', () => {
  const log = fc.record({
    eventName: fc.oneof(
      fc.string(),
      fc.constantFrom(
        'api_request',
        'codex.sse_event',
        'gemini_cli.api_response',
        'gen_ai.evaluation.result',
        '',
      ),
    ),
    scopeName: fc.string(),
    body: fc.oneof(fc.string(), fc.constantFrom('claude_code.api_request', undefined)),
    attributes,
    resource: attributes,
  });
  fc.assert(
    fc.property(log, (candidate) => {
      const facts = normaliseLog(candidate);
      if (facts !== undefined) expectSound(facts);
    }),
    { numRuns: 1000 },
  );
});

/** Roles and parts: what a message says. */
const said = (messages: readonly Message[]) => messages.map(({ role, parts }) => ({ role, parts }));

/** A model call read from its messages alone says what it says on the whole span; undefined when it is none. */
function expectSameCall(candidate: SpanReader): string | undefined {
  const { convention, operation } = normaliseSpan(candidate) ?? { convention: '', operation: '' };
  const messages = [...candidate.attributes.keys()].filter(isContentKey);
  const call = readCall({
    convention,
    operation,
    events: candidate.events,
    attributes: new Map(messages.map((key) => [key, candidate.attributes.get(key) ?? null])),
  });
  if (call === undefined) return undefined;
  const whole = readConversation(candidate);
  expect(said(call.input)).toEqual(said(whole.input));
  expect(said(call.output)).toEqual(said(whole.output));
  return convention;
}

test('a model call says the same without its other attributes', () => {
  const conventions = new Set(RECORDED.map(expectSameCall));
  expect(conventions.size).toBeGreaterThanOrEqual(7);
  fc.assert(
    fc.property(span, (candidate) => {
      expectSameCall(candidate);
    }),
    { numRuns: 2000 },
  );
});

test('no conversation throws, and every part of one has the fields of its type', () => {
  fc.assert(
    fc.property(span, (candidate) => {
      const conversation = readConversation(candidate);
      for (const message of [...conversation.input, ...conversation.output]) {
        expect(typeof message.role).toBe('string');
        expect(message.parts.length).toBeGreaterThan(0);
        for (const part of message.parts) {
          for (const member of Object.values(part)) expect(typeof member).toBe('string');
        }
      }
      // What goes over the wire to a browser must be JSON.
      expect(() => JSON.stringify(conversation)).not.toThrow();
    }),
    { numRuns: 1500 },
  );
});

describe.each(CONVENTIONS.map((convention) => [convention.id, convention] as const))(
  '%s',
  (id, convention) => {
    test('detects only by its own keys or names: a span without any is not its', () => {
      const plain = spanOf({
        'http.request.method': 'GET',
        'server.port': 80,
        'db.system.name': 'postgresql',
      });
      expect(normaliseSpan(plain)).toBeUndefined();
    });

    test('reads its facts without an attribute being there', () => {
      const facts = convention.facts(spanOf({}));
      expect(facts.convention).toBe(id);
      expect(facts.usage).toBeUndefined();
      expect(convention.conversation(spanOf({}))).toMatchObject({
        input: [],
        output: [],
        tools: [],
        scores: [],
      });
    });

    test('numbers count the same as int, 64-bit int, double and text', () => {
      const own: Record<string, readonly [string, string]> = {
        openinference: ['llm.token_count.prompt', 'llm.token_count.completion'],
        langfuse: ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
      };
      const [input, output] = own[id] ?? ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'];
      for (const [a, b] of [
        [12, 3],
        [12n, 3n],
        ['12', '3'],
        [12.0, '3.0'],
      ] as const) {
        expect(convention.facts(spanOf({ [input]: a, [output]: b })).usage).toMatchObject({
          input: 12,
          output: 3,
        });
      }
      for (const bad of [-5, Number.NaN, 'many', '', true, null, [12], new Map([['a', 1]])]) {
        expect(convention.facts(spanOf({ [input]: bad, [output]: bad })).usage).toBeUndefined();
      }
    });

    test('an empty text is absent', () => {
      const facts = convention.facts(
        spanOf({ 'gen_ai.request.model': '', 'ai.model.id': '', 'user.id': '', 'gen_ai.response.id': '' }),
      );
      expect([facts.requestModel, facts.userId, facts.responseId]).toEqual(['', '', '']);
    });
  },
);

test('detection is by keys: the same span under any scope name gives the same row', () => {
  for (const recorded of RECORDED) {
    // A failed call of Anthropic's SDK has no other mark of its own, and a wrapper that passes its count on is told by name.
    if (/anthropic/.test(recorded.scopeName)) continue;
    expect(normaliseSpan({ ...recorded, scopeName: 'renamed' })).toEqual(normaliseSpan(recorded));
  }
});

test('content keys: texts of any size are, facts to filter by are not', () => {
  for (const key of [
    'gen_ai.input.messages',
    'llm.input_messages.0.message.content',
    'gen_ai.prompt.3.content',
    'ai.prompt',
    'langfuse.observation.output',
    'gen_ai.tool.call.result',
    'llm.tools.0.tool.json_schema',
    'traceloop.entity.input',
  ]) {
    expect(isContentKey(key), key).toBe(true);
  }
  for (const key of [
    'gen_ai.request.model',
    'gen_ai.prompt.name',
    'gen_ai.prompt.version',
    'llm.token_count.prompt',
    'session.id',
    'http.url',
    '',
    '__proto__',
    'constructor',
  ]) {
    expect(isContentKey(key), key).toBe(false);
  }
});
