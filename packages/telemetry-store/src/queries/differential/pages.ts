import { type AgentFigures, EXCEPTION_LIMITS, parseFilterOrFail } from '@candela/contract';
import { anyAsked } from './filters.ts';
import { activityFigures, allOf, first, isoOf, last, sum, usage } from './lists.ts';
import { byBytes, byKeys, type ExceptionOf, exceptionsIn, fulfils, matching, type SpanOf } from './model.ts';
import type { Question } from './question.ts';

/** The pages of one thing: their figures are those of its rows, and the search that a figure leads to finds as many. */

const failed = (spans: readonly SpanOf[]): number =>
  spans.filter(({ text }) => text['status'] === 'error').length;

const agentPage: Question = async (ground, random) => {
  const asked = { ...anyAsked(random, 'spans', ground.spans), filter: undefined };
  const spans = matching(ground.spans, asked);
  const agent = random.pick(['planner', 'Writer/ü', 'a b']);
  const own = spans.filter(({ text }) => text['agent'] === agent);
  if (own.length === 0) return { asked, got: null, want: null };
  const { window } = asked;
  const page = await ground.agents.agent(ground.of(asked), { window, agent });
  const figures = [
    page.runs,
    page.calls,
    page.tools,
    ...[page.byModel, page.byTool, page.byVersion].flat().map((part) => part.figures),
  ];
  const shown = ({ q, count, errors, inputTokens, outputTokens, costUsd }: AgentFigures) => [
    q,
    count,
    errors,
    inputTokens,
    outputTokens,
    costUsd,
  ];
  const versions = new Set(own.map(({ text }) => text['agent_version']).filter((version) => version !== ''));
  return {
    asked: { ...asked, agent },
    got: {
      figures: figures.map(shown),
      versions: page.versions,
      seen: new Set(page.byVersion.map(({ version }) => version)),
      trends: page.byVersion.map(({ trend }) => sum(trend.map(({ count }) => count))),
      parts: [page.byModel, page.byTool].map((parts) => sum(parts.map((part) => part.figures.count))),
    },
    want: {
      figures: figures.map(({ q }) => {
        const found = spans.filter((span) => fulfils(span, parseFilterOrFail(q, 'spans')));
        return [q, found.length, failed(found), ...usage(found)];
      }),
      versions: versions.size,
      seen: versions,
      trends: page.byVersion.map(
        ({ version }) => own.filter(({ text }) => text['agent_version'] === version).length,
      ),
      parts: [page.calls.count, page.tools.count],
    },
  };
};

const userPage: Question = async (ground, random) => {
  const asked = { ...anyAsked(random, 'spans', ground.spans), filter: undefined };
  const userId = random.pick(['u1', 'U1', 'ü/2', 'a b', 'zoë']);
  const own = matching(ground.spans, asked).filter(({ text }) => text['user'] === userId);
  if (own.length === 0) return { asked, got: null, want: null };
  const page = await ground.activity.user(ground.of(asked), { window: asked.window, userId });
  const names = (field: string) => [...new Set(own.map(({ text }) => text[field] ?? ''))].sort(byBytes);
  return {
    asked: { ...asked, userId },
    got: [
      [page.firstSeen, page.lastSeen, page.durationMs, page.traces, page.spans, page.modelCalls, page.errors],
      [page.inputTokens, page.outputTokens, page.costUsd],
      page.sessions,
      page.services,
      page.environments,
    ],
    want: [
      activityFigures(own),
      usage(own),
      names('session').filter((name) => name !== '').length,
      names('service'),
      names('environment'),
    ],
  };
};

const sessionPage: Question = async (ground, random) => {
  const asked = { ...anyAsked(random, 'spans', ground.spans), filter: undefined };
  const sessionId = `s${random.int(1, 12)}`;
  const own = matching(ground.spans, asked).filter(({ text }) => text['session'] === sessionId);
  if (own.length === 0) return { asked, got: null, want: null };
  const { window } = asked;
  const page = await ground.activity.session(ground.of(asked), { window, sessionId });
  const turns = [...Map.groupBy(own, ({ traceId }) => traceId)].map(([traceId, spans]) => ({
    key: [first(spans.map(({ ns }) => ns)), traceId],
    shown: [traceId, spans.length, failed(spans), ...usage(spans)],
  }));
  return {
    asked: { ...asked, sessionId },
    got: [
      [page.firstSeen, page.lastSeen, page.durationMs, page.traces, page.spans, page.modelCalls, page.errors],
      [page.inputTokens, page.outputTokens, page.costUsd],
      page.turns.map((turn) => [
        turn.traceId,
        turn.spans,
        turn.errors,
        turn.inputTokens,
        turn.outputTokens,
        turn.costUsd,
      ]),
    ],
    want: [
      activityFigures(own),
      usage(own),
      turns.toSorted((a, b) => byKeys(a.key, b.key)).map(({ shown }) => shown),
    ],
  };
};

const exceptionPage: Question = async (ground, random) => {
  const asked = anyAsked(random, 'exceptions', ground.exceptions);
  const { fingerprint } = random.pick(ground.exceptions);
  const own = matching(ground.exceptions, asked).filter((row) => row.fingerprint === fingerprint);
  if (own.length === 0) return { asked, got: null, want: null };
  const ofOne = [...Map.groupBy(own, ({ occurrence }) => occurrence)];
  const limit = Math.max(1, Math.ceil(ofOne.length / random.int(1, 6)));
  const text = fingerprint.toString(16).padStart(16, '0');
  const input = { ...asked, fingerprint: text, limit };
  const read = (cursor: string | undefined) =>
    ground.exceptionQueries.group(ground.of(asked), { ...input, cursor });
  const { data: page } = await read(undefined);
  const occurrences = await allOf(async (cursor) => {
    const { data, nextCursor } = await read(cursor);
    return { data: data.occurrences, nextCursor };
  });
  const by = (of: (row: ExceptionOf) => string) => {
    const groups = [...Map.groupBy(own, of)].filter(([value]) => value !== '');
    const values = groups.map(([value, rows]) => ({
      value,
      count: exceptionsIn(rows),
    }));
    values.sort((a, b) => b.count - a.count || byBytes(a.value, b.value));
    return { values: values.slice(0, EXCEPTION_LIMITS.top), more: values.length > EXCEPTION_LIMITS.top };
  };
  const fields = {
    service: 'service',
    model: 'model',
    agent: 'agent',
    tool: 'tool',
    user: 'user',
    span: 'name',
  };
  return {
    asked: input,
    got: {
      count: page.count,
      occurrences: occurrences.map(({ id, timestamp }) => [id, timestamp]),
      breakdowns: page.breakdowns.flatMap(({ field, ...rest }) =>
        Object.hasOwn(fields, field) ? [{ field, ...rest }] : [],
      ),
    },
    want: {
      count: exceptionsIn(own),
      occurrences: ofOne
        .map(([id, rows]) => [last(rows.map(({ ns }) => ns)), BigInt(id)] as const)
        .toSorted((a, b) => byKeys(b, a))
        .map(([ns, id]) => [String(id), isoOf(ns)]),
      breakdowns: Object.entries(fields).map(([field, name]) => ({
        field,
        ...by((row) => row.text[name] ?? ''),
      })),
    },
  };
};

export const PAGES: Readonly<Record<string, Question>> = {
  'an agent': agentPage,
  'a user': userPage,
  'a session': sessionPage,
  'an exception': exceptionPage,
};
