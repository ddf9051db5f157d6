import { type AgentFigures, parseFilterOrFail } from '@candela/contract';
import type { Span } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  id,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';
import { type AgentQueries, createAgentQueries } from './index.ts';

let bench: QueryBench;
let queries: AgentQueries;
let statements: string[];
const context = contextOf();
const at = (ms: number) => BigInt(BASE_MS + ms) * 1_000_000n;
const window = { from: at(-60_000), to: at(3_600_000) };
const HOSTILE = 'crew "lead" (or) a:b/\\*';

let next = 1_000;

interface Call {
  readonly trace: number;
  readonly parent?: number;
  readonly atMs: number;
  readonly agent?: string;
  readonly system?: string;
  readonly model?: string;
  readonly temperature?: number;
  readonly failed?: boolean;
  readonly tools?: string;
}

function call(given: Call): Span {
  const own = next++;
  const start = BigInt(BASE_MS + given.atMs) * 1_000_000n;
  return span(given.trace, own, given.atMs, {
    name: 'chat',
    endTimeUnixNano: start + BigInt(40 + (own % 7) * 30) * 1_000_000n,
    ...(given.parent === undefined ? {} : { parentSpanId: id(given.parent, 16) }),
    ...(given.failed === true ? { status: { code: 2, message: 'limit' } } : {}),
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': given.model ?? 'gpt-4o',
      'gen_ai.request.temperature': given.temperature ?? 0.2,
      ...(given.agent === undefined ? {} : { 'gen_ai.agent.name': given.agent }),
      'gen_ai.usage.input_tokens': 100 + (own % 5),
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.tool.definitions':
        given.tools ??
        JSON.stringify([{ type: 'function', name: 'search', description: 'Finds', parameters: {} }]),
      'gen_ai.input.messages': JSON.stringify([
        { role: 'system', parts: [{ type: 'text', content: given.system ?? 'You plan.' }] },
        { role: 'user', parts: [{ type: 'text', content: `question ${own}` }] },
      ]),
      'gen_ai.output.messages': '[]',
    },
  });
}

const run = (trace: number, own: number, atMs: number, agent: string, parent?: number): Span =>
  span(trace, own, atMs, {
    name: `invoke_agent ${agent}`,
    ...(parent === undefined ? {} : { parentSpanId: id(parent, 16) }),
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent },
  });
const tool = (trace: number, own: number, atMs: number, name: string, parent: number, agent?: string): Span =>
  span(trace, own, atMs, {
    name: `execute_tool ${name}`,
    parentSpanId: id(parent, 16),
    ...(name === 'fetch' ? { status: { code: 2, message: 'no' } } : {}),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      ...(agent === undefined ? {} : { 'gen_ai.agent.name': agent }),
    },
  });

beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  statements = recorded.statements;
  queries = createAgentQueries(recorded.store, LIMITS);
  const spans: Span[] = [];
  for (let trace = 1; trace <= 12; trace++) {
    const base = trace * 50;
    const atMs = trace * 60_000;
    const system = trace <= 6 ? 'You plan.' : 'You plan well.';
    spans.push(
      run(trace, base, atMs, HOSTILE),
      call({ trace, parent: base, atMs: atMs + 1, agent: HOSTILE, system }),
      call({ trace, parent: base, atMs: atMs + 2, agent: HOSTILE, system, failed: trace % 4 === 0 }),
      tool(trace, base + 1, atMs + 3, 'search', base, HOSTILE),
      span(trace, base + 2, atMs + 4, { parentSpanId: id(base, 16) }),
      run(trace, base + 3, atMs + 5, 'writer', base + 2),
      call({ trace, parent: base + 3, atMs: atMs + 6, model: 'gpt-4o-mini' }),
      tool(trace, base + 4, atMs + 7, 'fetch', base + 3),
    );
  }
  // A circle of parents, and an agent that calls itself.
  spans.push(
    run(20, 2_001, 0, 'writer', 2_002),
    run(20, 2_002, 0, 'writer', 2_001),
    call({ trace: 21, atMs: 100, agent: HOSTILE, temperature: 0.9 }),
  );
  await bench.put(spans);
  await bench.put([run(30, 3_001, 0, 'foreign')], { project: 'other' });
}, 60_000);
afterAll(() => bench.close());

