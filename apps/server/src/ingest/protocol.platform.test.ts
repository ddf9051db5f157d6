import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { encodeTraceRequest } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grpcFrame, grpcRaw, JSON_TYPE, post, PROTOBUF, raw, TRACE_METHOD } from './testing/client.ts';
import { API_KEY, type Receivers, openReceivers } from './testing/harness.ts';
import { span, spanIdOf, traceBody, traceIdOf, traceRequest } from './testing/spans.ts';
import { readPartialSuccess, readStatus } from './testing/status.ts';

const MIB = 1024 * 1024;
const LIMIT = 16 * MIB;

let receivers: Receivers;
beforeAll(async () => {
  receivers = await openReceivers();
});
afterAll(() => receivers.close());

const stored = async (name: string): Promise<number> => {
  const [row] = await receivers.rows<{ n: string }>(
    'SELECT count() AS n FROM otel_traces WHERE TraceId = {id:String}',
    {
      id: traceIdOf(name),
    },
  );
  return Number(row?.n ?? -1);
};

/** The worst event-loop delay while `work` runs, milliseconds. */
async function worstDelay(work: () => Promise<void>): Promise<number> {
  let worst = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    worst = Math.max(worst, now - last - 5);
    last = now;
  }, 5);
  await work();
  clearInterval(timer);
  return worst;
}

/** 10 GiB of zeros in 10 MB: one member, repeated. */
function bomb(): Buffer {
  const member = gzipSync(Buffer.alloc(64 * MIB));
  return Buffer.concat(Array.from({ length: 160 }, () => member));
}

describe('case 1: decompression bombs', () => {
  const rise = async (work: () => Promise<void>): Promise<number> => {
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 2);
    await work();
    clearInterval(timer);
    return peak - before;
  };

  it('HTTP: 413 with a Status body, little memory, others go on', async () => {
    const body = bomb();
    expect(body.byteLength).toBeLessThan(LIMIT);
    const risen = await rise(async () => {
      const [reply, other] = await Promise.all([
        post(receivers.port, body, { encoding: 'gzip' }),
        post(receivers.port, traceBody('beside the bomb')),
      ]);
      expect(reply.status).toBe(413);
      expect(reply.headers['content-type']).toBe(PROTOBUF);
      expect(readStatus(reply.body)).toMatchObject({ code: 8, retrySeconds: undefined });
      expect(other.status).toBe(200);
    });
    // The body itself, read and copied once, comes on top of what inflating may take.
    expect(risen).toBeLessThan(2 * LIMIT + 3 * body.byteLength);
    expect(await stored('beside the bomb')).toBe(1);
  });

  it('gRPC: RESOURCE_EXHAUSTED without RetryInfo', async () => {
    const reply = await grpcRaw(receivers.grpcPort, grpcFrame(bomb(), true), {
      headers: { 'grpc-encoding': 'gzip' },
    });
    expect(reply.code).toBe(8);
    expect(readStatus(reply.details ?? Buffer.alloc(0))).toMatchObject({ code: 8, retrySeconds: undefined });
  });

  it.each([
    ['deflate', deflateSync(Buffer.alloc(64 * MIB))],
    ['zstd', zstdCompressSync(Buffer.alloc(64 * MIB))],
  ])('%s: 413', async (encoding, body) => {
    expect((await post(receivers.port, body, { encoding })).status).toBe(413);
  });
});

