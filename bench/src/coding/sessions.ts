import { encodeTraceRequest, type Span } from '@candela/otlp';
import { BenchRandom } from '../lib/random.ts';

/** Spans that a session has. */
export const SPANS_PER_SESSION = 12;
const USERS = 2_000;
const REPOSITORIES = 200;
const AGENTS = ['claude-code', 'codex', 'opencode'] as const;
const MODELS = ['claude-opus-4-5', 'claude-sonnet-4-5', 'gpt-5'] as const;

/** The id of a session by its number. */
export const sessionId = (number: number): string =>
  `0198b2c4-${(number >>> 16).toString(16).padStart(4, '0')}-7${(number & 0xfff).toString(16).padStart(3, '0')}-8000-${number.toString(16).padStart(12, '0')}`;

/** A request with the spans that hooks make of these sessions, which begin at `startMs` of their number. */
export function requestOf(numbers: readonly number[], startMs: (number: number) => number): Uint8Array {
  const resourceSpans = numbers.map((number) => {
    const random = new BenchRandom(number + 1);
    const agent = AGENTS[number % AGENTS.length] ?? 'codex';
    return {
      resource: {
        attributes: {
          'service.name': agent,
          'coding_agent.session.id': sessionId(number),
          'coding_agent.content_capture_mode': 'metadata_only',
          'gen_ai.request.user': `user-${random.below(USERS)}@example.com`,
          'vcs.repository.url.full': `https://github.com/acme/service-${random.below(REPOSITORIES)}`,
          'vcs.ref.head.name': `branch-${random.below(50)}`,
          'code.cwd': `/home/user/work/service`,
        },
      },
      scopeSpans: [{ scope: { name: 'candela' }, spans: spansOf(number, startMs(number), agent, random) }],
    };
  });
  return encodeTraceRequest({ resourceSpans });
}

function spansOf(number: number, beginMs: number, agent: string, random: BenchRandom): Span[] {
  const traceId = `${random.hex(16)}${number.toString(16).padStart(16, '0')}`;
  const ids = Array.from(
    { length: SPANS_PER_SESSION },
    (_, place) => `${(number + 1).toString(16).padStart(12, '0')}${place.toString(16).padStart(4, '0')}`,
  );
  const model = MODELS[random.below(MODELS.length)] ?? MODELS[0];
  const common = { 'coding_agent.session.id': sessionId(number), 'coding_agent.client': agent };
  const span = (
    place: number,
    parent: number | undefined,
    name: string,
    attributes: Record<string, string | number> = {},
  ): Span => {
    const start = BigInt(Math.round(beginMs + (name === 'session' ? 0 : place * 20_000))) * 1_000_000n;
    const length = BigInt(name === 'session' ? 300_000 : 5_000 + random.below(10_000)) * 1_000_000n;
    return {
      traceId,
      spanId: ids[place] ?? '',
      ...(parent === undefined ? {} : { parentSpanId: ids[parent] ?? '' }),
      name: `coding_agent.${name}`,
      startTimeUnixNano: start,
      endTimeUnixNano: start + length,
      attributes: { ...common, ...attributes },
    };
  };
  const call = () => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': model.startsWith('gpt') ? 'openai' : 'anthropic',
    'gen_ai.request.model': model,
    'gen_ai.usage.input_tokens': 5_000 + random.below(50_000),
    'gen_ai.usage.cache_read.input_tokens': 4_000,
    'gen_ai.usage.output_tokens': 100 + random.below(900),
  });
  const tool = (name: string) => ({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name });
  const edit = () => ({
    'coding_agent.edit.decision': random.below(10) === 0 ? 'reject' : 'auto_accepted',
    'coding_agent.edit.lines.added': random.below(40),
    'coding_agent.edit.lines.removed': random.below(20),
  });
  return [
    span(0, undefined, 'session', { 'coding_agent.session.outcome': 'committed' }),
    span(1, 0, 'turn'),
    span(2, 1, 'llm.turn', call()),
    span(3, 1, 'tool.call', tool('Read')),
    span(4, 1, 'llm.turn', call()),
    span(5, 1, 'tool.call', tool('Edit')),
    span(6, 5, 'edit.decision', edit()),
    span(7, 0, 'turn'),
    span(8, 7, 'llm.turn', call()),
    span(9, 7, 'tool.call', tool('Edit')),
    span(10, 9, 'edit.decision', edit()),
    span(11, 7, 'git.commit', { 'coding_agent.git.commit.sha': random.hex(40) }),
  ];
}