/** The figures that the filter of a figure gives in the aggregate: what a person sees who follows the link. */
async function recomputed(figures: AgentFigures): Promise<void> {
  const { rows } = await bench.queries.aggregate(context, {
    signal: 'spans',
    window,
    filter: parseFilterOrFail(figures.q, 'spans'),
    groupBy: [],
    measures: ['count', 'errors', 'duration_p50', 'duration_p95', 'input_tokens', 'output_tokens', 'cost'],
    bucketSeconds: undefined,
    limit: 1,
    comparePrevious: false,
  });
  const [count, errors, p50, p95, input, output, cost] = rows[0]?.values ?? [];
  expect([figures.q, figures.count, figures.errors]).toEqual([figures.q, count ?? 0, errors ?? 0]);
  expect(figures.inputTokens ?? 0).toBe(input ?? 0);
  expect(figures.outputTokens ?? 0).toBe(output ?? 0);
  expect(figures.costUsd ?? 0).toBeCloseTo(cost ?? 0, 9);
  if (figures.count === 0) return;
  expect(Math.abs((figures.p50Ms ?? 0) / (p50 ?? 1) - 1)).toBeLessThan(0.03);
  expect(Math.abs((figures.p95Ms ?? 0) / (p95 ?? 1) - 1)).toBeLessThan(0.03);
}

describe('agents', () => {
  it('states its statements and lists the busiest first', async () => {
    statements.length = 0;
    const { agents, total, bucketSeconds } = await queries.agents(context, { window, search: undefined });
    expect(statements).toHaveLength(3);
    expect(statements[0]).toMatch(
      /^SELECT AgentName, count\(\) OVER \(\) AS Total FROM \(SELECT Bucket, AgentName, .* FROM agent_figures WHERE ProjectId = \{p0:String\} .* UNION ALL SELECT .*\) WHERE 1 GROUP BY AgentName ORDER BY sum\(Spans\) DESC, AgentName LIMIT 200$/,
    );
    expect(total).toBe(2);
    expect(bucketSeconds).toBe(300);
    expect(agents.map((agent) => agent.name)).toEqual([HOSTILE, 'writer']);
    expect(agents[0]).toMatchObject({
      frameworks: ['gen-ai', 'test'],
      services: ['shop'],
      providers: ['openai'],
      models: ['gpt-4o'],
      versions: 3,
      runs: { count: 12 },
      calls: { count: 25, errors: 3 },
      tools: { count: 12, errors: 0 },
    });
    expect(agents[0]?.trend.reduce((sum, point) => sum + point.count, 0)).toBe(12);
    expect(agents[1]).toMatchObject({ versions: 0, runs: { count: 14 }, calls: { count: 0, p50Ms: null } });
  });

  it('finds by a part of the name', async () => {
    const { agents } = await queries.agents(context, { window, search: 'WRIT' });
    expect(agents.map((agent) => agent.name)).toEqual(['writer']);
    expect((await queries.agents(context, { window, search: '%' })).agents).toEqual([]);
  });

  it('gives every number again from the spans', async () => {
    const { agents } = await queries.agents(context, { window, search: undefined });
    for (const agent of agents)
      for (const kind of ['runs', 'calls', 'tools'] as const) await recomputed(agent[kind]);
    const agent = await queries.agent(context, { agent: HOSTILE, window });
    const parts = [...agent.byModel, ...agent.byTool, ...agent.byVersion];
    expect(parts).toHaveLength(5);
    for (const part of parts) await recomputed(part.figures);
    for (const name of [HOSTILE, 'writer']) {
      const graph = await queries.graph(context, { agent: name, window });
      for (const { figures } of graph.edges) await recomputed({ ...figures, q: figures.q ?? '' });
    }
  });
});

