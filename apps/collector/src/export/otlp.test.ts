import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { metric } from '@candela/semconv/metrics';
import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { createOtlpExport } from './otlp.ts';
import { TickProducer } from './resource-metrics.ts';

const heat = metric({
  name: 'hw.temperature',
  instrument: 'gauge',
  unit: 'Cel',
  description: 'x',
  attributes: [],
});
const producer = new TickProducer({
  collect: async () => ({ at: Date.now(), points: new Map([[heat, [{ value: 40, attributes: {} }]]]) }),
  maxAgeMs: 0,
  resource: () => new Map(),
  starts: { bootMs: 0, processMs: 0 },
  temporality: 'cumulative',
  version: '1',
});

const servers: (Server | Http2Server)[] = [];
let logged: string[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  logged = [];
});

async function listening(server: Server | Http2Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends one tick; undefined when it arrived, else what went wrong. */
async function send(env: Record<string, string>): Promise<string | undefined> {
  const { otlp } = readConfig({ OTEL_EXPORTER_OTLP_TIMEOUT: '4000', ...env }).config;
  const log = createLog('debug', (line) => logged.push(line));
  const { exporter } = await createOtlpExport(otlp, otlp.endpoint ?? '', { userAgent: 'test', log });
  const { resourceMetrics } = await producer.collect();
  try {
    return await new Promise((resolve) => {
      exporter.export(resourceMetrics, ({ code, error }) =>
        resolve(code === 0 ? undefined : (error?.message ?? 'failed')),
      );
    });
  } finally {
    await exporter.shutdown();
  }
}

/** ExportMetricsServiceResponse { partial_success { rejected_data_points: 3, error_message: "too old" } } */
const PARTIAL = Buffer.from([0x0a, 0x0b, 0x08, 3, 0x12, 7, ...Buffer.from('too old')]);

/** Answers gRPC with the statuses in turn, then with 0. */
function grpcAnswers(statuses: number[], body: Buffer = Buffer.alloc(0)) {
  const seen = { requests: 0 };
  const onStream = (stream: ServerHttp2Stream): void => {
    stream.resume().on('end', () => {
      seen.requests += 1;
      const status = statuses.shift() ?? 0;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status) }));
      const frame = Buffer.alloc(5 + body.length);
      frame.writeUInt32BE(body.length, 1);
      body.copy(frame, 5);
      stream.end(status === 0 ? frame : undefined);
    });
  };
  return { seen, onStream };
}

describe('gRPC', () => {
  it('is tried again when the receiver is away for a moment', async () => {
    const { seen, onStream } = grpcAnswers([14]);
    const server = createServer();
    server.on('stream', onStream);
    const port = await listening(server);
    expect(await send({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })).toBeUndefined();
    expect(seen.requests).toBe(2);
  });

  it('is not tried again when the receiver refuses', async () => {
    const { seen, onStream } = grpcAnswers([3, 3, 3]);
    const server = createServer();
    server.on('stream', onStream);
    const port = await listening(server);
    expect(await send({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })).toContain(
      'INVALID_ARGUMENT',
    );
    expect(seen.requests).toBe(1);
  });

  it('says what was refused of a request that was taken', async () => {
    const { onStream } = grpcAnswers([], PARTIAL);
    const server = createServer();
    server.on('stream', onStream);
    const port = await listening(server);
    expect(await send({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })).toBeUndefined();
    expect(logged.join('')).toContain('the endpoint refused some points points=3 detail="too old"');
  });

  it('gives up at its deadline', async () => {
    const server = createServer();
    const port = await listening(server);
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    };
    expect(await send(env)).toContain('DEADLINE_EXCEEDED');
  });
});

