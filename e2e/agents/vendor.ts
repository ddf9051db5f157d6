import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { APIS, type Asked, type Json, RESULT, type Sent, type Step } from './apis.ts';

export interface Vendor {
  readonly url: string;
  /** What was sent so far, an entry an answer. `side`: asked for without tools, as titles are. */
  readonly answers: readonly (Sent & { readonly side: boolean })[];
  /** Paths that were asked for and are not there. */
  readonly unknown: readonly string[];
  close(): Promise<void>;
}

const CONTENT = 'print("hello")\nprint("world")\n';
const COMMIT = 'git add -A && git -c user.name=t -c user.email=t@example.invalid commit -m "add hello"';
const PATCH = `*** Begin Patch\n*** Add File: hello.py\n+print("hello")\n+print("world")\n*** End Patch\n`;

/** The tools that write a file, run a line of shell and start a sub-agent, as agents call them. */
const WRITES: readonly (readonly [name: string, input: (folder: string) => object])[] = [
  ['Write', (folder) => ({ file_path: `${folder}/hello.py`, content: CONTENT })],
  ['apply_patch', () => ({ input: PATCH, patchText: PATCH })],
  ['write_file', (folder) => ({ file_path: `${folder}/hello.py`, content: CONTENT })],
  ['write', (folder) => ({ filePath: `${folder}/hello.py`, content: CONTENT })],
  ['create', (folder) => ({ path: `${folder}/hello.py`, file_text: CONTENT })],
];
const SHELLS: readonly (readonly [name: string, input: (line: string) => object])[] = [
  ['Bash', (line) => ({ command: line, description: 'run' })],
  ['exec_command', (line) => ({ cmd: line })],
  ['shell_command', (line) => ({ command: line })],
  ['shell', (line) => ({ command: ['bash', '-lc', line] })],
  ['run_shell_command', (line) => ({ command: line, description: 'run' })],
  ['bash', (line) => ({ command: line, description: 'run' })],
];
const HELPERS: readonly (readonly [name: string, input: object])[] = [
  ['Agent', { description: 'look', prompt: 'PLAN:look', subagent_type: 'general-purpose' }],
  ['Task', { description: 'look', prompt: 'PLAN:look', subagent_type: 'general-purpose' }],
  [
    'task',
    {
      description: 'look',
      prompt: 'PLAN:look',
      subagent_type: 'general',
      agent_type: 'general-purpose',
      name: 'look',
    },
  ],
];

/**
 * Fake vendors on loopback: Anthropic's messages, OpenAI's responses and chat completions, Google's generateContent. A prompt with
 * `PLAN:<name>` says what the model does; how far it is follows from the results of tools since.
 */
export async function startVendor(folder: string): Promise<Vendor> {
  const answers: (Sent & { side: boolean })[] = [];
  const unknown: string[] = [];
  const server = createServer((request, response) => {
    serve(request, response, folder, answers, unknown).catch((thrown: unknown) => {
      response.statusCode = 500;
      response.end(String(thrown));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    unknown,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const has = (asked: Asked, name: string) => asked.tools.includes(name);

/** What the model does next. */
function next(asked: Asked, folder: string): Step {
  const from = asked.told.findLastIndex((text) => text.includes('PLAN:'));
  const plan = /PLAN:(\w+)/.exec(asked.told[from] ?? '')?.[1];
  const done = asked.told.slice(from + 1).filter((text) => text === RESULT).length;
  if (asked.tools.length === 0 || plan === undefined) return { text: 'A title' };
  const shell = (line: string) => {
    const found = SHELLS.find(([name]) => has(asked, name));
    return found === undefined ? [] : [{ text: '', tool: { name: found[0], input: found[1](line) } }];
  };
  const steps: readonly Step[] =
    plan === 'edit'
      ? [
          ...WRITES.filter(([name]) => has(asked, name))
            .slice(0, 1)
            .map(([name, input]) => ({ text: 'I write it.', tool: { name, input: input(folder) } })),
          ...shell(COMMIT),
        ]
      : plan === 'help'
        ? HELPERS.filter(([name]) => has(asked, name))
            .slice(0, 1)
            .map(([name, input]) => ({ text: 'I ask a helper.', tool: { name, input } }))
        : plan === 'look'
          ? shell('ls')
          : [];
  return steps[done] ?? { text: 'Done.' };
}

let count = 0;

/** No two answers have the same counts: what is counted twice or left out shows. */
function usageOf(): Sent {
  count += 1;
  return {
    input: 1_000 + count,
    cacheRead: 3_000 + 7 * count,
    cacheWrite: 0,
    output: 50 + count,
    reasoning: 20,
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  answers: (Sent & { side: boolean })[],
  unknown: string[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const text = Buffer.concat(chunks).toString('utf8');
  const body = (text === '' ? {} : JSON.parse(text)) as Json;
  const found = APIS.find(({ path: pattern }) => pattern.test(path));
  if (path.endsWith('/count_tokens')) return json(response, { input_tokens: 100 });
  if (path.endsWith('/models')) return json(response, { object: 'list', data: [], models: [] });
  if (found === undefined) {
    unknown.push(`${request.method} ${path}`);
    response.statusCode = 404;
    return json(response, { error: { message: `no route ${path}`, type: 'not_found_error' } });
  }
  const asked = found.read(body, path);
  const step = next(asked, folder);
  const sent = found.sent(usageOf());
  answers.push({ ...sent, side: asked.tools.length === 0 });
  const id = `${count}${Date.now()}`;
  const streams = body['stream'] === true || path.endsWith(':streamGenerateContent');
  const { whole, events } = found.write({ step, sent, id, model: asked.model, body });
  if (!streams && whole !== undefined) return json(response, whole);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${id}` });
  for (const [event, data] of events) {
    const written = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === '' ? '' : `event: ${event}\n`}data: ${written}\n\n`);
  }
  response.end();
}

function json(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json');
  response.setHeader('request-id', `req_${count}${Date.now()}`);
  response.end(JSON.stringify(body));
}