describe('case 2: content encodings', () => {
  const good = traceBody('encodings');
  it.each([
    ['gzip', gzipSync(good)],
    ['GZIP', gzipSync(good)],
    ['deflate', deflateSync(good)],
    ['deflate', deflateRawSync(good)],
    ['zstd', zstdCompressSync(good)],
    ['identity', good],
    ['', good],
  ])('accepts %s', async (encoding, body) => {
    expect((await post(receivers.port, body, { encoding })).status).toBe(200);
  });

  it.each(['gzip, gzip', 'br', 'gzip;q=1', 'compress', '*'])(
    'refuses Content-Encoding "%s" with 415',
    async (encoding) => {
      const reply = await post(receivers.port, gzipSync(gzipSync(good)), { encoding });
      expect(reply.status).toBe(415);
      expect(readStatus(reply.body).code).toBe(12);
    },
  );

  /** A zstd frame whose header asks for a window of 2 GiB. */
  const hugeWindow = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]);
  it.each([
    ['gzip', good],
    ['gzip', gzipSync(good).subarray(0, -9)],
    ['gzip', gzipSync(good).subarray(0, 15)],
    ['deflate', Buffer.from('rubbish rubbish')],
    ['zstd', zstdCompressSync(good).subarray(0, -3)],
    ['zstd', good],
    ['zstd', hugeWindow],
  ])('a %s body that is damaged or mislabelled is 400', async (encoding, body) => {
    const reply = await post(receivers.port, body, { encoding });
    expect(reply.status).toBe(400);
    expect(readStatus(reply.body).code).toBe(3);
  });

  it('lost no worker over all that', async () => {
    expect(await receivers.registry.getSingleMetricAsString('candela_ingest_workers_lost_total')).toMatch(
      / 0$/m,
    );
    expect(await stored('encodings')).toBe(1);
  });
});

describe('case 3: bodies over the limit', () => {
  it('declared too long: 413 before a byte is read', async () => {
    const head = `POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${PROTOBUF}\r\ncontent-length: ${LIMIT + 1}\r\n\r\n`;
    expect(await raw(receivers.port, head, 500)).toMatch(/^HTTP\/1.1 413 /);
  });

  it('chunked: 413 as soon as the limit is crossed, and the socket is closed', async () => {
    const head = `POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${PROTOBUF}\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB), Buffer.from('\r\n')]);
    const startedAt = performance.now();
    const answer = await raw(receivers.port, [head, ...Array.from({ length: 30 }, () => chunk)], 10_000);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  it('a Content-Length that lies short: the rest is no request, the server goes on', async () => {
    const body = traceBody('lies');
    const head = `POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${PROTOBUF}\r\ncontent-length: ${body.byteLength - 5}\r\n\r\n`;
    expect(await raw(receivers.port, [head, Buffer.from(body)], 1_000)).toMatch(/^HTTP\/1.1 400 /);
    expect((await post(receivers.port, traceBody('after the lie'))).status).toBe(200);
  });

  it('chunked without a length is fine', async () => {
    expect((await post(receivers.port, traceBody('chunked', 50), { chunked: 100 })).status).toBe(200);
    expect(await stored('chunked')).toBe(50);
  });

  it('gRPC: a message that trickles in is cut off, however busy its stream looks', async () => {
    const own = await openReceivers({ ingest: { callMs: 400 } });
    const session = connectHttp2(`http://127.0.0.1:${own.grpcPort}`);
    try {
      const stream = session.request({
        ':method': 'POST',
        ':path': TRACE_METHOD,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', () => {});
      const closed = once(stream, 'close').then(() => true);
      stream.write(grpcFrame(Buffer.alloc(10_000)).subarray(0, 5));
      const trickle = setInterval(() => stream.write(Buffer.alloc(1)), 50);
      const cut = await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 3_000))]);
      clearInterval(trickle);
      expect(cut).toBe(true);
    } finally {
      session.destroy();
      await own.close();
    }
  });

  it('gRPC: an answer that its sender has no room for is given up with its call', async () => {
    // Long enough for the answer to begin on a machine that is busy: what is cut off is the rest of it.
    const own = await openReceivers({ ingest: { callMs: 6_000 } });
    const session = connectHttp2(`http://127.0.0.1:${own.grpcPort}`, { settings: { initialWindowSize: 0 } });
    try {
      const stream = session.request({
        ':method': 'POST',
        ':path': TRACE_METHOD,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', () => {});
      const closed = once(stream, 'close');
      const answered = once(stream, 'response').then(([headers]: unknown[]) => headers);
      stream.end(grpcFrame(traceBody('no room')));
      expect(await Promise.race([answered, closed])).toMatchObject({ ':status': 200 });
      // Where calls do not end it never comes.
      await closed;
    } finally {
      session.destroy();
      await own.close();
    }
  });

  it('gRPC: announced too long', async () => {
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(LIMIT + 1, 1);
    const reply = await grpcRaw(receivers.grpcPort, Buffer.concat([frame, Buffer.alloc(100)]));
    expect(reply.code).toBe(8);
  });
});