describe('HTTP', () => {
  const protocol = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' };

  it('is tried again after 503, and not after 400', async () => {
    const answers = [503, 200, 400, 200];
    let requests = 0;
    const port = await listening(
      createHttpServer((request, response) => {
        requests += 1;
        request.resume().on('end', () => response.writeHead(answers.shift() ?? 200).end());
      }),
    );
    const env = { ...protocol, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    expect(await send(env)).toBeUndefined();
    expect(requests).toBe(2);
    expect(await send(env)).toBe('Bad Request');
    expect(requests).toBe(3);
  });

  it('says what was refused of a request that was taken', async () => {
    const port = await listening(
      createHttpServer((request, response) => {
        request.resume().on('end', () => response.end(PARTIAL));
      }),
    );
    await send({ ...protocol, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    expect(logged.join('')).toContain('points=3');
  });

  it('goes through the proxy of the environment, but for the hosts that NO_PROXY names', async () => {
    const asked: string[] = [];
    const proxy = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => response.end());
    }).on('connect', (request, socket) => {
      asked.push(`CONNECT ${request.url}`);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const http_proxy = `http://127.0.0.1:${await listening(proxy)}`;
    const env = { ...protocol, OTEL_EXPORTER_OTLP_TIMEOUT: '900', http_proxy, HTTPS_PROXY: http_proxy };
    const to = (endpoint: string, more: Record<string, string> = {}) =>
      send({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more });
    expect(await to('http://collector.invalid:4318')).toBeUndefined();
    expect(await to('https://collector.invalid:4318')).toBeDefined();
    expect(asked).toEqual([
      'POST http://collector.invalid:4318/v1/metrics',
      ...Array<string>(asked.length - 1).fill('CONNECT collector.invalid:4318'),
    ]);
    expect(asked.length).toBeGreaterThan(1);
    const count = asked.length;
    expect(await to('http://collector.invalid:4318', { NO_PROXY: '.invalid' })).toBeDefined();
    expect(asked).toHaveLength(count);
  });
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Skips where there is no openssl to make certificates with. */
describe.runIf(hasOpenssl())('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'candela-tls-'));
  const file = (name: string) => join(folder, name);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(() => {
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const authority = ['-addext', 'basicConstraints=critical,CA:TRUE'];
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test', ...authority);
    writeFileSync(file('san.cnf'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
    for (const who of ['server', 'client']) {
      openssl('req', ...key, '-keyout', `${who}.key`, '-out', `${who}.csr`, '-subj', `/CN=${who}`);
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'san.cnf'];
      openssl('x509', '-req', '-in', `${who}.csr`, '-out', `${who}.pem`, ...signed);
    }
  });

  const serverOptions = () => ({
    ca: readFileSync(file('ca.pem')),
    key: readFileSync(file('server.key')),
    cert: readFileSync(file('server.pem')),
    requestCert: true,
    rejectUnauthorized: true,
  });
  const own = () => ({
    OTEL_EXPORTER_OTLP_CERTIFICATE: file('ca.pem'),
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: file('client.pem'),
    OTEL_EXPORTER_OTLP_CLIENT_KEY: file('client.key'),
  });

  it.each([
    ['grpc', ''],
    ['grpc', 'https://'],
    ['http/protobuf', 'https://'],
  ])(
    '%s to %s…: the authority given is believed, the certificate given is shown',
    async (protocol, scheme) => {
      const { seen, onStream } = grpcAnswers([]);
      const server =
        protocol === 'grpc'
          ? createSecureServer(serverOptions()).on('stream', onStream)
          : createHttpsServer(serverOptions(), (request, response) => {
              seen.requests += 1;
              request.resume().on('end', () => response.end());
            });
      const port = await listening(server);
      const env = {
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT: `${scheme}localhost:${port}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: '900',
      };
      expect(await send({ ...env, ...own() })).toBeUndefined();
      expect(seen.requests).toBe(1);
      expect(await send(env), 'an authority that nobody named').toBeDefined();
      const { OTEL_EXPORTER_OTLP_CERTIFICATE } = own();
      expect(await send({ ...env, OTEL_EXPORTER_OTLP_CERTIFICATE }), 'no certificate shown').toBeDefined();
      expect(seen.requests).toBe(1);
    },
  );

  it('a file without a certificate, and a key of another certificate, are faults', async () => {
    writeFileSync(file('garbage.pem'), 'hello\n');
    const send2 = (more: Record<string, string>) =>
      send({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://localhost:1', ...own(), ...more });
    await expect(send2({ OTEL_EXPORTER_OTLP_CERTIFICATE: file('garbage.pem') })).rejects.toThrow(
      /OTEL_EXPORTER_OTLP_CERTIFICATE names .*garbage\.pem.*holds no certificate/,
    );
    await expect(send2({ OTEL_EXPORTER_OTLP_CLIENT_KEY: file('server.key') })).rejects.toThrow(
      'do not fit together',
    );
  });

  it('half of a client certificate is a fault', async () => {
    const { OTEL_EXPORTER_OTLP_CLIENT_KEY } = own();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://localhost:1', OTEL_EXPORTER_OTLP_CLIENT_KEY };
    await expect(send(env)).rejects.toThrow('only work together');
  });
});