describe('versions', () => {
  it('have the name that the application gives them, in the call or in the span of the agent around it', async () => {
    const named = (spans: readonly Span[], name: string) =>
      spans.map((one) => ({ ...one, attributes: { ...one.attributes, 'gen_ai.agent.version': name } }));
    const asked = (trace: number, system: string) =>
      call({ trace, parent: trace * 10, atMs: trace * 1_000, agent: 'named', system });
    const project = 'versions';
    await bench.put(
      [
        // In the call itself, whatever the span around it says.
        ...named([run(1, 10, 1_000, 'named')], 'outer'),
        ...named([asked(1, 'one')], '1.0.0'),
        // Around it.
        ...named([run(2, 20, 2_000, 'named')], '2.0.0'),
        asked(2, 'two'),
        // That of another agent says nothing of it, nor that of another trace.
        ...named([run(3, 30, 3_000, 'other')], '3.0.0'),
        asked(3, 'three'),
        // The last call counts.
        ...named([asked(4, 'four')], 'four'),
        ...named([{ ...asked(5, 'four'), parentSpanId: '' }], 'x'.repeat(300)),
      ],
      { project },
    );
    const { byVersion } = await queries.agent(contextOf(project), { agent: 'named', window });
    expect(byVersion.map(({ name }) => name)).toEqual(['x'.repeat(100), null, '2.0.0', '1.0.0']);
    const without = await queries.agent(context, { agent: HOSTILE, window });
    expect(without.byVersion.map(({ name }) => name)).toEqual([null, null, null]);
  });

  it('are told apart by prompt and settings, the newest first', async () => {
    const { byVersion } = await queries.agent(context, { agent: HOSTILE, window });
    expect(byVersion.map(({ figures }) => figures.count)).toEqual([12, 12, 1]);
    const contents = await Promise.all(
      byVersion.map(({ version }) => queries.version(context, { agent: HOSTILE, window, version })),
    );
    expect(contents.map(({ system }) => system)).toEqual(['You plan well.', 'You plan.', 'You plan.']);
    expect(contents[0]).toMatchObject({
      model: 'gpt-4o',
      tools: [{ name: 'search', description: 'Finds' }],
      settings: [{ key: 'gen_ai.request.temperature', value: '0.2' }],
    });
    expect(contents[2]?.settings).toEqual([{ key: 'gen_ai.request.temperature', value: '0.9' }]);
  });

  it('of nobody and nowhere are not found', async () => {
    const version = '0'.repeat(16);
    await expect(queries.version(context, { agent: HOSTILE, window, version })).rejects.toMatchObject({
      code: 'not_found',
    });
    for (const agent of ['foreign', 'nobody']) {
      await expect(queries.agent(context, { agent, window })).rejects.toMatchObject({ code: 'not_found' });
      await expect(queries.graph(context, { agent, window })).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('who calls whom', () => {
  it('follows parents to the nearest agent, and knows what the agent itself names', async () => {
    const graph = await queries.graph(context, { agent: HOSTILE, window });
    expect(graph.edges.map(({ from, to, basis, figures }) => [from, to, basis, figures.count])).toEqual([
      [`agent ${HOSTILE}`, 'model gpt-4o', 'window', 25],
      [`agent ${HOSTILE}`, 'tool search', 'window', 12],
      [`agent ${HOSTILE}`, 'agent writer', 'newest', 12],
    ]);
    expect(graph).toMatchObject({ sampledTraces: 13, complete: true });
  });

  it('tells tools and models that name no agent by their parents, and ends on circles', async () => {
    const graph = await queries.graph(context, { agent: 'writer', window });
    expect(
      graph.edges.map(({ from, to, basis, figures }) => [from, to, basis, figures.count, figures.errors]),
    ).toEqual([
      [`agent ${HOSTILE}`, 'agent writer', 'newest', 12, 0],
      ['agent writer', 'model gpt-4o-mini', 'newest', 12, 0],
      ['agent writer', 'tool fetch', 'newest', 12, 12],
      ['agent writer', 'agent writer', 'newest', 2, 0],
    ]);
  });
});

describe('agents that hand over to each other', () => {
  const project = contextOf('handover');
  const agent = (own: number, atMs: number, attributes: Record<string, string>): Span =>
    span(70, own, atMs, {
      name: 'agent',
      parentSpanId: id(7_000, 16),
      attributes: { 'openinference.span.kind': 'AGENT', ...attributes },
    });
  const handOver = (trace: number, own: number, atMs: number, from: string, to: string): Span =>
    span(trace, own, atMs, {
      name: 'handoff',
      parentSpanId: id(7_100, 16),
      attributes: { 'gen_ai.handoff.from_agent': from, 'gen_ai.handoff.to_agent': to },
    });
  beforeAll(() =>
    bench.put(
      [
        span(70, 7_000, 1_000, { name: 'Agent workflow' }),
        agent(7_001, 1_100, { 'graph.node.id': 'n-1', 'graph.node.name': 'Triage' }),
        agent(7_002, 1_200, { 'graph.node.id': 'Refunds', 'graph.node.parent_id': 'n-1' }),
        // By the name of the agent, and by a node that nobody is here.
        agent(7_003, 1_300, { 'graph.node.id': 'Mail', 'graph.node.parent_id': 'Refunds' }),
        agent(7_004, 1_400, { 'graph.node.id': 'Lost', 'graph.node.parent_id': 'n-9' }),
        // Forth and back, each told by a span of its own.
        run(71, 7_101, 2_000, 'Front', 7_100),
        handOver(71, 7_102, 2_010, 'Front', 'Back'),
        run(71, 7_103, 2_020, 'Back', 7_100),
        handOver(71, 7_104, 2_030, 'Back', 'Front'),
        run(71, 7_105, 2_040, 'Front', 7_100),
      ],
      { project: 'handover' },
    ),
  );
  const edgesOf = async (during: typeof window, name: string) =>
    (await queries.graph(project, { agent: name, window: during })).edges.map(
      ({ from, to, figures }) => `${from} > ${to} ${figures.count}`,
    );

  it('are told by what their runs and the spans between say: these stand side by side', async () => {
    expect((await edgesOf(window, 'Refunds')).toSorted()).toEqual([
      'agent Refunds > agent Mail 1',
      'agent Triage > agent Refunds 1',
    ]);
    expect((await edgesOf(window, 'Front')).toSorted()).toEqual([
      'agent Back > agent Front 1',
      'agent Front > agent Back 1',
    ]);
  });

  it('count what began in the time range, and are told by what began before it too', async () => {
    const during = { from: at(1_150), to: at(1_250) };
    expect(await edgesOf(during, 'Refunds')).toEqual(['agent Triage > agent Refunds 1']);
  });
});

describe('an agent of more models than an answer lists', () => {
  const wide = contextOf('wide');
  beforeAll(async () => {
    const models = Array.from({ length: 130 }, (_, n) =>
      call({ trace: 40, parent: 4_000, atMs: 10 + n, agent: 'wide', model: `tuned-${n}` }),
    );
    await bench.put(
      [
        run(40, 4_000, 0, 'wide'),
        ...models,
        tool(40, 4_001, 500, 'search', 4_000, 'wide'),
        run(40, 4_002, 600, 'helper', 4_000),
      ],
      { project: 'wide' },
    );
  });

  it('says how many there are', async () => {
    const agent = await queries.agent(wide, { agent: 'wide', window });
    expect([agent.byModel.length, agent.modelCount]).toEqual([100, 130]);
    expect([agent.byTool.length, agent.toolCount]).toEqual([1, 1]);
  });

  it('shows its tools and other agents in the graph, beside as many models as there is room for', async () => {
    const { nodes, edges, hidden } = await queries.graph(wide, { agent: 'wide', window });
    const counts = Map.groupBy(nodes, (node) => node.kind);
    expect([...counts].map(([kind, own]) => [kind, own.length])).toEqual([
      ['agent', 2],
      ['model', 58],
      ['tool', 1],
    ]);
    expect(hidden).toBe(130 - 58);
    expect(edges.map((edge) => edge.to)).toEqual(expect.arrayContaining(['tool search', 'agent helper']));
    const all = await queries.graph(context, { agent: HOSTILE, window });
    expect(all.hidden).toBe(0);
  });
});

describe('agents whose spans still run', () => {
  const project = contextOf('running');
  /** Ten seconds, or none yet. */
  const lasting = (own: number, span: Span, ended: boolean): Span => ({
    ...span,
    spanId: id(own, 16),
    endTimeUnixNano: ended ? BigInt(span.startTimeUnixNano ?? 0n) + 10_000_000_000n : 0n,
  });
  // In the middle of the window, which the rollup tells, and at its edge, which the spans do.
  const TIMES = [900_000, 1_000];
  beforeAll(async () => {
    const spans = TIMES.flatMap((atMs, time) =>
      [0, 1, 2, 3].flatMap((n) => {
        const own = 5_000 + time * 100 + n * 10;
        const trace = own;
        return [
          lasting(own, run(trace, own, atMs, 'half'), n < 2),
          lasting(own + 1, call({ trace, parent: own, atMs, agent: 'half' }), n < 2),
          lasting(own + 2, call({ trace, parent: own, atMs, model: 'unnamed' }), n < 2),
          lasting(own + 3, tool(trace, own, atMs, 'search', own, 'half'), false),
          lasting(own + 4, run(trace, own, atMs, 'never', own), false),
        ];
      }),
    );
    await bench.put(spans, { project: 'running' });
  });

  it.each([
    ['in a bucket', { from: at(600_000), to: at(1_200_000) }, 4],
    ['at the edge of one', { from: at(500), to: at(2_000) }, 4],
    ['in both', { from: at(500), to: at(1_200_000) }, 8],
  ])('count all of them, and have the durations of those that ended: %s', async (_, during, count) => {
    const { agents } = await queries.agents(project, { window: during, search: undefined });
    const near = (ms: number | null) => (ms === null ? null : Math.round(ms / 200) * 200);
    const said = ({ count: all, p50Ms, p95Ms }: Pick<AgentFigures, 'count' | 'p50Ms' | 'p95Ms'>) => [
      all,
      near(p50Ms),
      near(p95Ms),
    ];
    const ended = [count, 10_000, 10_000];
    const none = [count, null, null];
    const [half, never] = ['half', 'never'].map((name) => agents.find((agent) => agent.name === name));
    expect([half?.runs, half?.calls, half?.tools, never?.runs].map((one) => one && said(one))).toEqual([
      ended,
      ended,
      none,
      none,
    ]);
    const page = await queries.agent(project, { agent: 'half', window: during });
    expect([...page.byModel, ...page.byTool, ...page.byVersion].map(({ figures }) => said(figures))).toEqual([
      ended,
      none,
      ended,
    ]);
    const { edges } = await queries.graph(project, { agent: 'half', window: during });
    expect(edges.map(({ to, figures }) => [to, ...said(figures)])).toEqual(
      expect.arrayContaining([
        ['model gpt-4o', ...ended],
        ['tool search', ...none],
        ['model unnamed', ...ended],
        ['agent never', ...none],
      ]),
    );
  });
});

describe('the version of an agent', () => {
  it('is made of every setting, and that of a call without one stays as it was', async () => {
    const plain = call({ trace: 60, atMs: 0, agent: 'set' });
    const put = (more: Record<string, string | number>, ms: number) => ({
      ...call({ trace: 60, atMs: ms, agent: 'set' }),
      attributes: { ...plain.attributes, ...more },
    });
    await bench.put(
      [
        plain,
        put({ 'gen_ai.request.choice.count': 3 }, 1),
        put({ 'gen_ai.openai.request.response_format': 'json_object' }, 2),
        put({ 'gen_ai.request.unheard': 1 }, 3),
      ],
      { project: 'settings' },
    );
    const { byVersion } = await queries.agent(contextOf('settings'), { agent: 'set', window });
    // Links and saved views hold it.
    expect(byVersion[0]?.version).toBe('ce055a433dc02b92');
    expect(byVersion.map(({ figures }) => figures.count)).toEqual([2, 1, 1]);
    const shown = await queries.version(contextOf('settings'), {
      agent: 'set',
      version: byVersion[2]?.version ?? '',
      window,
    });
    expect(shown.settings).toContainEqual({ key: 'gen_ai.request.choice.count', value: '3' });
  });
});