describe('case 4: malformed bodies', () => {
  /** A value nested `depth` times: kvlist in kvlist or array in array. */
  function nested(depth: number, field: number): Uint8Array {
    let value: Uint8Array = Buffer.from([0x0a, 0x01, 0x78]);
    const wrap = (tag: number, inner: Uint8Array): Uint8Array => {
      const length: number[] = [];
      for (let left = inner.length; ; left = Math.floor(left / 128)) {
        if (left < 128) {
          length.push(left);
          break;
        }
        length.push((left % 128) | 0x80);
      }
      return Buffer.concat([Buffer.from([tag, ...length]), inner]);
    };
    for (let level = 0; level < depth; level += 1) {
      if (field === 5) value = wrap((5 << 3) | 2, wrap(0x0a, value));
      else
        value = wrap(
          (6 << 3) | 2,
          wrap(0x0a, Buffer.concat([Buffer.from([0x0a, 0x01, 0x6b]), wrap(0x12, value)])),
        );
    }
    const attribute = wrap(0x4a, Buffer.concat([Buffer.from([0x0a, 0x01, 0x6b]), wrap(0x12, value)]));
    const head = [wrap(0x0a, Buffer.alloc(16, 1)), wrap(0x12, Buffer.alloc(8, 1))];
    const times = Buffer.from([0x39, 0, 0, 0x64, 0xa7, 0xb3, 0xb6, 0xe0, 0x0d]);
    const end = Buffer.from(times);
    end[0] = 0x41;
    return wrap(0x0a, wrap(0x12, wrap(0x12, Buffer.concat([...head, times, end, attribute]))));
  }

  const deepJson = `{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":${'{"arrayValue":{"values":['.repeat(10_000)}{}${']}}'.repeat(10_000)}}]}}]}`;
  const cases: [string, string, Uint8Array][] = [
    ['rubbish', PROTOBUF, Buffer.from('this is no protobuf')],
    ['a truncated varint', PROTOBUF, Buffer.from([0x0a, 0xff])],
    ['a truncated request', PROTOBUF, traceBody('truncated', 10).subarray(0, -7)],
    ['10,000-deep arrays', PROTOBUF, nested(10_000, 5)],
    ['10,000-deep maps', PROTOBUF, nested(10_000, 6)],
    ['broken JSON', JSON_TYPE, Buffer.from('{"resourceSpans":[')],
    ['a JSON array', JSON_TYPE, Buffer.from('[]')],
    ['10,000-deep JSON', JSON_TYPE, Buffer.from(deepJson)],
  ];
  it.each(cases)(
    '%s is 400 with a Status in its own encoding, without stalling',
    async (_what, type, body) => {
      let status = 0;
      const delay = await worstDelay(async () => {
        const reply = await post(receivers.port, body, { type });
        status = reply.status;
        expect(reply.headers['content-type']).toBe(type);
        if (type === JSON_TYPE) expect(JSON.parse(reply.body.toString())).toMatchObject({ code: 3 });
        else expect(readStatus(reply.body).code).toBe(3);
      });
      expect(status).toBe(400);
      expect(delay).toBeLessThan(200);
    },
  );

  it('gRPC: INVALID_ARGUMENT', async () => {
    expect((await grpcRaw(receivers.grpcPort, grpcFrame(Buffer.from('no protobuf')))).code).toBe(3);
    expect((await grpcRaw(receivers.grpcPort, Buffer.from([0, 0, 0, 0, 9, 1]))).code).toBe(3);
    expect((await grpcRaw(receivers.grpcPort, Buffer.from([7, 0, 0, 0, 1, 1]))).code).toBe(3);
  });
});

describe('case 5: one bad record among a thousand', () => {
  it('a span with a 15-byte trace id: 200, one rejected with the reason, 999 stored', async () => {
    const spans = Array.from({ length: 1_000 }, (_, index) =>
      span('partial', `s${index}`, index === 500 ? { traceId: Buffer.alloc(15, 7) } : {}),
    );
    const body = encodeTraceRequest(traceRequest(spans));
    const reply = await post(receivers.port, body);
    expect(reply.status).toBe(200);
    const partial = readPartialSuccess(reply.body);
    expect(partial?.rejected).toBe(1);
    expect(partial?.message).toMatch(/trace id/i);
    expect(await stored('partial')).toBe(999);
    const over = await grpcRaw(receivers.grpcPort, grpcFrame(body));
    expect(over.code).toBe(0);
    expect(readPartialSuccess(over.body)?.rejected).toBe(1);
    expect(await stored('partial')).toBe(999);
  });
});

