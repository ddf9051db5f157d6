import { encodeLogsRequest, type LogRecord } from '@candela/otlp';
import { BenchRandom } from '../lib/random.ts';
import type { Batch } from './batch.ts';
import { prose } from './texts.ts';

const LOGGERS = [
  'http.access',
  'orders.service',
  'db.pool',
  'auth.session',
  'worker.queue',
  'llm.gateway',
] as const;
const ERRORS = [
  ['TimeoutError', 'upstream did not answer within 30000 ms (attempt 3 of 3)'],
  ['ConnectionResetError', 'connection to 10.2.14.7:5432 was reset by the peer'],
  ['ValueError', "could not convert string to float: 'n/a'"],
  ['RateLimitError', 'Rate limit reached for gpt-5: limit 30000, used 29871, requested 412'],
] as const;
/** Of a hundred records: most are information, few are errors. */
const LEVELS: readonly (readonly [share: number, number: number, text: string])[] = [
  [8, 5, 'DEBUG'],
  [86, 9, 'INFO'],
  [96, 13, 'WARN'],
  [100, 17, 'ERROR'],
];
/** Records that belong to one trace, one after another. */
const PER_TRACE = 4;
const STEP_NANOS = 12_000;

/**
 * Batch number `index` of log records: text and JSON bodies, severities as a service has them, most with a trace, four
 * in a hundred with an exception. Ids and times are new in every sending.
 */
export function prepareLogs(index: number, records = 1_000): Batch {
  const random = new BenchRandom(index + 10_001);
  const made = Array.from({ length: records }, (): LogRecord => record(random));
  return new LogBatch(made, {
    'service.name': `service-${index % 12}`,
    'service.version': `1.${index % 4}.0`,
    'deployment.environment.name': 'production',
    'host.name': `host-${index % 40}`,
  });
}

function record(random: BenchRandom): LogRecord {
  const share = random.below(100);
  const [, severityNumber, severityText] = LEVELS.find(([limit]) => share < limit) ?? [0, 9, 'INFO'];
  const base = { severityNumber, severityText };
  if (severityNumber === 17) {
    const [type, message] = random.pick(ERRORS);
    return {
      ...base,
      body: `${type}: ${message}`,
      eventName: 'exception',
      attributes: {
        'exception.type': type,
        'exception.message': message,
        'exception.stacktrace': `Traceback (most recent call last):\n${Array.from({ length: 6 }, (_, line) => `  File "/app/services/${random.pick(LOGGERS)}.py", line ${random.below(800)}, in step_${line}`).join('\n')}\n${type}: ${message}`,
      },
    };
  }
  const attributes = {
    'log.logger': random.pick(LOGGERS),
    'thread.name': `worker-${random.below(16)}`,
    'request.id': random.hex(16),
  };
  if (random.below(3) > 0) return { ...base, attributes, body: prose(random, 90 + random.below(120)) };
  return {
    ...base,
    attributes,
    body: JSON.stringify({
      msg: prose(random, 60),
      status: random.pick([200, 200, 200, 201, 404, 500]),
      elapsed_ms: random.below(2_000),
      user: { id: `user-${random.below(5_000)}`, plan: random.pick(['free', 'team', 'enterprise']) },
      path: `/api/cases/${random.below(5_000)}`,
    }),
  };
}

class LogBatch implements Batch {
  body: Buffer = Buffer.alloc(0);
  readonly items: number;
  readonly #records: readonly LogRecord[];
  readonly #resource: Readonly<Record<string, string>>;

  constructor(records: readonly LogRecord[], resource: Readonly<Record<string, string>>) {
    this.items = records.length;
    this.#records = records;
    this.#resource = resource;
  }

  renew(random: BenchRandom, beginNanos: bigint): string {
    let traceId = '';
    let first = '';
    const logRecords = this.#records.map((one, place): LogRecord => {
      if (place % PER_TRACE === 0) traceId = random.below(10) === 0 ? '' : random.hex(32);
      if (first === '') first = traceId;
      const time = beginNanos + BigInt(place * STEP_NANOS);
      const ids = traceId === '' ? {} : { traceId, spanId: random.hex(16) };
      return { ...one, ...ids, timeUnixNano: time, observedTimeUnixNano: time + 1_500_000n };
    });
    const scope = { name: 'bench.logs', version: '1.0.0' };
    this.body = Buffer.from(
      encodeLogsRequest({
        resourceLogs: [{ resource: { attributes: this.#resource }, scopeLogs: [{ scope, logRecords }] }],
      }),
    );
    return first;
  }
}
