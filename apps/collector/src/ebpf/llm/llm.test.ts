import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { callOf, type LlmCall } from './calls.ts';
import { Connection } from './connection.ts';
import { parseEventStream, parseSse } from './documents.ts';

const T = 1n;
const text = (value: string) => Buffer.from(value, 'latin1');

/** What one exchange over HTTP/1.1 tells, its pieces cut after `step` bytes. */
function exchangeOf(path: string, request: string, answer: string, step = 7, content = false): LlmCall[] {
  const calls: LlmCall[] = [];
  const connection = new Connection((exchange) => {
    const call = callOf(exchange, content);
    if (call !== undefined) calls.push(call);
  });
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk-1\r\nContent-Length: ${request.length}\r\n\r\n`;
  connection.push('written', text(head + request), T);
  const bytes = text(answer);
  for (let at = 0; at < bytes.length; at += step) connection.push('read', bytes.subarray(at, at + step), T);
  connection.close(T);
  return calls;
}
const plain = (type: string, body: string, more = '') =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
const chunked = (type: string, body: string, size: number) => {
  const parts = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  return `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
};

describe('calls on the wire', () => {
  const sse = [
    'data: {"id":"c1","model":"gpt-x","choices":[{"delta":{"content":"a"}}]}',
    'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
    'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}}',
    'data: [DONE]',
    '',
  ];
  const asked = '{"model":"gpt-x","stream":true,"messages":[{"role":"user","content":"q"}]}';

  it.each([1, 3, 10, 1_000])('are read from chunks and pieces of any size: %i', (size) => {
    for (const end of ['\n\n', '\r\n\r\n']) {
      const [call] = exchangeOf(
        '/v1/chat/completions?key=k',
        asked,
        chunked('text/event-stream', sse.join(end), size),
        size,
      );
      expect(call).toMatchObject({
        operation: 'chat',
        provider: 'openai',
        requestModel: 'gpt-x',
        inputTokens: 3,
        outputTokens: 5,
        finishReasons: ['stop'],
        streamed: true,
        input: undefined,
        output: undefined,
        partial: false,
      });
    }
  });

  it.each([
    [
      '/v1/responses',
      '{"model":"m"}',
      '{"id":"r","model":"m","usage":{"input_tokens":4,"output_tokens":6}}',
      4,
      6,
    ],
    ['/v1/embeddings', '{"model":"m"}', '{"model":"m","usage":{"prompt_tokens":8}}', 8, undefined],
    [
      '/v1/messages',
      '{"model":"m"}',
      '{"usage":{"input_tokens":1,"output_tokens":2},"stop_reason":"end_turn"}',
      1,
      2,
    ],
    [
      '/v1beta/models/m:generateContent',
      '{}',
      '{"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":3,"thoughtsTokenCount":4}}',
      2,
      7,
    ],
    ['/model/m/converse', '{}', '{"usage":{"inputTokens":5,"outputTokens":6}}', 5, 6],
    [
      '/api/chat',
      '{"model":"m"}',
      '{"done":false}\n{"done":true,"prompt_eval_count":7,"eval_count":8}\n',
      7,
      8,
    ],
    ['/v2/chat', '{"model":"m"}', '{"usage":{"tokens":{"input_tokens":9,"output_tokens":1}}}', 9, 1],
  ])('of %s', (path, request, answer, inputTokens, outputTokens) => {
    const [call] = exchangeOf(path, request, plain('application/json', answer));
    expect(call).toMatchObject({ requestModel: 'm', inputTokens, outputTokens });
  });

  it('of MCP, packed bodies, and what is said only with consent', () => {
    const mcp = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}';
    expect(exchangeOf('/mcp', mcp, plain('application/json', '{}'))).toMatchObject([
      { operation: 'execute_tool', mcpMethod: 'tools/call', tool: 'search' },
    ]);
    const packed = gzipSync('{"model":"gpt-x","choices":[{"message":{"content":"yes"}}]}').toString('latin1');
    const answer = plain('application/json', packed, 'Content-Encoding: gzip\r\n');
    const [call] = exchangeOf('/v1/chat/completions', asked, answer, 5, true);
    expect(call).toMatchObject({ output: 'yes', input: [{ role: 'user', parts: [{ content: 'q' }] }] });
    expect(exchangeOf('/other', '{}', plain('application/json', '{}'))).toEqual([]);
  });

  it('are bounded: 50 MB, a bomb of gzip, half a message, nonsense', () => {
    const big = `{"x":"${'a'.repeat(50_000_000)}","usage":{"prompt_tokens":1}}`;
    const [call] = exchangeOf('/v1/embeddings', '{"model":"m"}', plain('application/json', big), 1_000_000);
    expect(call).toMatchObject({ requestModel: 'm', partial: true });
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576)).toString('latin1');
    const packed = plain('application/json', bomb, 'Content-Encoding: gzip\r\n');
    expect(exchangeOf('/v1/embeddings', '{"model":"m"}', packed, 65_536)).toMatchObject([{ partial: true }]);
    const half = plain('application/json', '{"model":"m"}').slice(0, -4);
    expect(exchangeOf('/v1/embeddings', '{"model":"m"}', half)).toMatchObject([{ partial: true }]);
    const connection = new Connection(() => expect.unreachable());
    connection.push('written', text(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`), T);
    // A block of references to nothing, frames that go on for ever, and a length beyond all.
    connection.push('written', Buffer.from('00000101040000000100'.replace(/00$/, 'ff'), 'hex'), T);
    connection.push(
      'written',
      Buffer.concat([Buffer.from('ffffff000000000001', 'hex'), Buffer.alloc(100)]),
      T,
    );
    connection.close(T);
  });
});

describe('documents', () => {
  it('of events with data of several lines, and of a binary event stream', () => {
    expect(parseSse('event: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata: [DONE]\r\n\r\n')).toEqual([{ a: 1 }]);
    const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from('{"b":2}').toString('base64') }));
    const message = Buffer.alloc(16 + payload.length);
    message.writeUInt32BE(message.length, 0);
    payload.copy(message, 12);
    expect(parseEventStream(Buffer.concat([message, message.subarray(0, 9)]))).toEqual([{ b: 2 }]);
    message.writeUInt32BE(0xffffffff, 0);
    expect(parseEventStream(message)).toEqual([]);
  });
});
