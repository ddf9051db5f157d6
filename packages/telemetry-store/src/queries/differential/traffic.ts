import type { LogRecord, Metric, Span } from '@candela/otlp';
import { BASE_MS, id, type QueryBench } from '../core/testing.ts';
import type { Random } from './random.ts';

/** What a project is sent: few values, so that groups meet, and all that is awkward about texts, numbers and times. */

const MINUTE = 60_000_000_000n;
const HOUR = 60n * MINUTE;
export const BASE = BigInt(BASE_MS) * 1_000_000n;
/** The last instant that the store holds. */
export const LAST_INSTANT = 2n ** 63n - 1n;

const PLACES = [
  { service: 'shop', environment: 'production' },
  { service: 'Shop', environment: 'staging' },
  { service: 'ünï "códe" \\ 100%', environment: 'production' },
  { service: '', environment: 'staging' },
] as const;
export const ENVIRONMENTS = ['production', 'staging'] as const;

const NAMES = [
  'GET /cart',
  'get /CART/{id}',
  'chat gpt-4o',
  'ÄRGER mit straße',
  'a*b',
  'a_b%c',
  'back\\slash "quoted"',
  'not and or',
  'x',
];
const ODD = ['', '0', 'null', 'NaN', 'false', ' ', '*', '..', "it's", 'a,b(c)', '\u{1F600} ok', 'Ünïcode'];
const NUMBERS = ['5', '5.0', '05', '-3', '1e3', '.5', '0x10', 'inf', 'abc', '', '12 ', '9007199254740993'];
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4', 'GPT-4O', 'unknown model', ''];
const WORDS = [
  'refund',
  'Refund',
  'order',
  'ORDER',
  'größe',
  'no',
  'such',
  'e-mail',
  '100%',
  'x1',
  '\u{1F600}',
];

const sentence = (random: Random): string =>
  Array.from({ length: random.int(0, 6) }, () => random.pick(WORDS)).join(
    random.pick([' ', ', ', '\n', '_']),
  );

/** How records lie in time: within hours, nearly all at very few instants, or over weeks. */
export type Shape = 'dense' | 'tied' | 'spread';
export const SHAPES: readonly Shape[] = ['dense', 'tied', 'spread'];

/** Mostly within three hours, often at the very edge of a bucket, seldom at the ends of time. */
function instant(random: Random, shape: Shape = 'dense'): bigint {
  const part = random.next();
  if (shape === 'tied' && part < 0.95) return BASE + 600_000_000_000n * BigInt(random.int(1, 3));
  if (shape === 'spread' && part < 0.9) return BASE + BigInt(random.int(-1_500, 1_500)) * 1_153_000_000_007n;
  if (part < 0.02)
    return random.pick([1n, 5n * MINUTE - 1n, 4_294_967_296_000_000_000n, LAST_INSTANT - 10_000_000n]);
  if (part < 0.3) {
    const edge = BASE + 5n * MINUTE * BigInt(random.int(0, 40)) + random.pick([0n, HOUR]);
    return edge + random.pick([-1n, 0n, 0n, 1n]);
  }
  // Many at the same second, so that orders have ties.
  if (part < 0.5) return BASE + 1_000_000_000n * BigInt(random.int(0, 200));
  return (
    BASE + BigInt(Math.floor(random.next() * 3 * 3_600_000)) * 1_000_000n + BigInt(random.int(0, 999_999))
  );
}

function duration(random: Random): bigint {
  const part = random.next();
  if (part < 0.1) return 0n;
  if (part < 0.3) return BigInt(random.pick([1, 999, 1_000_000, 1_001_000, 1_048_575, 2_000_000_000]));
  if (part < 0.5) return BigInt(random.int(1, 3_000)) * 1_000n;
  return BigInt(Math.floor(1.5 ** (random.next() * 55)));
}

