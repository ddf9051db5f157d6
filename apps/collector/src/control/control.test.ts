import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Listening } from '../http/listen.ts';
import { createLog } from '../log.ts';
import { Fault } from '../source.ts';
import { MAX_BODY_BYTES } from './body.ts';
import { ControlError, type ControlFeatures, type CpuTraceRequest, type CpuTracer } from './contract.ts';
import type { RouteContext } from './routes.ts';
import { serveControl } from './server.ts';

const times = {
  cpu: 'cpu0',
  user: 1,
  system: 2,
  idle: 3,
  nice: 0,
  iowait: 0,
  irq: 0,
  softirq: 0,
  steal: 0,
  guest: 0,
  guestNice: 0,
};
const SAMPLES = [
  { timestamp: '2026-11-20T10:00:00.000Z', times: [times] },
  { timestamp: '2026-11-20T10:00:00.100Z', times: [{ ...times, user: 1.1 }] },
];

let server: Listening | undefined;
let counted: string[] = [];
afterEach(async () => {
  await server?.close();
  server = undefined;
  counted = [];
});

const OFF: ControlFeatures = {
  highres: { state: 'unavailable', reason: 'OTEL_HOST_CPU_HIGHRES is false.' },
  cpuTracer: { state: 'unavailable', reason: 'perf is not installed.' },
  gpuProfiler: { state: 'unavailable', reason: 'OTEL_GPU_KINETO_ENABLED is false.' },
  dcgm: () => ({ state: 'unavailable', reason: 'DCGM is not in use: no GPU of its vendor.' }),
};

async function start(
  options: { token?: string; address?: string; allowRemote?: boolean; features?: ControlFeatures } = {},
): Promise<Listening> {
  const context: RouteContext = {
    version: '1.2.3',
    features: options.features ?? OFF,
    countProfile: (type, result) => counted.push(`${type} ${result}`),
  };
  const control = {
    address: options.address ?? '127.0.0.1:0',
    token: options.token,
    allowRemote: options.allowRemote ?? false,
  };
  server = await serveControl(
    control,
    context,
    createLog('none', () => undefined),
  );
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** With node:http, since fetch does not let a test say what Host or Origin it is. */
async function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  const request = httpRequest({
    host: '127.0.0.1',
    port: server?.port,
    path,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
  });
  request.end(options.body);
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}
const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body, headers });
const errorOf = ({ text }: Answer) => (JSON.parse(text) as { error: string }).error;