describe('case 6: full success', () => {
  it.each([PROTOBUF, 'application/protobuf', `${PROTOBUF}; charset=utf-8`])(
    '%s: an empty response',
    async (type) => {
      const reply = await post(receivers.port, traceBody(`full ${type}`), { type });
      expect(reply.status).toBe(200);
      expect(reply.headers['content-type']).toBe(PROTOBUF);
      expect(reply.body.byteLength).toBe(0);
      expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f]{16}$/);
    },
  );

  it('an empty request is a success on every signal and encoding', async () => {
    for (const signal of ['traces', 'logs', 'metrics']) {
      const path = `/v1/${signal}`;
      expect((await post(receivers.port, Buffer.alloc(0), { path })).status).toBe(200);
      expect((await post(receivers.port, gzipSync(Buffer.alloc(0)), { path, encoding: 'gzip' })).status).toBe(
        200,
      );
      const json = await post(receivers.port, '{}', { path, type: JSON_TYPE });
      expect(json.status).toBe(200);
      expect(JSON.parse(json.body.toString())).toEqual({});
    }
    const reply = await grpcRaw(receivers.grpcPort, grpcFrame(Buffer.alloc(0)));
    expect(reply).toMatchObject({ status: 200, code: 0 });
    expect(reply.body.byteLength).toBe(0);
  });
});

describe('case 7: OTLP/JSON', () => {
  const json = (
    trace: string,
    changes: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
  ): string =>
    JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'json' } }] },
          scopeSpans: [
            {
              spans: [
                {
                  traceId: traceIdOf(trace).toUpperCase(),
                  spanId: spanIdOf(trace),
                  name: 'j',
                  kind: 3,
                  startTimeUnixNano: '1800000000000000001',
                  endTimeUnixNano: 1_800_000_000_500_000_000,
                  attributes: [
                    { key: 'big', value: { intValue: '9007199254740993' } },
                    { key: 'small', value: { intValue: 7 } },
                  ],
                  ...changes,
                },
              ],
            },
          ],
          ...more,
        },
      ],
    });

  it('hex ids in either case, 64-bit numbers as text or number, unknown fields ignored', async () => {
    const reply = await post(receivers.port, json('json', { futureField: { a: [1] } }, { more: 1 }), {
      type: `${JSON_TYPE};charset=UTF-8`,
    });
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe(JSON_TYPE);
    const rows = await receivers.rows<Record<string, unknown>>(
      "SELECT SpanKind, toString(toUnixTimestamp64Nano(Timestamp)) AS ns, SpanAttributes['big'] AS big, SpanAttributes['small'] AS small FROM otel_traces WHERE TraceId = {id:String}",
      { id: traceIdOf('json') },
    );
    expect(rows).toEqual([
      expect.objectContaining({ SpanKind: 'Client', big: '9007199254740993', small: '7' }),
    ]);
    expect(String(rows[0]?.['ns'])).toBe('1800000000000000001');
  });

  it.each([
    ['an enum by name', { kind: 'SPAN_KIND_CLIENT' }],
    ['a base64 trace id', { traceId: 'W47/95gDgQPSabYzgT/GDA==' }],
  ])('%s is not taken', async (what, changes) => {
    const reply = await post(receivers.port, json(what, changes), { type: JSON_TYPE });
    const answer = JSON.parse(reply.body.toString());
    if (reply.status === 200) expect(Number(answer.partialSuccess?.rejectedSpans)).toBe(1);
    else expect(reply.status).toBe(400);
    expect(await stored(what)).toBe(0);
  });
});