function genAi(random: Random): Record<string, string | number | string[]> {
  const operation = random.pick(['chat', 'embeddings', 'execute_tool', 'invoke_agent', 'text_completion']);
  const usage = random.chance(0.7);
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': random.pick(['openai', 'anthropic', 'Mistral']),
    'gen_ai.request.model': random.pick(MODELS),
    ...(random.chance(0.5) ? { 'gen_ai.response.model': random.pick(MODELS) } : {}),
    ...(random.chance(0.6) ? { 'gen_ai.agent.name': random.pick(['planner', 'Writer/ü', 'a b']) } : {}),
    ...(operation === 'execute_tool'
      ? { 'gen_ai.tool.name': random.pick(['search', 'Search', 'mail']) }
      : {}),
    ...(usage
      ? {
          'gen_ai.usage.input_tokens': random.pick([0, 1, 1_000, random.int(0, 5_000)]),
          'gen_ai.usage.output_tokens': random.int(0, 300),
          'gen_ai.usage.cache_read.input_tokens': random.pick([0, 0, 10]),
        }
      : {}),
    ...(random.chance(0.3)
      ? { 'gen_ai.response.time_to_first_chunk': random.pick([0, 0.25, 1.001, random.next()]) }
      : {}),
    ...(random.chance(0.3)
      ? { 'gen_ai.response.finish_reasons': [random.pick(['stop', 'length', 'tool_calls'])] }
      : {}),
    ...(random.chance(0.2) ? { 'gen_ai.prompt.name': random.pick(['greet', 'Greet ']) } : {}),
    ...(random.chance(0.5)
      ? {
          'gen_ai.input.messages': JSON.stringify([
            { role: 'user', parts: [{ type: 'text', content: sentence(random) }] },
          ]),
        }
      : {}),
    ...(random.chance(0.4)
      ? {
          'gen_ai.output.messages': JSON.stringify([
            { role: 'assistant', parts: [{ type: 'text', content: sentence(random) }] },
          ]),
        }
      : {}),
  };
}

const person = (random: Random): Record<string, string> => ({
  ...(random.chance(0.3) ? { 'gen_ai.conversation.id': `s${random.int(1, 12)}` } : {}),
  ...(random.chance(0.3) ? { 'user.id': random.pick(['u1', 'U1', 'ü/2', 'a b', 'zoë']) } : {}),
});

function attributes(random: Random): Record<string, string | number | boolean | string[]> {
  const key = (name: string, values: readonly (string | number | boolean)[], share: number) =>
    random.chance(share) ? { [name]: random.pick(values) } : {};
  return {
    ...key('http.route', ['/cart', '/Cart', '/cart/{id}', ''], 0.4),
    ...key('http.response.status_code', [200, 404, 500, 503], 0.4),
    ...key('odd key', ODD, 0.3),
    ...key('n', NUMBERS, 0.4),
    ...key('size', [0, -1, 1.5, 1e21, 123_456_789, true], 0.3),
    ...key('toString', ['a', 'b'], 0.2),
  };
}

export interface Traffic {
  readonly spans: number;
  readonly logs: number;
  /** Default: dense. */
  readonly shape?: Shape;
  /** Added to all ids, so that later traffic has its own. */
  readonly offset?: number;
}

