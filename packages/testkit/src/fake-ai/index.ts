/** A fake OpenAI and Anthropic on a real socket of the loopback: real SDKs talk to it without an account. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicMessage } from './anthropic-messages.ts';
import { FAILING_MODEL } from './answer.ts';
import { isJson, type Json } from './json.ts';
import { chatCompletion } from './openai-chat.ts';
import { embeddings } from './openai-embeddings.ts';
import { modelResponse } from './openai-responses.ts';
import type { Reply } from './reply.ts';

export interface FakeAi {
  /** `http://127.0.0.1:<port>`; OpenAI clients want `/v1` behind it, Anthropic's do not. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly { readonly path: string; readonly body: Json }[];
  close(): Promise<void>;
}

const ROUTES: readonly (readonly [RegExp, (body: Json) => Reply])[] = [
  [/\/chat\/completions$/, chatCompletion],
  [/\/responses$/, modelResponse],
  [/\/embeddings$/, embeddings],
  [/\/messages$/, anthropicMessage],
];

/** Starts the fake on a free port. Streams pause `chunkDelayMs` (default 2) between events. */
export async function startFakeAi(options: { chunkDelayMs?: number } = {}): Promise<FakeAi> {
  const requests: { path: string; body: Json }[] = [];
  const delay = options.chunkDelayMs ?? 2;
  const server = createServer((request, response) => {
    serve(request, response, requests, delay).catch((error: unknown) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: { message: String(error), type: 'invalid_request_error' } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => {
    server.once('listening', resolve).once('error', reject);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  requests: { path: string; body: Json }[],
  delay: number,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const route = ROUTES.find(([pattern]) => pattern.test(path))?.[1];
  if (request.method !== 'POST' || route === undefined) {
    send(response, 404, { error: { message: `no route ${path}`, type: 'not_found_error' } });
    return;
  }
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const body = isJson(parsed) ? parsed : {};
  requests.push({ path, body });
  if (body['model'] === FAILING_MODEL) {
    send(response, 429, {
      error: { message: 'rate limited', type: 'rate_limit_error', code: 'rate_limit', param: null },
    });
    return;
  }
  const reply = route(body);
  if (reply.kind === 'json') {
    send(response, reply.status, reply.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { event, data } of reply.events) {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
    await sleep(delay);
  }
  response.end();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    'request-id': 'req_1',
  });
  response.end(JSON.stringify(body));
}
