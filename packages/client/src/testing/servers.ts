/** Small real servers that answer as they are told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect } from 'vitest';
import { CandelaError, type ClientOptions, createClient } from '../index.ts';

export const KEY = 'pk_test1234_0123456789abcdefghijABCDEFGHIJ0123456789abc';
export const PROMPT = {
  promptId: '0b7ff0a1-6e0f-4c53-9b86-000000000001',
  versionId: '0b7ff0a1-6e0f-4c53-9b86-000000000002',
  name: 'greeting',
  version: '1.2.0',
  tags: ['chat'],
  metaProperties: { owner: 'docs' },
  prompt: 'Hello {{name}}',
  compiledPrompt: 'Hello Ada',
  missing: ['place'],
  unused: ['n'],
};
/** What a chat prompt has beside. */
export const CHAT = {
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hello Ada' },
  ],
  modelSettings: { model: 'gpt-5.4', temperature: 0.2, stop: ['END'] },
  tools: [{ name: 'search', description: 'Looks it up', parameters: { type: 'object' } }, { name: 'stop' }],
  responseFormat: { type: 'json_schema', name: 'reply', schema: { type: 'object' } },
};

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export type Reply = (response: ServerResponse, seen: Seen) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  delete process.env['PLATFORM_URL'];
  delete process.env['PLATFORM_API_KEY'];
  for (const close of closers.splice(0)) await close();
});

/** A server that gives its replies one after another, the last one for ever. */
export async function serve(
  ...replies: Reply[]
): Promise<{ url: string; seen: Seen[]; close: () => Promise<void> }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const call = {
        method,
        path,
        headers,
        body: JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>,
      };
      seen.push(call);
      replies[Math.min(seen.length, replies.length) - 1]?.(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let closed: Promise<void> | undefined;
  const close = async () =>
    (closed ??= new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    }));
  closers.push(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
export const prompt = (
  over: Partial<typeof PROMPT> | object = {},
  headers: Record<string, string> = {},
): Reply => json(200, { err: null, res: { ...PROMPT, ...over } }, headers);
export const failure = (
  code: string,
  err: string,
  headers: Record<string, string> = {},
  res: unknown = null,
): Reply => json(200, { err, res }, { 'x-platform-error-code': code, 'x-request-id': 'req-7', ...headers });
export const silence: Reply = () => undefined;
export const hangUp: Reply = (response) => {
  response.socket?.destroy();
};
export const AGAIN_AT_ONCE = { 'retry-after': '0' };

export const client = (url: string, options: ClientOptions = {}) =>
  createClient({ url, apiKey: KEY, ...options });

export async function errorOf(promise: Promise<unknown>): Promise<CandelaError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CandelaError)) throw new Error(`no CandelaError but ${String(error)}`);
  expect(JSON.stringify([error.message, error.stack, error.cause, { ...error }])).not.toContain(KEY);
  return error;
}