/** Spans and log records of some traces, sessions and users in one project. */
export async function send(
  bench: QueryBench,
  random: Random,
  project: string,
  traffic: Traffic,
): Promise<void> {
  const { offset = 0, shape } = traffic;
  const lots = PLACES.map((): { spans: Span[]; logs: LogRecord[] } => ({ spans: [], logs: [] }));
  let own = offset;
  while (own < offset + traffic.spans) {
    const trace = id(offset * 7 + own + 1, 32);
    const begin = instant(random, shape);
    const usual = begin > BASE - 2_000n * HOUR && begin < BASE + 2_000n * HOUR;
    const size = usual ? random.pick([1, 1, 2, 5, 12]) : 1;
    const who = person(random);
    for (let n = 0; n < size; n += 1) {
      own += 1;
      // Some traces go on over the hour, a few over most of the window.
      const after =
        n === 0 || (shape === 'tied' && random.chance(0.8))
          ? 0n
          : BigInt(Math.floor(random.next() ** 3 * (random.chance(0.1) ? 7_200 : 600) * 1e9));
      const start = begin + after;
      const length = usual ? duration(random) : 1n;
      const failed = random.chance(0.2);
      const one: Span = {
        traceId: trace,
        spanId: id(own, 16),
        ...(n > 0 || random.chance(0.1) ? { parentSpanId: id(own - n + (n > 0 ? 0 : 9_999_999), 16) } : {}),
        name: random.pick(NAMES),
        kind: random.int(0, 5),
        startTimeUnixNano: start,
        ...(random.chance(0.03) ? { endTimeUnixNano: 0n } : { endTimeUnixNano: start + length }),
        status: {
          code: failed ? 2 : random.pick([0, 0, 1]),
          message: failed ? random.pick(['boom', 'Größe überschritten', '', 'no such order']) : '',
        },
        attributes: {
          ...attributes(random),
          ...(random.chance(0.5) ? { ...genAi(random), ...who } : {}),
          ...(failed && random.chance(0.6)
            ? { 'error.type': random.pick(['timeout', '500', 'IOError']) }
            : {}),
        },
        events:
          failed && random.chance(0.4)
            ? [
                {
                  timeUnixNano: start + BigInt(random.int(0, 1_000)),
                  name: 'exception',
                  attributes: {
                    'exception.type': random.pick(['ValueError', 'IOError']),
                    'exception.message': random.pick(['no such order', 'Größe 12', 'timeout after 30 s']),
                  },
                },
              ]
            : [],
      };
      lots[random.int(0, lots.length - 1)]?.spans.push(one);
    }
  }
  for (let n = 0; n < traffic.logs; n += 1) {
    const time = instant(random, shape);
    const who = person(random);
    lots[random.int(0, lots.length - 1)]?.logs.push({
      timeUnixNano: time,
      observedTimeUnixNano: time + BigInt(random.pick([0, 0, 5, 1_000_000])),
      severityNumber: random.pick([0, 0, 1, 5, 9, 10, 13, 17, 20, 21, 24]),
      severityText: random.pick(['', 'ERROR', 'warning', 'Info', 'crit', 'odd']),
      body: random.chance(0.1) ? '' : `${sentence(random)} #${offset + n}`,
      eventName: random.pick(['', '', 'exception', 'Ünïcode event']),
      ...(random.chance(0.5)
        ? { traceId: id(random.int(1, traffic.spans), 32), spanId: id(random.int(1, traffic.spans), 16) }
        : {}),
      attributes: {
        ...attributes(random),
        ...(random.chance(0.3) ? { ...genAi(random), ...who } : {}),
        ...(random.chance(0.1)
          ? { 'exception.type': 'LogError', 'exception.message': random.pick(['a', 'b 7']) }
          : {}),
      },
    });
  }
  for (const [index, { service, environment }] of PLACES.entries()) {
    const lot = lots[index];
    const place = {
      project,
      environment,
      service,
      scope: { name: random.pick(['', 'lib', 'Lib']), attributes: { side: random.pick(['left', 'right']) } },
      resource: { 'service.version': random.pick(['1.0', '2.0', '']) },
    };
    if (lot !== undefined && lot.spans.length > 0) {
      // In several lots, so that parts and rows of rollups are joined.
      const half = Math.floor(lot.spans.length / 2);
      await bench.put(lot.spans.slice(0, half), place);
      await bench.put(lot.spans.slice(half), place);
    }
    if (lot !== undefined && lot.logs.length > 0) await bench.putLogs(lot.logs, place);
  }
}

/** A point of a series of a metric, as it was sent. */
export interface Sent {
  readonly name: string;
  readonly kind: 'gauge' | 'sum';
  readonly unit: string;
  readonly description: string;
  readonly service: string;
  readonly environment: string;
  readonly series: string;
  readonly ns: bigint;
}

const METRICS = ['cpu.time', 'cpu.Time', 'größe', 'a b', 'http.server.request.duration', '0'];

/** Points of gauges and sums in one project; a name may come in several shapes and from several services. */
export async function sendPoints(bench: QueryBench, random: Random, project: string): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const { service, environment } of PLACES.slice(0, 3)) {
    const metrics = random.some(METRICS, 2, METRICS.length).flatMap((name) =>
      Array.from({ length: random.int(1, 2) }, (): Metric => {
        const kind = random.pick(['gauge', 'sum'] as const);
        const unit = random.pick(['s', 'By', '']);
        // Of several descriptions of one metric the catalogue knows one.
        const description = ['', 'Time of the CPU', 'Größe'][name.length % 3] ?? '';
        const begin = instant(random);
        const points = Array.from({ length: random.int(1, 6) }, (_, index) => {
          const label = random.pick(['x', 'y', 'z']);
          const ns = begin + BigInt(index) * 1_000_000_000n;
          const held = ns > LAST_INSTANT ? LAST_INSTANT : ns;
          const series = [name, kind, unit, service, environment, label].join();
          sent.push({ name, kind, unit, description, service, environment, series, ns: held });
          return { timeUnixNano: held, asDouble: random.int(0, 100), attributes: { label } };
        });
        const data = { dataPoints: points };
        return {
          name,
          unit,
          description,
          ...(kind === 'gauge'
            ? { gauge: data }
            : { sum: { ...data, aggregationTemporality: 2, isMonotonic: true } }),
        };
      }),
    );
    await bench.putMetrics(metrics, { project, environment, service });
  }
  return sent;
}