describe('case 11: oversized parts', () => {
  it('1 MB of headers is 431', async () => {
    const head = `POST /v1/traces HTTP/1.1\r\nhost: localhost\r\nx-junk: ${'j'.repeat(MIB)}\r\n\r\n`;
    expect(await raw(receivers.port, head)).toMatch(/^HTTP\/1.1 431 /);
  });

  it('200 baggage headers are answered', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `baggage: k${n}=${'v'.repeat(40)}`).join('\r\n');
    const body = traceBody('baggage');
    const head = `POST /v1/traces HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: ${PROTOBUF}\r\n${lines}\r\ncontent-length: ${body.byteLength}\r\n\r\n`;
    expect(await raw(receivers.port, [head, Buffer.from(body)])).toMatch(/^HTTP\/1.1 (200|431) /);
  });

  it('100,000 attributes on one span and a 5 MB value: cut with a counted drop, without stalling', async () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key.${n}`, n]));
    const body = encodeTraceRequest(
      traceRequest([
        span('oversized', 'many', { attributes: many }),
        span('oversized', 'large', { attributes: { text: 'x'.repeat(5 * MIB) } }),
      ]),
    );
    const delay = await worstDelay(async () => {
      const reply = await post(receivers.port, body);
      expect(reply.status).toBe(200);
      expect(readPartialSuccess(reply.body)).toMatchObject({
        rejected: 0,
        message: expect.stringMatching(/attribute/i),
      });
    });
    // Decoded elsewhere than on this thread, however busy the machine is.
    expect(delay).toBeLessThan(1_000);
    expect(await stored('oversized')).toBe(2);
  });
});

describe('case 12: wrong receivers', () => {
  it('unknown gRPC methods are UNIMPLEMENTED', async () => {
    const message = grpcFrame(traceBody('x'));
    for (const path of ['/no.such.Service/Export', `${TRACE_METHOD}s`, '/', '/v1/traces']) {
      expect((await grpcRaw(receivers.grpcPort, message, { path })).code).toBe(12);
    }
  });

  it('a compressed message without a grpc-encoding is refused, and a malformed grpc-timeout', async () => {
    for (const headers of [{}, { 'grpc-encoding': 'identity' }]) {
      const reply = await grpcRaw(receivers.grpcPort, grpcFrame(gzipSync(traceBody('x')), true), { headers });
      expect(reply.code).toBe(3);
    }
    // Its bytes are sound protobuf: only the flag says that they are compressed.
    expect((await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('flag only'), true))).code).toBe(3);
    expect(await stored('flag only')).toBe(0);
    const timed = (value: string) =>
      grpcRaw(receivers.grpcPort, grpcFrame(traceBody(`timed ${value}`)), {
        headers: { 'grpc-timeout': value },
      });
    expect((await timed('10S')).code).toBe(0);
    for (const value of ['10s', '123456789S', '-1S']) expect((await timed(value)).code).toBe(3);
    expect(await stored('timed 10s')).toBe(0);
  });

  it('an unknown grpc-encoding is UNIMPLEMENTED and told what is taken', async () => {
    const reply = await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('x'), true), {
      headers: { 'grpc-encoding': 'snappy' },
    });
    expect(reply.code).toBe(12);
    expect(reply.headers['grpc-accept-encoding']).toContain('gzip');
  });

  it('other content types are 415 on both receivers', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', undefined]) {
      const reply = await post(receivers.port, traceBody('x'), { type });
      expect(reply.status).toBe(415);
      expect(JSON.parse(reply.body.toString())).toMatchObject({ code: 12 });
    }
    const reply = await grpcRaw(receivers.grpcPort, Buffer.alloc(0), {
      headers: { 'content-type': 'text/html' },
    });
    expect(reply.status).toBe(415);
  });

  it('HTTP/1 on the gRPC port and rubbish on both do no harm', async () => {
    await raw(receivers.grpcPort, 'POST /v1/traces HTTP/1.1\r\nhost: localhost\r\n\r\n', 500);
    await raw(receivers.grpcPort, '\u0000\u0001rubbish\r\n\r\n', 300);
    expect(await raw(receivers.port, 'rubbish\r\n\r\n', 2_000)).toMatch(/^HTTP\/1.1 400 /);
    expect((await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('y')))).code).toBe(0);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('%s is 405 with Allow', async (method) => {
    const reply = await post(receivers.port, '', { method });
    expect(reply.status).toBe(405);
    expect(reply.headers['allow']).toBe('POST');
  });

  it.each(['//v1/traces', '/v1/traces/', '/v1/traces?x=1', '/otlp/v1/traces', '///v1//traces//', '/'])(
    'forgives the path %s',
    async (path) => {
      expect((await post(receivers.port, traceBody(`path ${path}`), { path })).status).toBe(200);
      expect(await stored(`path ${path}`)).toBe(1);
    },
  );

  it.each(['/v1/trace', '/v2/traces', '/x/v1/traces', '/V1/traces'])('does not take %s', async (path) => {
    expect((await post(receivers.port, traceBody('z'), { path })).status).toBe(404);
  });

  it('Basic credentials on the path of another product', async () => {
    const path = '/api/public/otel/v1/traces';
    const authorization = `Basic ${Buffer.from(`pk-lf-1:${API_KEY}`).toString('base64')}`;
    expect(
      (await post(receivers.port, traceBody('basic'), { path, headers: { authorization } })).status,
    ).toBe(200);
  });

  it('credentials: 401 with a Status before the body is read, UNAUTHENTICATED on gRPC', async () => {
    const headers = { authorization: 'Bearer wrong' };
    const reply = await post(receivers.port, Buffer.from('not even protobuf'), { headers });
    expect(reply.status).toBe(401);
    expect(readStatus(reply.body).code).toBe(16);
    expect(reply.headers['x-platform-error-code']).toBe('unknown_credential');
    expect((await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('x')), { headers })).code).toBe(16);
    const good = { authorization: `Bearer ${API_KEY}` };
    expect((await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('key')), { headers: good })).code).toBe(0);
    const foreign = { ...good, 'x-platform-project-id': 'other' };
    expect((await post(receivers.port, traceBody('x'), { headers: foreign })).status).toBe(403);
    expect((await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('x')), { headers: foreign })).code).toBe(7);
    // Two keys are none: neither this receiver nor a proxy before it may choose.
    const two = { authorization: [`Bearer ${API_KEY}`, 'Bearer other'] };
    expect((await post(receivers.port, traceBody('x'), { headers: two })).status).toBe(401);
    expect((await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('x')), { headers: two })).code).toBe(16);
    const badName = { ...good, 'x-platform-environment': 'Not A Name' };
    expect((await post(receivers.port, traceBody('x'), { headers: badName })).status).toBe(400);
  });

  it('too many wrong keys: 429 with Retry-After, RESOURCE_EXHAUSTED with RetryInfo; a right key passes', async () => {
    const own = await openReceivers({ wrongKeysPerMinute: 2 });
    try {
      const headers = { authorization: 'Bearer wrong' };
      const wrong = () => post(own.port, traceBody('x'), { headers });
      expect([(await wrong()).status, (await wrong()).status]).toEqual([401, 401]);
      const reply = await wrong();
      expect(reply.status).toBe(429);
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
      expect(readStatus(reply.body).retrySeconds).toBeGreaterThan(0);
      const call = await grpcRaw(own.grpcPort, grpcFrame(traceBody('x')), { headers });
      expect(call.code).toBe(8);
      expect(readStatus(call.details ?? Buffer.alloc(0)).retrySeconds).toBeGreaterThan(0);
      const good = { authorization: `Bearer ${API_KEY}` };
      expect((await post(own.port, traceBody('right key'), { headers: good })).status).toBe(200);
    } finally {
      await own.close();
    }
  });

  it('whole requests that were refused are counted by reason, bad records by theirs', async () => {
    const headers = { authorization: 'Bearer wrong' };
    await post(receivers.port, Buffer.from('x'), { headers });
    await grpcRaw(receivers.grpcPort, grpcFrame(traceBody('x')), { headers });
    await post(receivers.port, Buffer.from('no protobuf'));
    await post(receivers.port, encodeTraceRequest(traceRequest([span('x', 'x', { traceId: 'ab' })])));
    const page = await receivers.registry.metrics();
    const refused = (receiver: string, reason: string) =>
      `candela_ingest_refused_requests_total{receiver="${receiver}",signal="traces",reason="${reason}"}`;
    expect(page).toContain(refused('http', 'unknown_credential'));
    expect(page).toContain(refused('grpc', 'unknown_credential'));
    expect(page).toContain(refused('http', 'undecodable'));
    expect(page).toContain('candela_ingest_rejected_records_total{signal="traces",reason="bad_trace_id"}');
  });

  it('the environment of the header is stored', async () => {
    const headers = { 'x-platform-environment': 'staging' };
    expect((await post(receivers.port, traceBody('staged'), { headers })).status).toBe(200);
    const rows = await receivers.rows(
      'SELECT Environment, ProjectId FROM otel_traces WHERE TraceId = {id:String}',
      {
        id: traceIdOf('staged'),
      },
    );
    expect(rows).toEqual([{ Environment: 'staging', ProjectId: 'default' }]);
    expect(await receivers.identity.directory.environments('default')).toContain('staging');
  });
});

describe('case 13: hostile attribute keys', () => {
  it('are stored verbatim and touch nothing', async () => {
    const keys = [
      '__proto__',
      'constructor.prototype.x',
      '__proto__.isPublic',
      'toString',
      '',
      'a.0.b',
      'hasOwnProperty',
      "quote'`\\{x:Identifier}",
    ];
    const attributes = new Map(keys.map((key) => [key, 'hostile']));
    const reply = await post(
      receivers.port,
      encodeTraceRequest(traceRequest([span('hostile', 'k', { attributes })])),
    );
    expect(reply.status).toBe(200);
    const [row] = await receivers.rows<{ keys: string[]; values: string[] }>(
      'SELECT mapKeys(SpanAttributes) AS keys, mapValues(SpanAttributes) AS values FROM otel_traces WHERE TraceId = {id:String}',
      { id: traceIdOf('hostile') },
    );
    expect(row?.keys.toSorted()).toEqual(keys.toSorted());
    expect(new Set(row?.values)).toEqual(new Set(['hostile']));
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(({} as Record<string, unknown>)['isPublic']).toBeUndefined();
    await post(receivers.port, traceBody('after hostile'));
    const [next] = await receivers.rows<{ keys: string[] }>(
      'SELECT mapKeys(SpanAttributes) AS keys FROM otel_traces WHERE TraceId = {id:String}',
      { id: traceIdOf('after hostile') },
    );
    expect(next?.keys.toSorted()).toEqual(['http.route', 'http.status_code']);
  });
});

