import type { Random } from './random.ts';
import {
  type ActiveSpan,
  type Attributes,
  type Recorder,
  type Service,
  SimulatedFailure,
} from './telemetry.ts';

const HTTP = { name: '@opentelemetry/instrumentation-http', version: '0.208.0' };
const PG = { name: '@opentelemetry/instrumentation-pg', version: '0.61.0' };

/**
 * A request that arrives at a service: the server span, its duration metric and an access log line. A failure inside
 * becomes a 500 (or 429 when the provider refused) and ends here, as in a real server. Returns the status.
 */
export function serve(
  rec: Recorder,
  request: { method: string; route: string; service?: Service; attributes?: Attributes },
  body: (span: ActiveSpan) => void,
): number {
  const startedAt = rec.now;
  let status = 200;
  try {
    rec.span(
      {
        name: `${request.method} ${request.route}`,
        kind: 'server',
        scope: HTTP,
        ...(request.service ? { service: request.service } : {}),
        attributes: {
          'http.request.method': request.method,
          'http.route': request.route,
          'url.path': request.route,
          'url.scheme': 'https',
          'network.protocol.version': '1.1',
          'user_agent.original': rec.random.pick(AGENTS),
          'client.address': `10.${rec.random.int(0, 40)}.${rec.random.int(0, 255)}.${rec.random.int(1, 254)}`,
          ...request.attributes,
        },
      },
      (span) => {
        rec.advance(rec.random.latency(2));
        try {
          body(span);
        } catch (error) {
          if (error instanceof SimulatedFailure) {
            status = error.httpStatus === 429 ? 429 : 500;
            rec.logFailure(error, `${request.method} ${request.route} failed`);
          }
          throw error;
        } finally {
          rec.advance(rec.random.latency(1));
          span.set({ 'http.response.status_code': status });
          const durationMs = rec.now - startedAt;
          rec.measure('http.server.request.duration', durationMs / 1000, {
            'http.request.method': request.method,
            'http.route': request.route,
            'http.response.status_code': status,
          });
          if (rec.random.chance(0.5)) {
            rec.log(status >= 500 ? 'error' : 'info', {
              msg: 'request completed',
              method: request.method,
              path: request.route,
              status,
              duration_ms: Math.round(durationMs * 10) / 10,
            });
          }
        }
      },
    );
  } catch (error) {
    if (!(error instanceof SimulatedFailure)) throw error;
  }
  return status;
}

/** A call from one service of ours to another: client span here, server span there. Its failure is one here too. */
export function callService(
  rec: Recorder,
  to: Service,
  request: { method: string; route: string },
  body: (span: ActiveSpan) => void,
): void {
  rec.span(
    {
      name: request.method,
      kind: 'client',
      scope: HTTP,
      attributes: {
        'http.request.method': request.method,
        'url.full': `http://${to.name}.apps.svc:8080${request.route}`,
        'server.address': `${to.name}.apps.svc`,
        'server.port': 8080,
      },
    },
    (span) => {
      rec.advance(rec.random.latency(0.8));
      const status = serve(rec, { ...request, service: to }, body);
      span.set({ 'http.response.status_code': status });
      if (status >= 400) {
        throw new SimulatedFailure(String(status), `${to.name} answered ${status}`, {
          thrown: 'UpstreamError',
          trace: `UpstreamError: ${to.name} answered ${status}\n    at call (/app/src/upstream.ts:29:9)`,
        });
      }
    },
  );
}

/** Two statements that wait for each other: the same failure with other numbers every time. */
function deadlock(random: Random, table: string): SimulatedFailure {
  const [one, other] = [random.int(2_000, 60_000), random.int(2_000, 60_000)];
  const message = `deadlock detected: process ${one} waits for ShareLock on transaction ${random.int(900_000, 990_000)}, blocked by process ${other}, while updating "${table}"`;
  return new SimulatedFailure('40P01', message, {
    thrown: 'DatabaseError',
    trace: `DatabaseError: ${message}
    at Parser.parseErrorMessage (/app/node_modules/pg-protocol/dist/parser.js:285:98)
    at Socket.<anonymous> (/app/node_modules/pg-protocol/dist/index.js:11:42)
    at node:internal/streams/readable:297:12
    at async update (/app/src/db/${table}.ts:${random.pick([41, 58])}:19)
    at async handle (/app/src/routes/${table}.ts:22:5)`,
  });
}

/** A statement on the service's PostgreSQL. */
export function query(rec: Recorder, statement: string, table: string, medianMs = 4): void {
  const operation = statement.split(' ', 1)[0] ?? 'SELECT';
  const startedAt = rec.now;
  rec.span(
    {
      name: `${operation} ${table}`,
      kind: 'client',
      scope: PG,
      attributes: {
        'db.system.name': 'postgresql',
        'db.namespace': 'shop',
        'db.collection.name': table,
        'db.operation.name': operation,
        'db.query.text': statement,
        'server.address': 'postgres.data.svc',
        'server.port': 5432,
      },
    },
    () => {
      const { random } = rec;
      if (random.chance(0.02)) rec.log('trace', `pool: connection ${random.int(1, 20)} of 20 taken`);
      rec.advance(random.latency(medianMs * rec.conditions.slowdown, 0.6));
      const took = Math.round((rec.now - startedAt) * 10) / 10;
      if (random.chance(rec.conditions.errorRate / 6)) {
        throw deadlock(random, table);
      }
      if (took > medianMs * 4) {
        rec.log('warn', { msg: 'slow query', table, duration_ms: took, statement });
      } else if (random.chance(0.06)) {
        rec.log('debug', `query took ${took} ms: ${statement}`, { 'db.collection.name': table });
      }
    },
  );
  rec.measure('db.client.operation.duration', (rec.now - startedAt) / 1000, {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
  });
}

const AGENTS = [
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'okhttp/5.3.0',
];
