import type { Random } from '../random.ts';
import type { Attributes, Recorder, Service } from '../telemetry.ts';
import type { Scenario } from './scenario.ts';

const SCOPE = { name: 'candela.coding_agent', version: '1' };

interface Client {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly edit: string;
  readonly shell: string;
}
const CLIENTS: readonly (readonly [Client, number])[] = [
  [
    {
      name: 'claude-code',
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      edit: 'Edit',
      shell: 'Bash',
    },
    6,
  ],
  [{ name: 'codex', provider: 'openai', model: 'gpt-5-2025-08-07', edit: 'apply_patch', shell: 'shell' }, 3],
  [
    {
      name: 'gemini-cli',
      provider: 'gcp.gemini',
      model: 'gemini-2.5-flash',
      edit: 'replace',
      shell: 'run_shell_command',
    },
    2,
  ],
  // A model that no price list has: its calls show up as unpriced.
  [
    {
      name: 'cursor',
      provider: 'cursor',
      model: 'cursor-fast-preview',
      edit: 'edit_file',
      shell: 'run_terminal_cmd',
    },
    1,
  ],
];
const PEOPLE = [
  ['ada', 6],
  ['grace', 5],
  ['linus', 4],
  ['margaret', 3],
  ['edsger', 2],
  ['barbara', 1],
] as const;
const REPOSITORIES = [
  ['shop/storefront', 5],
  ['shop/checkout', 3],
  ['platform/infrastructure', 1],
] as const;

interface Task {
  readonly prompt: string;
  readonly file: string;
  readonly diff: string;
  readonly answer: string;
  readonly commit: string;
}
const TASKS: readonly Task[] = [
  {
    prompt: 'The pool hangs for ever when the database restarts. Add a timeout to take() and a test.',
    file: 'src/pool.ts',
    diff: '@@ -12,5 +12,8 @@\n   take(): Promise<Connection> {\n-    return new Promise((resolve) => this.waiting.push(resolve));\n+    return new Promise((resolve, reject) => {\n+      const timer = setTimeout(() => reject(new Error("timed out")), this.timeoutMs);\n+      this.waiting.push((connection) => (clearTimeout(timer), resolve(connection)));\n+    });\n   }',
    answer: 'A waiter now gives up after `timeoutMs`. The new test fails without the change.',
    commit: 'pool: a waiter gives up after a time',
  },
  {
    prompt: 'retry.ts retries 400 answers. It must only retry 429, 502, 503 and 504.',
    file: 'src/http/retry.ts',
    diff: '@@ -3,3 +3,4 @@\n-const retried = (status: number) => status >= 400;\n+const RETRIED = new Set([429, 502, 503, 504]);\n+const retried = (status: number) => RETRIED.has(status);\n export const retry = withBackoff(retried);',
    answer: 'Only 429, 502, 503 and 504 are retried now; a table of statuses is in the test.',
    commit: 'http: only answers that may change are retried',
  },
  {
    prompt: 'Orders are listed twice when two pages are fetched at once. Find out why and fix it.',
    file: 'src/orders/list.ts',
    diff: '@@ -20,3 +20,3 @@\n-    .offset(page * size)\n+    .where("id", ">", after)\n     .limit(size)',
    answer:
      'The list was paged by offset, which moves while orders come in. It now goes on after the last id.',
    commit: 'orders: pages go on after the last id',
  },
];

const said = (role: 'user' | 'assistant', content: string) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

/** A person works with a coding agent: turns with calls of models, tools, edits that are taken or refused, a commit. */
export const codingSession: Scenario = {
  id: 'coding-session',
  weight: 3,
  service: serviceOf('claude-code', 'ada', 'shop/storefront'),
  create() {
    const services = new Map<string, Service>();
    return (rec) => {
      const { random } = rec;
      const client = random.weighted(CLIENTS);
      const user = random.weighted(PEOPLE);
      const repository = random.weighted(REPOSITORIES);
      const key = `${client.name} ${user} ${repository}`;
      const service = services.get(key) ?? serviceOf(client.name, user, repository);
      services.set(key, service);
      record(rec, { client, service, user: `${user}@example.com`, id: `demo-${random.hex(12)}` });
    };
  },
};

function serviceOf(client: string, user: string, repository: string): Service {
  return {
    name: client,
    attributes: {
      'service.version': '2.1.0',
      'code.cwd': `/home/${user}/${repository}`,
      'vcs.repository.url.full': `https://github.com/${repository}`,
      'vcs.ref.head.name': user === 'ada' ? 'main' : `${user}/work`,
      'coding_agent.content_capture_mode': 'full',
    },
  };
}

interface Session {
  readonly client: Client;
  readonly service: Service;
  readonly user: string;
  readonly id: string;
}