describe('case 14: odd values', () => {
  it('are stored or refused predictably, without losing digits', async () => {
    const attributes = new Map<string, string | number | bigint | boolean>([
      ['nul', 'a\u0000b'],
      ['bidi', '\u202eevil'],
      ['emoji', '😀'],
      ['max', 9_223_372_036_854_775_807n],
      ['min', -9_223_372_036_854_775_808n],
      ['past53', 9_007_199_254_740_993n],
      ['nan', Number.NaN],
      ['inf', Number.POSITIVE_INFINITY],
      ['yes', true],
    ]);
    const reply = await post(
      receivers.port,
      encodeTraceRequest(traceRequest([span('odd', 'o', { attributes })])),
    );
    expect(reply.status).toBe(200);
    const [row] = await receivers.rows<{ a: Record<string, string> }>(
      'SELECT SpanAttributes AS a FROM otel_traces WHERE TraceId = {id:String}',
      { id: traceIdOf('odd') },
    );
    expect(row?.a).toMatchObject({
      nul: 'a\u0000b',
      bidi: '\u202eevil',
      emoji: '😀',
      max: '9223372036854775807',
      min: '-9223372036854775808',
      past53: '9007199254740993',
      nan: 'NaN',
      inf: 'Infinity',
      yes: 'true',
    });
  });

  it.each([
    ['zero', 0n, 0n],
    ['2^63', 2n ** 63n, 2n ** 63n],
    ['2^64-1', 2n ** 64n - 1n, 2n ** 64n - 1n],
    ['the year 2300', 10_413_792_000_000_000_000n, 10_413_792_000_000_000_001n],
    ['ending before its start', 1_800_000_000_000_000_000n, 1_700_000_000_000_000_000n],
  ])('times: %s', async (what, startTimeUnixNano, endTimeUnixNano) => {
    const reply = await post(
      receivers.port,
      encodeTraceRequest(traceRequest([span(what, 't', { startTimeUnixNano, endTimeUnixNano })])),
    );
    expect(reply.status).toBe(200);
    const rejected = readPartialSuccess(reply.body)?.rejected ?? 0;
    expect(await stored(what)).toBe(1 - rejected);
  });
});
