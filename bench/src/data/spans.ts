import { BenchRandom } from '../lib/random.ts';
import type { Batch } from './batch.ts';
import { ProtoWriter } from './protobuf.ts';
import { prose, systemPrompts } from './texts.ts';

export const SPANS_PER_TRACE = 10;

/** Where the values of one span lie in a body. */
interface SpanHoles {
  /** 16 bytes trace id, 8 bytes span id, 8 bytes parent (-1: root). */
  readonly trace: number;
  readonly span: number;
  readonly parent: number;
  readonly start: number;
  readonly end: number;
  /** Nanoseconds after the beginning of the batch. */
  readonly startOffset: number;
  readonly duration: number;
  /** Eight digits inside the user's message, or -1. */
  readonly caseNumber: number;
}

/**
 * An OTLP protobuf export request of whole traces that is written once and made unique in place before each sending:
 * fresh random ids, current times, fresh case numbers in the messages. That costs a fraction of building it anew, so
 * the client leaves the processors to the platform.
 */
export class PreparedBatch implements Batch {
  readonly body: Buffer;
  readonly items: number;
  readonly #holes: readonly SpanHoles[];

  constructor(body: Buffer, holes: readonly SpanHoles[]) {
    this.body = body;
    this.items = holes.length;
    this.#holes = holes;
  }

  /** Makes the batch unique; `beginNanos` is the time of its first span. Returns the first trace id in hex. */
  renew(random: BenchRandom, beginNanos: bigint): string {
    const { body } = this;
    const low = Number(beginNanos & 0xffff_ffffn);
    const high = Number(beginNanos >> 32n);
    const put = (at: number, offset: number) => {
      const sum = low + offset;
      const carry = Math.floor(sum / 4_294_967_296);
      body.writeUInt32LE(sum - carry * 4_294_967_296, at);
      body.writeUInt32LE(high + carry, at + 4);
    };
    let first: SpanHoles | undefined;
    let caseOfTrace = 0;
    for (let index = 0; index < this.#holes.length; index++) {
      const holes = this.#holes[index];
      if (holes === undefined) break;
      if (first === undefined || index % SPANS_PER_TRACE === 0) {
        first = holes;
        caseOfTrace = random.word();
        for (let word = 0; word < 4; word++) body.writeUInt32LE(random.word(), holes.trace + word * 4);
      } else body.copy(body, holes.trace, first.trace, first.trace + 16);
      body.writeUInt32LE(random.word(), holes.span);
      body.writeUInt32LE(random.word(), holes.span + 4);
      put(holes.start, holes.startOffset);
      put(holes.end, holes.startOffset + holes.duration);
      if (holes.caseNumber >= 0) {
        let digits = caseOfTrace;
        for (let digit = 0; digit < 8; digit++) {
          body[holes.caseNumber + digit] = 48 + (digits % 10);
          digits = Math.floor(digits / 10);
        }
      }
    }
    // Parents last: their spans have their ids by now.
    for (let index = 0; index < this.#holes.length; index++) {
      const holes = this.#holes[index];
      if (holes === undefined || holes.parent < 0) continue;
      const parent = this.#holes[index - (index % SPANS_PER_TRACE) + (PARENT[index % SPANS_PER_TRACE] ?? 0)];
      if (parent) body.copy(body, holes.parent, parent.span, parent.span + 8);
    }
    const at = this.#holes[0]?.trace ?? 0;
    return body.toString('hex', at, at + 16);
  }
}

/** Parent of each span of a trace, by position: a request with an agent below it that asks models and databases. */
const PARENT = [-1, 0, 1, 1, 0, 4, 4, 4, 0, 8] as const;
/** What each position is: 40 % are model calls. */
const ROLE = ['server', 'model', 'db', 'http', 'model', 'db', 'model', 'http', 'model', 'db'] as const;
const KIND = { server: 2, model: 3, db: 3, http: 3 } as const;

const MODELS = [
  ['openai', 'gpt-4o-mini', 'gpt-4o-mini-2024-07-18'],
  ['openai', 'gpt-5', 'gpt-5-2025-08-07'],
  ['anthropic', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
  ['gcp.gemini', 'gemini-2.5-flash', 'gemini-2.5-flash'],
] as const;
const ROUTES = ['/api/chat', '/api/cases/{id}', '/api/search', '/api/documents', '/api/feedback'] as const;
const TABLES = ['cases', 'documents', 'messages', 'customers', 'embeddings'] as const;
const AGENTS = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'okhttp/5.3.0',
] as const;

