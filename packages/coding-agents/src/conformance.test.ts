import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AGENTS, agentNamed } from './agents/index.ts';
import { makeFolders } from './spool/folders.ts';
import { type DrainSettings, readCounted, recover, step, take } from './spool/step.ts';
import { CAPTURE_MODES, type CaptureMode } from './telemetry/capture.ts';
import { SESSIONS } from './testing/sessions.ts';

const root = mkdtempSync(join(tmpdir(), 'candela-agents-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

type Value = {
  stringValue?: string;
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: Value[] };
};
type Keyed = { attributes: { key: string; value: Value }[] };
interface SentSpan extends Keyed {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}
interface Sent {
  resourceSpans?: { scopeSpans: { spans: SentSpan[] }[] }[];
  resourceMetrics?: {
    scopeMetrics: { metrics: { name: string; sum: { dataPoints: { asDouble: number }[] } }[] }[];
  }[];
}
const plain = (value?: Value) =>
  value?.stringValue ?? (value?.intValue === undefined ? value?.doubleValue : Number(value.intValue));
const get = (span: Keyed, key: string) => plain(span.attributes.find((one) => one.key === key)?.value);

/** Plays a session through spool, drainer and outbox. */
function play(
  session: (typeof SESSIONS)[number],
  options: Partial<DrainSettings> = {},
  payload: (p: object) => object = (p) => p,
) {
  const home = join(root, `home ${count++}`);
  const folders = makeFolders(join(home, 'state'));
  let path: string | undefined;
  if (session.transcript !== undefined) {
    path = join(home, session.transcript.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, session.transcript.lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  session.events.forEach(([event, body], n) => {
    const file = join(folders.spool, `${session.agent}.${event}.${n}.7`);
    writeFileSync(
      file,
      JSON.stringify(payload({ ...body, ...(path && { transcript_path: path, transcriptPath: path }) })),
    );
    utimesSync(file, 1_790_000_000 + n, 1_790_000_000 + n);
  });
  const settings: DrainSettings = {
    home,
    capture: 'full',
    repositories: [],
    host: 'h',
    environment: 'default',
    version: '0',
    ...options,
  };
  take(folders);
  step(folders, settings, readCounted(folders));
  recover(folders);
  const requests = readdirSync(folders.outbox).map((name) =>
    readFileSync(join(folders.outbox, name), 'utf8'),
  );
  const parsed = requests.map((text) => JSON.parse(text) as Sent);
  const spans = parsed.flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  const metrics = parsed
    .flatMap(({ resourceMetrics = [] }) =>
      resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
    )
    .flatMap(({ name, sum }) => sum.dataPoints.map(({ asDouble }) => ({ name, value: asDouble })));
  return { spans, metrics, text: requests.join('\n'), folders, home };
}
const sum = (list: readonly (string | number | undefined)[]) =>
  list.reduce<number>((all, one) => all + Number(one ?? 0), 0);

it('has a recorded session of every agent', () => {
  expect(new Set(SESSIONS.map(({ agent }) => agent))).toEqual(new Set(AGENTS.map(({ id }) => id)));
});

describe.each(SESSIONS.map((session) => [session.agent, session] as const))('%s', (id, session) => {
  const { spans, metrics } = play(session);
  const named = (name: string) => spans.filter((span) => span.name === name);

  it('says what was done', () => {
    const { expect: wanted } = session;
    expect(named('coding_agent.tool.call').map((span) => get(span, 'gen_ai.tool.name'))).toEqual(
      wanted.tools,
    );
    const edits = named('coding_agent.edit.decision');
    expect(edits.map((span) => get(span, 'coding_agent.edit.decision'))).toEqual(wanted.decisions);
    expect(sum(edits.map((span) => get(span, 'coding_agent.edit.lines.added')))).toBe(wanted.added);
    expect(sum(edits.map((span) => get(span, 'coding_agent.edit.lines.removed')))).toBe(wanted.removed);
    expect(named('coding_agent.git.commit')).toHaveLength(wanted.commits);
    expect(named('coding_agent.session')).toHaveLength(wanted.ends ? 1 : 0);
    expect(named('coding_agent.turn')).toHaveLength(1);
    expect(named('coding_agent.hook.unknown_event')).toEqual([]);
  });

  it('counts each response once', () => {
    const calls = named('coding_agent.llm.turn');
    const of = (key: string) => sum(calls.map((span) => get(span, `gen_ai.usage.${key}`)));
    const counts = [
      of('input_tokens'),
      of('cache_read.input_tokens'),
      of('cache_creation.input_tokens'),
      of('output_tokens'),
      of('reasoning.output_tokens'),
    ];
    expect(counts).toEqual(session.expect.tokens ?? [0, 0, 0, 0, 0]);
    expect(calls.map((call) => get(call, 'gen_ai.request.model'))).not.toContain('unknown');
    expect(named('coding_agent.session.compact')).toEqual([]);
  });

  it('is one tree: every parent but the root of the session is there, and nobody has two', () => {
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const orphans = new Set(
      spans.flatMap(({ parentSpanId }) => (parentSpanId && !ids.has(parentSpanId) ? [parentSpanId] : [])),
    );
    expect(orphans.size).toBe(session.expect.ends ? 0 : 1);
    const turn = named('coding_agent.turn')[0];
    for (const tool of named('coding_agent.tool.call')) expect(tool.parentSpanId).toBe(turn?.spanId);
    for (const span of spans)
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  });

  it('adds to the counters once', () => {
    const of = (name: string) =>
      sum(metrics.filter((metric) => metric.name === `coding_agent.${name}`).map(({ value }) => value));
    expect(of('session.count')).toBe(1);
    expect(of('tool.call.count')).toBe(session.expect.tools.length);
    expect(of('lines_of_code.count')).toBe(session.expect.added + session.expect.removed);
    expect(of('edit.decision.count')).toBe(session.expect.decisions.length);
    expect(of('commit.count')).toBe(session.expect.commits);
    expect(of('session.duration')).toBe(session.expect.ends ? session.events.length - 1 : 0);
  });

  it('gives the same ids again', () => {
    expect(play(session).spans.map(({ spanId }) => spanId)).toEqual(spans.map(({ spanId }) => spanId));
  });

  it.each(CAPTURE_MODES)('sends in %s what the mode allows and no secret', (capture: CaptureMode) => {
    const secret = `ghp_${'Ab3'.repeat(12)}`;
    const { text } = play(
      session,
      { capture },
      (body) => JSON.parse(JSON.stringify(body).replaceAll('hello', `hello ${secret}`)) as object,
    );
    expect(text).not.toContain(secret);
    expect(text.includes('print(')).toBe(capture === 'full');
    expect(text.includes('gen_ai.tool.name')).toBe(capture !== 'minimal');
    expect(text.includes('hello')).toBe(capture !== 'minimal');
    expect(text).toContain(
      `{"key":"coding_agent.content_capture_mode","value":{"stringValue":"${capture}"}}`,
    );
  });

  it('takes any JSON without an error', () => {
    const agent = agentNamed(id);
    const values = [null, 1, 'x', [], {}, { __proto__: null }, { session_id: 1 }, [[[]]]];
    for (const [event, body] of session.events) {
      for (const value of values) {
        agent?.map(event, value);
        for (const key of Object.keys(body)) agent?.map(event, { ...body, [key]: value });
      }
      agent?.map('no.such_event', body);
    }
  });
});

describe('Claude Code', () => {
  const claude = SESSIONS[0]!;
  it('counts what a fork copied into its own transcript only once', () => {
    const { folders, home } = play(claude);
    const path = join(home, '.claude/projects/-w/fork.jsonl');
    writeFileSync(
      path,
      claude.transcript!.lines.map((line) => `${JSON.stringify({ ...line, sessionId: 'fork' })}\n`).join(''),
    );
    const before = readdirSync(folders.outbox).length;
    writeFileSync(
      join(folders.spool, 'claude-code.SessionEnd.1.2'),
      JSON.stringify({ session_id: 'fork', transcript_path: path, reason: 'other' }),
    );
    utimesSync(join(folders.spool, 'claude-code.SessionEnd.1.2'), 1_790_000_100, 1_790_000_100);
    take(folders);
    step(
      folders,
      { home, capture: 'full', repositories: [], host: 'h', environment: 'default', version: '0' },
      readCounted(folders),
    );
    expect(readdirSync(folders.outbox).length).toBeGreaterThan(before);
    const text = readdirSync(folders.outbox)
      .slice(before - 1)
      .map((name) => readFileSync(join(folders.outbox, name), 'utf8'))
      .join('');
    expect(text.match(/"coding_agent.llm.turn"/g)?.length ?? 0).toBeLessThanOrEqual(2);
  });

  it.each(['/etc/passwd', '/dev/zero', '.claude/projects/../../secret.jsonl'])(
    'does not read %s as a transcript',
    (path) => {
      const { spans } = play(
        { ...claude, transcript: { path: 'secret.jsonl', lines: claude.transcript!.lines } },
        {},
        (body) => ({ ...body, transcript_path: path }),
      );
      expect(spans.filter(({ name }) => name === 'coding_agent.llm.turn')).toEqual([]);
    },
  );

  it('sends nothing of repositories that are not on the list', () => {
    expect(play(claude, { repositories: [['github.com/acme']] }).text).toBe('');
  });
});

it('OpenCode: the session of a sub-agent is a part of the one that started it', () => {
  const events: [string, object][] = [
    ['session.created', {}],
    ['chat.message', { text: 'ask a helper' }],
    ['tool.execute.before', { tool: 'task', callID: 'c1', args: { prompt: 'look' } }],
    ['subagent.created', { agentID: 'child', title: 'look (@general subagent)' }],
    ['tool.execute.before', { tool: 'bash', callID: 'c2', agentID: 'child', args: { command: 'ls' } }],
    [
      'tool.execute.after',
      { tool: 'bash', callID: 'c2', agentID: 'child', args: { command: 'ls' }, output: '' },
    ],
    ['message.completed', { id: 'm1', agentID: 'child', modelID: 'x', tokens: { input: 5, output: 2 } }],
    ['subagent.idle', { agentID: 'child', title: 'look (@general subagent)' }],
    ['tool.execute.after', { tool: 'task', callID: 'c1', args: { prompt: 'look' }, output: 'done' }],
    ['session.idle', {}],
  ];
  const session = SESSIONS.find(({ agent }) => agent === 'opencode');
  if (session === undefined) throw new Error('no session of OpenCode');
  const { spans } = play({
    ...session,
    events: events.map(([name, body]) => [name, { sessionID: 'top', cwd: '/w', ...body }] as const),
  } as typeof session);
  const named = (name: string) => spans.filter((span) => span.name === `coding_agent.${name}`);
  const [sub] = named('subagent');
  const tool = (name: string) => named('tool.call').find((span) => get(span, 'gen_ai.tool.name') === name);
  expect(named('turn')).toHaveLength(1);
  expect(get(sub!, 'coding_agent.subagent.type')).toBe('general');
  expect(sub?.parentSpanId).toBe(tool('task')?.spanId);
  expect(tool('bash')?.parentSpanId).toBe(sub?.spanId);
  expect(get(named('llm.turn')[0]!, 'coding_agent.llm.source')).toBe('subagent');
});

it('Copilot CLI: a sub-agent, which has an id of its own, is a part of the session that started it', () => {
  const inside = { sessionId: 'child', agentId: 'child', agentType: 'explore', parentAgentId: 'top' };
  const about = { agentId: 'child', agentType: 'explore', parentAgentId: 'top' };
  const [task, bash] = ['task', 'bash'].map((toolName) => ({ toolName, toolArgs: { command: 'ls' } }));
  const toolResult = { resultType: 'success', textResultForLlm: 'done' };
  const events: [string, object][] = [
    ['sessionStart', { source: 'new' }],
    ['userPromptSubmitted', { prompt: 'ask a helper' }],
    ['preToolUse', { ...task }],
    ['subagentStart', about],
    ['userPromptSubmitted', { ...inside, prompt: 'look' }],
    ['preToolUse', { ...inside, ...bash }],
    ['postToolUse', { ...inside, ...bash, toolResult }],
    ['agentStop', inside],
    ['subagentStop', { ...about, response: 'nothing' }],
    ['postToolUse', { ...task, toolResult }],
    ['agentStop', {}],
    ['sessionEnd', { reason: 'complete' }],
  ];
  const session = SESSIONS.find(({ agent }) => agent === 'copilot-cli');
  if (session === undefined) throw new Error('no session of Copilot CLI');
  const { transcript: _, ...rest } = session;
  const { spans } = play({
    ...rest,
    events: events.map(([name, body]) => [name, { sessionId: 'top', cwd: '/w', ...body }] as const),
  } as typeof session);
  const named = (name: string) => spans.filter((span) => span.name === `coding_agent.${name}`);
  const tool = (name: string) => named('tool.call').find((span) => get(span, 'gen_ai.tool.name') === name);
  expect([named('session'), named('turn'), named('subagent')].map(({ length }) => length)).toEqual([1, 1, 1]);
  expect(named('subagent')[0]?.parentSpanId).toBe(tool('task')?.spanId);
  expect(tool('bash')?.parentSpanId).toBe(named('subagent')[0]?.spanId);
});

it('sets payloads aside that are none', () => {
  const folders = makeFolders(join(root, 'bad'));
  const old = 1_790_000_000;
  for (const [n, bytes] of ['', '{', 'x\0y', Buffer.from([0xff, 0xfe])].entries()) {
    const file = join(folders.spool, `codex.Stop.${n}.1`);
    writeFileSync(file, bytes);
    utimesSync(file, old, old);
  }
  expect(take(folders)).toBe(0);
  expect(readdirSync(folders.spool)).toEqual([]);
  expect(readdirSync(folders.bad)).toHaveLength(4);
});