/** Sends bytes as they are and returns all that comes back until the end of the connection. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(server?.port ?? 0, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

describe('routes', () => {
  it('say what there is', async () => {
    await start();
    const status = await ask('/v1/status');
    expect(status.status).toBe(200);
    expect(JSON.parse(status.text)).toEqual({
      status: 1,
      kineto: false,
      intel_pt: false,
      highres_cpu: false,
      dcgm_control: false,
    });
    const version = await ask('/v1/version?x=1');
    expect(version.text).toBe('1.2.3');
    expect(version.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('hand out the ring of CPU times', async () => {
    await start({
      features: {
        ...OFF,
        highres: { state: 'ready', service: { samples: () => SAMPLES, stop: () => undefined } },
      },
    });
    expect(JSON.parse((await ask('/v1/cpu/highres')).text)).toEqual({ count: 2, samples: SAMPLES });
    expect(JSON.parse((await ask('/v1/status')).text)).toMatchObject({ highres_cpu: true });
  });

  it('answer 503 with the reason where a feature is off', async () => {
    await start();
    for (const [path, reason] of [
      ['/v1/profile/cpu/pt', 'perf is not installed.'],
      ['/v1/profile/gpu', 'GPU'],
      ['/v1/dcgm/pause', 'DCGM'],
      ['/v1/dcgm/resume', 'DCGM'],
    ] as const) {
      const answer = await post(path, '{}');
      expect(answer.status, path).toBe(503);
      expect(errorOf(answer)).toContain(reason);
    }
    expect((await ask('/v1/cpu/highres')).status).toBe(503);
    expect(counted).toEqual(['kineto_trace failed']);
  });

  it('answer 404 and 405 in JSON', async () => {
    await start();
    for (const path of ['/', '/v1', '/v1/status/', '/v1/../etc/passwd', '/v1/%73tatus', '/V1/STATUS']) {
      const answer = await ask(path);
      expect(answer.status, path).toBe(404);
      expect(errorOf(answer)).not.toBe('');
    }
    const wrong = await ask('/v1/status', { method: 'DELETE' });
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET']);
    expect((await ask('/v1/profile/cpu/pt')).headers['allow']).toBe('POST');
  });
});

describe('a CPU trace', () => {
  const asked: CpuTraceRequest[] = [];
  const tracer = (capture: CpuTracer['capture']): ControlFeatures => ({
    ...OFF,
    cpuTracer: { state: 'ready', service: { capture, stop: () => undefined } },
  });
  const trace = { outputPath: '/tmp/t.data', durationMs: 100, cpus: [0, 1], backend: 'perf' };

  it('passes on what was asked and answers with what was written', async () => {
    await start({
      features: tracer(async (request) => {
        asked.push(request);
        return trace;
      }),
    });
    const body = { duration_ms: 100, cpus: [0, 1], max_cpus: 2, buffer_pages: 8, output_dir: '/tmp' };
    const answer = await post('/v1/profile/cpu/pt', JSON.stringify(body));
    expect(JSON.parse(answer.text)).toEqual({
      output_path: '/tmp/t.data',
      duration_ms: 100,
      cpus: [0, 1],
      backend: 'perf',
    });
    expect((await post('/v1/profile/cpu/pt', '')).status).toBe(200);
    expect(asked).toEqual([
      { durationMs: 100, cpus: [0, 1], maxCpus: 2, bufferPages: 8, outputDir: '/tmp' },
      {
        durationMs: undefined,
        cpus: undefined,
        maxCpus: undefined,
        bufferPages: undefined,
        outputDir: undefined,
      },
    ]);
    expect(counted).toEqual(['intel_pt ok', 'intel_pt ok']);
  });

  it('refuses bodies that are none', async () => {
    await start({ features: tracer(async () => trace) });
    const refused: readonly [body: string | Buffer, says: string][] = [
      ['{', 'not JSON'],
      ['[]', 'not a JSON object'],
      ['null', 'not a JSON object'],
      ['"x"', 'not a JSON object'],
      [Buffer.from([0x7b, 0xff, 0x7d]), 'not JSON'],
      ['{"duration_ms":"100"}', '"duration_ms" takes'],
      ['{"duration_ms":-1}', '"duration_ms" takes'],
      ['{"duration_ms":1.5}', '"duration_ms" takes'],
      ['{"duration_ms":1e999}', '"duration_ms" takes'],
      ['{"cpus":[0,"1"]}', '"cpus" takes'],
      ['{"cpus":{"length":1}}', '"cpus" takes'],
      [`{"cpus":[${'0,'.repeat(5_000)}0]}`, '"cpus" takes'],
      ['{"output_dir":"/tmp\\u0000/x"}', '"output_dir" takes'],
      ['{"output_dir":""}', '"output_dir" takes'],
      ['{"duration_ms":1,"surprise":1}', '"surprise" is not a field'],
      ['{"__proto__":{"cpus":[1]}}', '"__proto__" is not a field'],
    ];
    for (const [body, says] of refused) {
      const answer = await post('/v1/profile/cpu/pt', body);
      expect(answer.status, String(body)).toBe(400);
      expect(errorOf(answer)).toContain(says);
    }
    expect(counted).toEqual([]);
    const zipped = await post('/v1/profile/cpu/pt', 'x', { 'content-encoding': 'gzip' });
    expect(zipped.status).toBe(415);
  });

  it('is capped in bytes, however they are announced', async () => {
    await start({ features: tracer(async () => trace) });
    const big = Buffer.alloc(MAX_BODY_BYTES + 1, 0x20);
    const large = '{"output_dir":"/tmp"}'.padStart(MAX_BODY_BYTES, ' ');
    expect((await post('/v1/profile/cpu/pt', large)).status).toBe(200);
    const head = 'POST /v1/profile/cpu/pt HTTP/1.1\r\nHost: localhost\r\n';
    expect(await raw(`${head}Content-Length: ${big.length}\r\n\r\n`)).toContain(' 413 ');
    const chunk = `${big.length.toString(16)}\r\n${big.toString('latin1')}\r\n`;
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`)).toContain(' 413 ');
  });

  it('says when it failed, is refused or already runs', async () => {
    const answers: unknown[] = [
      new ControlError(409, 'A trace is running.'),
      new ControlError(400, 'Beyond the cap.'),
      new ControlError(500, 'perf ended with 255.'),
      new Error('secret detail of ours'),
    ];
    await start({ features: tracer(() => Promise.reject(answers.shift())) });
    const said: [number, string][] = [];
    while (answers.length > 0) {
      const answer = await post('/v1/profile/cpu/pt', '{}');
      said.push([answer.status, errorOf(answer)]);
    }
    expect(said).toEqual([
      [409, 'A trace is running.'],
      [400, 'Beyond the cap.'],
      [500, 'perf ended with 255.'],
      [500, 'Something went wrong; see the log of the agent.'],
    ]);
    expect(counted).toEqual(['intel_pt failed', 'intel_pt failed']);
  });

  it('is told when whoever asked has gone', async () => {
    const gone = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await start({
      features: tracer(
        (_request, signal) =>
          new Promise((_resolve, reject) => {
            begun.resolve();
            signal.addEventListener('abort', () => {
              gone.resolve();
              reject(new Error('gone'));
            });
          }),
      ),
    });
    const socket = connect(server?.port ?? 0, '127.0.0.1');
    socket.write('POST /v1/profile/cpu/pt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}');
    await begun.promise;
    socket.destroy();
    await gone.promise;
  });
});

describe('who may ask', () => {
  it('only names of this machine, whatever resolves to it', async () => {
    const { port } = await start();
    for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', `[::1]:${port}`, 'LOCALHOST']) {
      expect((await ask('/v1/status', { headers: { host } })).status, host).toBe(200);
    }
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      '0.0.0.0',
    ]) {
      expect((await ask('/v1/status', { headers: { host } })).status, host).toBe(403);
    }
    expect(await raw('GET /v1/status HTTP/1.0\r\n\r\n')).toContain(' 403 ');
  });

  it('no page of any site', async () => {
    await start();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost:3000' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect((await post('/v1/profile/gpu', '{}', headers as Record<string, string>)).status).toBe(403);
    }
    expect(counted).toEqual([]);
    expect((await ask('/v1/status', { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
  });

  it('with a token: only who has it, on this machine too', async () => {
    await start({ token: 'open-sesame' });
    const tried = async (authorization?: string) =>
      ask('/v1/status', authorization === undefined ? {} : { headers: { authorization } });
    for (const wrong of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer open',
      'Bearer open-sesame2',
      'Basic open-sesame',
      'open-sesame',
    ]) {
      const answer = await tried(wrong);
      expect(answer.status, wrong).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
    expect((await tried('Bearer open-sesame')).status).toBe(200);
    expect((await tried('bearer  open-sesame')).status).toBe(200);
    // Nothing is told to strangers, not even which paths there are.
    expect((await ask('/nowhere')).status).toBe(401);
  });
});

describe('the address', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    '8080',
    'a b:1',
    '127.0.0.1:99999',
    '[::1:1',
    'http://127.0.0.1:1',
    '::1:80',
  ])('that is none is a fault: %s', async (address) => {
    await expect(start({ address })).rejects.toThrow(Fault);
  });

  it('beyond this machine needs permission and a token', async () => {
    for (const options of [{}, { allowRemote: true }, { token: 'x' }]) {
      await expect(start({ address: '0.0.0.0:0', ...options })).rejects.toThrow(
        'OTEL_GPU_CONTROL_ALLOW_REMOTE',
      );
      await expect(start({ address: ':0', ...options })).rejects.toThrow(Fault);
    }
    await start({ address: '0.0.0.0:0', allowRemote: true, token: 'x' });
    const headers = { host: 'gpu-7.example', authorization: 'Bearer x' };
    expect((await ask('/v1/status', { headers })).status).toBe(200);
    expect((await ask('/v1/status', { headers: { host: 'gpu-7.example' } })).status).toBe(401);
  });

  it('that is taken is a fault', async () => {
    const { port } = await start();
    const second = serveControl(
      { address: `127.0.0.1:${port}`, token: undefined, allowRemote: false },
      { version: '1', features: OFF, countProfile: () => undefined },
      createLog('none', () => undefined),
    );
    await expect(second).rejects.toThrow('another program listens there');
  });
});

it('answers nonsense on the wire with an error and goes on', async () => {
  await start();
  for (const bytes of [
    'GARBAGE\r\n\r\n',
    'GET /v1/status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    `GET /v1/status HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    'GET /v1/status HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  ]) {
    expect(await raw(bytes), bytes.slice(0, 60)).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
  expect((await ask('/v1/status')).status).toBe(200);
});