type Attribute = readonly [key: string, value: string | number];

function writeAttribute(writer: ProtoWriter, field: number, [key, value]: Attribute): number {
  const pair = new ProtoWriter();
  pair.text(1, key);
  const any = new ProtoWriter();
  let textAt = -1;
  if (typeof value === 'string') textAt = any.text(1, value);
  else any.number(3, value);
  const anyAt = pair.message(2, any);
  const pairAt = writer.message(field, pair);
  return textAt < 0 ? -1 : pairAt + anyAt + textAt;
}

/** An attribute that one span of a thousand has, in the place of another. */
export const RARE_KEY = 'db.response.status_code';
const RARE_EVERY = 1_000;
const RARE_PLACE = 2;

const CASE = 'case 00000000';

const questionOf = (random: BenchRandom): string => `About ${CASE}: ${prose(random, 210)}`;

/**
 * `conversation`: the model calls of a trace work on one question of a user, as agents and pipelines do, and answer
 * differently. `unrelated`: no two calls share a question, the hardest case for compression.
 */
export type Texts = 'conversation' | 'unrelated';

/** What the model calls of a trace have in common. */
interface Told {
  readonly session: string;
  readonly user: string;
  readonly question: string;
}

/** Of each of whom there are several sessions. */
const USERS = 2_000;

function attributesOf(
  role: (typeof ROLE)[number],
  random: BenchRandom,
  prompts: readonly string[],
  trace: Told,
): Attribute[] {
  switch (role) {
    case 'server':
    case 'http':
      return [
        ['http.request.method', random.pick(['GET', 'POST', 'POST'])],
        ['http.route', random.pick(ROUTES)],
        ['url.path', `/api/cases/${random.below(5_000)}`],
        ['url.scheme', 'https'],
        ['http.response.status_code', random.below(50) === 0 ? 500 : 200],
        ['server.address', `svc-${random.below(12)}.apps.internal`],
        ['server.port', 8443],
        ['network.protocol.version', '1.1'],
        ['user_agent.original', random.pick(AGENTS)],
        ['client.address', `10.2.${random.below(256)}.${random.below(256)}`],
        ['thread.id', random.below(64)],
      ];
    case 'db':
      return [
        ['db.system.name', 'postgresql'],
        ['db.namespace', 'support'],
        ['db.collection.name', random.pick(TABLES)],
        ['db.operation.name', 'SELECT'],
        [
          'db.query.text',
          `SELECT id, title, body FROM ${random.pick(TABLES)} WHERE tenant = $1 AND updated_at > $2 LIMIT 50`,
        ],
        ['db.query.summary', `SELECT ${random.pick(TABLES)}`],
        ['server.address', 'postgres.data.internal'],
        ['server.port', 5432],
        ['network.peer.address', `10.3.0.${random.below(8)}`],
        ['network.peer.port', 5432],
        ['db.response.returned_rows', random.below(50)],
      ];
    case 'model': {
      const [provider, model, answering] = random.pick(MODELS);
      const message = (name: string, text: string, more: object = {}) => ({
        role: name,
        parts: [{ type: 'text', content: text }],
        ...more,
      });
      const input = JSON.stringify([
        message('system', random.pick(prompts)),
        message('user', trace.question),
      ]);
      const output = JSON.stringify([message('assistant', prose(random, 180), { finish_reason: 'stop' })]);
      return [
        ['gen_ai.operation.name', 'chat'],
        ['gen_ai.provider.name', provider],
        ['gen_ai.request.model', model],
        ['gen_ai.response.model', answering],
        ['gen_ai.response.id', `chatcmpl-${random.hex(16)}`],
        ['gen_ai.conversation.id', trace.session],
        ['gen_ai.usage.input_tokens', 150 + random.below(900)],
        ['gen_ai.usage.output_tokens', 20 + random.below(300)],
        ['user.id', trace.user],
        ['gen_ai.input.messages', input],
        ['gen_ai.output.messages', output],
      ];
    }
  }
}

