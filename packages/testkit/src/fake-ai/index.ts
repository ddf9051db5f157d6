/** A fake OpenAI, Anthropic, Google and Mistral on a real socket of the loopback: real SDKs talk to it without an account. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicMessage } from './anthropic-messages.ts';
import type { ScriptedAnswer } from './answer.ts';
import { ABSENT_MODEL, CUT_MODEL, ENDLESS_MODEL, FAILING_MODEL, SILENT_MODEL, WRONG_KEY } from './answer.ts';
import { googleContent } from './google-content.ts';
import { isJson, type Json } from './json.ts';
import { chatCompletion } from './openai-chat.ts';
import { embeddings } from './openai-embeddings.ts';
import { modelResponse } from './openai-responses.ts';
import type { Reply } from './reply.ts';

interface FakeAiRequest {
  readonly path: string;
  readonly body: Json;
  readonly headers: IncomingHttpHeaders;
}

export type { ScriptedAnswer } from './answer.ts';
export { ABSENT_MODEL, CUT_MODEL, ENDLESS_MODEL, FAILING_MODEL, SILENT_MODEL, WRONG_KEY } from './answer.ts';

export interface FakeAi {
  /** What the next calls of chat completions and Anthropic messages are answered with, one each, in this order. */
  script(...answers: readonly ScriptedAnswer[]): void;
  /** `http://127.0.0.1:<port>`; OpenAI's and Mistral's clients want `/v1` behind it, Google's `/v1beta`. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly FakeAiRequest[];
  /** Calls whose connection is still there and whose answer has not ended. */
  readonly open: number;
  close(): Promise<void>;
}

const ROUTES: readonly (readonly [RegExp, (body: Json, scripted?: ScriptedAnswer) => Reply])[] = [
  [/\/chat\/completions$/, chatCompletion],
  [/\/responses$/, modelResponse],
  [/\/embeddings$/, embeddings],
  [/\/messages$/, anthropicMessage],
  [/:(?:streamGenerateContent|generateContent)$/, googleContent],
];

/**
 * Starts the fake on a free port. Streams pause `chunkDelayMs` (default 2) between events. `respond` answers chat
 * completions and Anthropic messages that no script answers; undefined: as usual.
 */
export async function startFakeAi(
  options: { chunkDelayMs?: number; respond?: (body: Json) => ScriptedAnswer | undefined } = {},
): Promise<FakeAi> {
  const requests: FakeAiRequest[] = [];
  const scripts: ScriptedAnswer[] = [];
  let open = 0;
  const delay = options.chunkDelayMs ?? 2;
  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    serve(request, response, { requests, scripts, delay, respond: options.respond }).catch(
      (error: unknown) => {
        response.statusCode = 400;
        response.end(JSON.stringify({ error: { message: String(error), type: 'invalid_request_error' } }));
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => {
    server.once('listening', resolve).once('error', reject);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    script: (...answers) => void scripts.push(...answers),
    get open() {
      return open;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  {
    requests,
    scripts,
    delay,
    respond,
  }: {
    requests: FakeAiRequest[];
    scripts: ScriptedAnswer[];
    delay: number;
    respond: ((body: Json) => ScriptedAnswer | undefined) | undefined;
  },
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
  const given = isJson(parsed) ? parsed : {};
  // Google's has the model in the path.
  const model = /\/models\/([^/]+):\w+$/.exec(path)?.[1];
  const streamed = path.endsWith(':streamGenerateContent') ? { stream: true } : {};
  const body: Json =
    model === undefined ? given : { ...given, model: decodeURIComponent(model), ...streamed };
  requests.push({ path, body, headers: request.headers });
  if (JSON.stringify(request.headers).includes(WRONG_KEY)) {
    const message = `Incorrect API key provided: ${WRONG_KEY}.`;
    send(response, 401, { error: { message, type: 'authentication_error', code: 'invalid_api_key' } });
    return;
  }
  if (body['model'] === ABSENT_MODEL) {
    const message = `The model ${ABSENT_MODEL} does not exist.`;
    send(response, 404, { error: { message, type: 'not_found_error', code: 'model_not_found' } });
    return;
  }
  if (body['model'] === SILENT_MODEL) return;
  if (body['model'] === FAILING_MODEL) {
    send(response, 429, {
      error: { message: 'rate limited', type: 'rate_limit_error', code: 'rate_limit', param: null },
    });
    return;
  }
  const isScripted = /\/(chat\/completions|messages)$/.test(path);
  const scripted = isScripted ? (scripts.shift() ?? respond?.(body)) : undefined;
  if (scripted?.status !== undefined) {
    const message = `scripted failure ${scripted.status}`;
    send(response, scripted.status, { error: { message, type: 'scripted', code: null, param: null } });
    return;
  }
  const reply = route(body, scripted);
  if (reply.kind === 'json') {
    send(response, reply.status, reply.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const texts = reply.events.map(({ event, data }, index) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    return {
      text: `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`,
      hasWords: scripted?.text === undefined ? /Hello |You /.test(text) : index > 0,
    };
  });
  // The event that carries the first words of the answer, not those that sum it up.
  const first = texts.findIndex(({ hasWords }) => hasWords);
  for (const [index, { text }] of texts.entries()) {
    response.write(text);
    await sleep(delay);
    if (index !== first) continue;
    if (body['model'] === CUT_MODEL || scripted?.cut === true) {
      response.destroy();
      return;
    }
    while (body['model'] === ENDLESS_MODEL && !response.destroyed) {
      if (!response.write(text)) await drained(response);
    }
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

/** Resolves when more can be written, or when nobody is there any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle).off('close', settle);
      resolve();
    };
    response.on('drain', settle).on('close', settle);
  });
}
