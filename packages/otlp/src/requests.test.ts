import { CandelaError } from '@candela/kernel';
import { describe, expect, it } from 'vitest';
import { decodeMetrics, decodeTraces, encodeTraceRequest, jsonToProtobuf } from './index.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value), 'utf8');
const bodyOf = (span: unknown): unknown => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
const spanOf = (body: Uint8Array) =>
  decodeTraces(body, 'json').resourceSpans?.[0]?.scopeSpans?.[0]?.spans?.[0] ?? {};
const valueOf = (value: string): unknown =>
  new Map(
    spanOf(
      Buffer.from(
        `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"k","value":${value}}]}]}]}]}`,
      ),
    ).attributes as ReadonlyMap<string, unknown>,
  ).get('k');

/** Wraps a message into length-delimited fields of these numbers, the last one innermost. */
function within(fields: readonly number[], inner: Uint8Array): Uint8Array {
  let bytes: Uint8Array = inner;
  for (const field of fields.toReversed()) {
    const head = [(field << 3) | 2];
    let rest = bytes.length;
    for (; rest >= 0x80; rest >>>= 7) head.push((rest & 0x7f) | 0x80);
    bytes = Buffer.concat([Uint8Array.from([...head, rest]), bytes]);
  }
  return bytes;
}

/** The detail of the `undecodable` that `act` throws. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(CandelaError);
    expect((error as CandelaError).code).toBe('undecodable');
    return (error as CandelaError).message;
  }
  throw new Error('nothing was thrown');
}

describe('protobuf', () => {
  it('writes the bytes that the specification says', () => {
    const body = encodeTraceRequest({
      resourceSpans: [
        {
          resource: { attributes: { a: 'b' } },
          scopeSpans: [
            {
              spans: [
                { traceId: TRACE_ID, name: 'n', startTimeUnixNano: 1n, attributes: { i: -1 }, kind: 2 },
              ],
            },
          ],
        },
      ],
    });
    expect(Buffer.from(body).toString('hex')).toBe(
      [
        '0a42', // resource_spans
        '0a0a0a080a016112030a0162', // resource { attributes { "a": "b" } }
        '1234', // scope_spans
        '1232', // spans
        `0a10${TRACE_ID}`,
        '2a016e', // name
        '3002', // kind
        '390100000000000000', // start
        '4a100a0169120b18ffffffffffffffffff01', // attributes { "i": -1 }
      ].join(''),
    );
  });

  it('reads fields in any order and skips unknown ones', () => {
    // name before trace_id, field 99 as varint, fixed64, bytes and fixed32.
    const span = `2a016e980601990601020304050607089a060268689d06010203040a10${TRACE_ID}`;
    const body = within([1, 2, 2], Buffer.from(span, 'hex'));
    expect(decodeTraces(body, 'protobuf')).toEqual(bodyOf({ name: 'n', traceId: TRACE_ID }));
  });

  it('takes packed and unpacked lists of numbers', () => {
    const points = (point: string) =>
      decodeMetrics(within([1, 2, 2, 9, 1], Buffer.from(point, 'hex')), 'protobuf').resourceMetrics?.[0]
        ?.scopeMetrics?.[0]?.metrics?.[0]?.histogram?.dataPoints;
    const [one, two] = ['0100000000000000', '0200000000000000'];
    expect(points(`3210${one}${two}`)).toEqual([{ bucketCounts: [1n, 2n] }]);
    expect(points(`31${one}31${two}`)).toEqual([{ bucketCounts: [1n, 2n] }]);
  });

  it('an empty body is an empty request', () => {
    expect(decodeTraces(new Uint8Array(0), 'protobuf')).toEqual({});
    expect(encodeTraceRequest({})).toHaveLength(0);
  });

  it.each([
    ['a truncated varint', 'ff'],
    ['a length past the end', '0a05'],
    ['a length past the end of its message', '0a02120f'],
    ['a varint of 11 bytes', '08ffffffffffffffffffff01'],
    ['a group', '0b'],
    ['field number 0', '00'],
    ['a length of more than 32 bits', '0affffffffff01'],
    ['text', '68656c6c6f'],
  ])('refuses %s', (_name, hex) => {
    refusal(() => decodeTraces(Buffer.from(hex, 'hex'), 'protobuf'));
  });

  it('refuses values that nest deeper than 64 levels, without a stack overflow', () => {
    const nested = (depth: number): Uint8Array => {
      // Built from the inside: AnyValue { array_value { values: AnyValue ... } }
      let value: Uint8Array = new Uint8Array(0);
      for (let level = 0; level < depth; level++) value = within([5, 1], value);
      return within([1, 2, 2, 9, 2], value);
    };
    expect(decodeTraces(nested(60), 'protobuf').resourceSpans).toHaveLength(1);
    const hostile = nested(10_000);
    expect(refusal(() => decodeTraces(hostile, 'protobuf'))).toContain('deeper than 64');
  });
});

describe('JSON', () => {
  it('takes ids in either case', () => {
    const span = { traceId: TRACE_ID.toUpperCase(), spanId: SPAN_ID };
    expect(spanOf(json(bodyOf(span)))).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID });
  });

  it('takes 64-bit integers as text and as number without losing a digit', () => {
    expect(spanOf(json(bodyOf({ startTimeUnixNano: '1700000000000000001' }))).startTimeUnixNano).toBe(
      1_700_000_000_000_000_001n,
    );
    const bare = Buffer.from(
      '{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":1700000000000000001}]}]}]}',
    );
    expect(spanOf(bare).startTimeUnixNano).toBe(1_700_000_000_000_000_001n);
    expect(valueOf('{"intValue":9007199254740993}')).toBe(9_007_199_254_740_993n);
    expect(valueOf('{"intValue":"-9223372036854775808"}')).toBe(-(2n ** 63n));
    expect(valueOf('{"intValue":5}')).toBe(5);
  });

  it.each([
    ['{"doubleValue":"NaN"}', Number.NaN],
    ['{"doubleValue":"-Infinity"}', Number.NEGATIVE_INFINITY],
    ['{"doubleValue":0.1}', 0.1],
    ['{"boolValue":false}', false],
    ['{"stringValue":""}', ''],
    ['{"bytesValue":"AQL/"}', Uint8Array.of(1, 2, 255)],
    ['{}', null],
    ['{"arrayValue":{}}', []],
    ['{"arrayValue":{"values":[{"stringValue":"a"},{}]}}', ['a', null]],
    ['{"kvlistValue":{"values":[{"key":"__proto__","value":{"intValue":1}}]}}', new Map([['__proto__', 1]])],
    ['{"stringValue":"\\ud800x"}', '\ufffdx'],
    ['{"stringValue":"a\\u0000b"}', 'a\u0000b'],
    ['{"somethingNew":1}', null],
  ])('reads %s', (text, expected) => {
    expect(valueOf(text)).toEqual(expected);
  });

  it('ignores unknown fields and null', () => {
    expect(spanOf(json(bodyOf({ name: 'n', kind: null, later: { deep: [1] } })))).toEqual({ name: 'n' });
  });

  it('keeps hostile keys as keys', () => {
    const keys = ['__proto__', 'constructor.prototype.x', '__proto__.isPublic', 'toString', '', 'a.0.b'];
    const attributes = keys.map((key) => ({ key, value: { stringValue: 'v' } }));
    const read = spanOf(json(bodyOf({ attributes }))).attributes as ReadonlyMap<string, unknown>;
    expect([...read.keys()]).toEqual(keys);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(({} as Record<string, unknown>)['isPublic']).toBeUndefined();
  });

  it.each([
    ['an enum by name', bodyOf({ kind: 'SPAN_KIND_CLIENT' })],
    ['an id in base64', bodyOf({ traceId: 'W47/95gDgQPSTVgw6FmIEg==' })],
    ['an id of half a byte', bodyOf({ traceId: 'abc' })],
    ['a name that is a number', bodyOf({ name: 5 })],
    ['a time that is no integer', bodyOf({ startTimeUnixNano: '1.5' })],
    ['a time past 64 bits', bodyOf({ startTimeUnixNano: '18446744073709551616' })],
    [
      'an integer past 64 bits',
      bodyOf({ attributes: [{ key: 'k', value: { intValue: '9223372036854775808' } }] }),
    ],
    ['attributes that are no list', bodyOf({ attributes: { k: 'v' } })],
    ['a value that is not wrapped', bodyOf({ attributes: [{ key: 'k', value: 'v' }] })],
    ['a list where an object belongs', { resourceSpans: [{ resource: [] }] }],
    ['a list', []],
    ['text', 'resourceSpans'],
  ])('refuses %s', (_name, body) => {
    refusal(() => decodeTraces(json(body), 'json'));
  });

  it.each(['', '{', '{"resourceSpans":', 'not json', '\u0000'])('refuses %j', (text) => {
    refusal(() => decodeTraces(Buffer.from(text), 'json'));
  });

  it('refuses deep nesting before parsing it', () => {
    refusal(() => decodeTraces(Buffer.from('['.repeat(5_000_000)), 'json'));
    refusal(() => decodeTraces(Buffer.from(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`), 'json'));
    // Brackets inside strings are text.
    expect(valueOf(`{"stringValue":"${'['.repeat(10_000)}\\"${'{'.repeat(10_000)}"}`)).toHaveLength(20_001);
  });

  it('allows the same depth of values as protobuf', () => {
    const nested = (depth: number): string =>
      depth === 0
        ? '{"intValue":1}'
        : `{"kvlistValue":{"values":[{"key":"k","value":${nested(depth - 1)}}]}}`;
    expect(valueOf(nested(64))).toBeInstanceOf(Map);
    expect(refusal(() => valueOf(nested(65)))).toContain('64');
  });
});

it('brings JSON to the very bytes that the encoder writes', () => {
  const body = json(
    bodyOf({ traceId: TRACE_ID, name: 'n', attributes: [{ key: 'k', value: { intValue: '7' } }] }),
  );
  const value = { traceId: TRACE_ID, name: 'n', attributes: { k: 7 } };
  expect(jsonToProtobuf('traces', body)).toEqual(encodeTraceRequest(bodyOf(value) as never));
});