const NAMES = {
  server: (random: BenchRandom) => `POST ${random.pick(ROUTES)}`,
  http: () => 'POST',
  db: (random: BenchRandom) => `SELECT ${random.pick(TABLES)}`,
  model: (random: BenchRandom) => `chat ${random.pick(MODELS)[1]}`,
} as const;

/**
 * Batch number `index` of the bench: 11 attributes a span, 4 resource attributes, ten spans a trace, four of them
 * model calls with about 1 kB of messages.
 */
export function prepareBatch(index: number, spans = 1_000, texts: Texts = 'conversation'): PreparedBatch {
  const random = new BenchRandom(index + 1);
  const prompts = systemPrompts(new BenchRandom(77), 12);
  const holes: SpanHoles[] = [];
  const scopeSpans = new ProtoWriter();
  const scope = new ProtoWriter();
  scope.text(1, 'bench');
  scope.text(2, '1.0.0');
  scopeSpans.message(1, scope);
  let told: Told = { session: '', user: '', question: '' };
  for (let number = 0; number < spans; number++) {
    const place = number % SPANS_PER_TRACE;
    if (place === 0) {
      const question = texts === 'conversation' ? questionOf(random) : '';
      told = {
        session: `session-${random.hex(12)}`,
        user: `user-${random.below(USERS)}`,
        question,
      };
    }
    const role = ROLE[place] ?? 'db';
    const span = new ProtoWriter();
    const startOffset = Math.floor((number / spans) * 12_000_000) + place * 40_000;
    const duration = (role === 'model' ? 400_000_000 : 2_000_000) + random.below(600_000_000);
    const trace = span.hole(1, 16);
    const id = span.hole(2, 8);
    const parent = place === 0 ? -1 : span.hole(4, 8);
    span.text(5, NAMES[role](random));
    span.number(6, KIND[role]);
    const start = span.fixed64Hole(7);
    const end = span.fixed64Hole(8);
    let caseNumber = -1;
    for (const attribute of attributesOf(role, random, prompts, {
      ...told,
      question: told.question === '' && role === 'model' ? questionOf(random) : told.question,
    })) {
      const isRare = number % RARE_EVERY === RARE_PLACE && attribute[0] === 'db.response.returned_rows';
      const at = writeAttribute(span, 9, isRare ? [RARE_KEY, attribute[1]] : attribute);
      const inside =
        attribute[0] === 'gen_ai.input.messages' ? Buffer.from(String(attribute[1])).indexOf(CASE) : -1;
      if (inside >= 0) caseNumber = at + inside + CASE.length - 8;
    }
    const status = new ProtoWriter();
    if (random.below(50) === 0) {
      status.text(2, 'upstream answered 500');
      status.number(3, 2);
    }
    span.message(15, status);
    const base = scopeSpans.message(2, span);
    holes.push({
      trace: base + trace,
      span: base + id,
      parent: parent < 0 ? -1 : base + parent,
      start: base + start,
      end: base + end,
      startOffset,
      duration,
      caseNumber: caseNumber < 0 ? -1 : base + caseNumber,
    });
  }
  const resource = new ProtoWriter();
  for (const attribute of [
    ['service.name', `service-${index % 12}`],
    ['service.version', `1.${index % 4}.0`],
    ['deployment.environment.name', 'production'],
    ['host.name', `host-${index % 40}`],
  ] as const) {
    writeAttribute(resource, 1, attribute);
  }
  const resourceSpans = new ProtoWriter();
  resourceSpans.message(1, resource);
  const scopeAt = resourceSpans.message(2, scopeSpans);
  const request = new ProtoWriter();
  const resourceAt = request.message(1, resourceSpans);
  const shift = resourceAt + scopeAt;
  const moved = holes.map((hole) => ({
    ...hole,
    trace: hole.trace + shift,
    span: hole.span + shift,
    parent: hole.parent < 0 ? -1 : hole.parent + shift,
    start: hole.start + shift,
    end: hole.end + shift,
    caseNumber: hole.caseNumber < 0 ? -1 : hole.caseNumber + shift,
  }));
  return new PreparedBatch(request.finish(), moved);
}