function record(rec: Recorder, session: Session): void {
  const { random } = rec;
  const { client, service, user, id } = session;
  const common: Attributes = {
    'coding_agent.session.id': id,
    'coding_agent.client': client.name,
    'gen_ai.agent.name': client.name,
    'gen_ai.request.user': user,
  };
  const span = <T>(name: string, attributes: Attributes, body: () => T): T =>
    rec.span(
      { name: `coding_agent.${name}`, service, scope: SCOPE, attributes: { ...common, ...attributes } },
      body,
    );
  const commits = random.chance(0.6);
  span(
    'session',
    {
      'coding_agent.session.outcome': commits ? 'committed' : 'completed',
      'coding_agent.session.end.reason': 'prompt_input_exit',
    },
    () => {
      for (let turn = 1; turn <= random.int(1, 3); turn += 1) {
        const task = random.pick(TASKS);
        span(
          'turn',
          {
            'coding_agent.turn.number': turn,
            'gen_ai.input.messages': said('user', task.prompt),
            'gen_ai.output.messages': said('assistant', task.answer),
          },
          () => takeTurn(rec, { session, task, span, commits }),
        );
        rec.advance(random.latency(9_000));
      }
    },
  );
}

interface TurnOf {
  readonly session: Session;
  readonly task: Task;
  readonly span: <T>(name: string, attributes: Attributes, body: () => T) => T;
  readonly commits: boolean;
}

function takeTurn(rec: Recorder, { session, task, span, commits }: TurnOf): void {
  const { random } = rec;
  const { client } = session;
  const call = (source: 'main' | 'subagent' | 'side') =>
    span('llm.turn', { ...callOf(random, client), 'coding_agent.llm.source': source }, () =>
      rec.advance(random.latency(2_800)),
    );
  const tool = (name: string, more: Attributes, ms: number, inside: () => void = () => undefined) =>
    span('tool.call', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, ...more }, () => {
      rec.advance(random.latency(ms));
      inside();
    });
  call('main');
  tool('Read', { 'gen_ai.tool.call.arguments': JSON.stringify({ file_path: task.file }) }, 40);
  if (random.chance(0.35)) {
    tool(
      'Agent',
      { 'gen_ai.tool.call.arguments': JSON.stringify({ prompt: `Find who calls ${task.file}` }) },
      60,
      () =>
        span('subagent', { 'coding_agent.subagent.type': 'Explore' }, () => {
          call('subagent');
          tool('Grep', { 'gen_ai.tool.call.result': `${task.file}:14` }, 120);
          call('subagent');
        }),
    );
  }
  call('main');
  const decision = random.weighted([
    ['auto_accepted', 6],
    ['accept', 4],
    ['modify', 1],
    ['reject', 1],
  ] as const);
  const waited =
    decision === 'auto_accepted' ? {} : { 'coding_agent.permission.wait_ms': random.int(1_500, 30_000) };
  tool(client.edit, { 'code.file.path': task.file, ...waited }, 90, () => {
    const [added, removed] = ['+', '-'].map((sign) => task.diff.split(`\n${sign}`).length - 1);
    span(
      'edit.decision',
      {
        'coding_agent.edit.decision': decision,
        'coding_agent.edit.lines.added': added,
        'coding_agent.edit.lines.removed': removed,
        'coding_agent.edit.language': 'typescript',
        'code.file.path': task.file,
        'coding_agent.edit.diff': task.diff,
      },
      () => rec.advance(1),
    );
  });
  call('main');
  span(
    'tool.call',
    {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': client.shell,
      'coding_agent.tool.command': 'npm test',
      'gen_ai.tool.call.result': '42 passed',
    },
    () => rec.advance(random.latency(6_000)),
  );
  if (commits && decision !== 'reject') {
    tool(client.shell, { 'coding_agent.tool.command': `git commit -am "${task.commit}"` }, 180, () => {
      span(
        'git.commit',
        { 'coding_agent.git.commit.sha': random.hex(40), 'coding_agent.git.commit.message': task.commit },
        () => rec.advance(1),
      );
      if (random.chance(0.3)) {
        const url = `https://github.com/shop/storefront/pull/${random.int(100, 900)}`;
        span('git.pull_request', { 'coding_agent.git.pull_request.url': url }, () => rec.advance(1));
      }
    });
  }
  if (random.chance(0.15))
    span('session.compact', { 'coding_agent.compaction.trigger': 'auto' }, () => rec.advance(1));
  if (random.chance(0.4)) call('side');
}

/** Most of what an agent reads it read before. */
function callOf(random: Random, client: Client): Attributes {
  const cached = random.int(8_000, 60_000);
  const written = random.int(0, 4_000);
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': client.provider,
    'gen_ai.request.model': client.model,
    'gen_ai.response.model': client.model,
    'gen_ai.usage.input_tokens': cached + written + random.int(100, 2_500),
    'gen_ai.usage.cache_read.input_tokens': cached,
    'gen_ai.usage.cache_creation.input_tokens': written,
    'gen_ai.usage.output_tokens': random.int(80, 1_400),
  };
}
