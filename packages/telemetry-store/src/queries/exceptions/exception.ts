import {
  EXCEPTION_LIMITS,
  type ExceptionBreakdown,
  type ExceptionDetail,
  type ExceptionOccurrence,
  type Filter,
} from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { MOST_MESSAGE } from '../../rollups/exceptions.ts';
import { damagedCursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { COUNT_SQL, EXCEPTIONS, fingerprintOf, storedFingerprint } from './exception-fields.ts';
import { firstSeen, readGroups } from './groups.ts';
import { latestStack } from './stack.ts';
import { toTrend, trendGrid } from './trend.ts';

export interface ExceptionInput {
  readonly fingerprint: string;
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const BREAKDOWN_SQL: Record<ExceptionBreakdown, string> = {
  service: 'ServiceName',
  version: 'Version',
  model: 'Model',
  agent: 'AgentName',
  tool: 'ToolName',
  user: 'UserId',
  span: 'SpanName',
};
const BREAKDOWNS = Object.keys(BREAKDOWN_SQL) as ExceptionBreakdown[];

/** One group of exceptions and a page of its occurrences, newest first. @throws not_found, bad_query */
export async function readException(
  runner: Runner,
  context: RequestContext,
  input: ExceptionInput,
): Promise<{ data: ExceptionDetail; nextCursor: string | null }> {
  const stored = storedFingerprint(input.fingerprint).toString();
  const list = listName('exception', context, input.fingerprint, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 2);
  const window: Window = cursor === undefined ? input.window : { from: cursor.from, to: cursor.to };
  const rows = (from: Window = window) => {
    const open = Scope.of(context, EXCEPTIONS).during(from).matching(input.filter);
    return open.and(`Fingerprint = ${open.params.bind(stored, 'UInt64')}`);
  };
  // What the first page told of the group is not worked out once more for each further page of its occurrences.
  const isFirst = cursor === undefined;
  const [groups, breakdowns, page] = await Promise.all([
    readGroups(runner, context, [stored], { window, filter: input.filter, points: EXCEPTION_LIMITS.trend }),
    isFirst ? breakdownsOf(runner, rows()) : [],
    occurrences(runner, rows, input.limit, cursor?.after),
  ]);
  const group = groups[0] ?? (await withoutRows(runner, context, stored, window));
  const stack = isFirst ? await latestStack(runner, context, rows()) : { text: '', cut: false };
  const last = page.at(input.limit - 1);
  const more = page.length > input.limit && last !== undefined;
  return {
    data: {
      ...group,
      messageCut: isCut(group.message, MOST_MESSAGE),
      stacktrace: orNull(stack.text),
      stacktraceCut: stack.cut,
      breakdowns,
      occurrences: page.slice(0, input.limit).map(toOccurrence),
    },
    nextCursor: more
      ? encodeCursor({ list, from: window.from, to: window.to, after: [last.Ns, last.Id] })
      : null,
  };
}

/** Whether a text is as long as can be kept; the engine counts characters, not units of UTF-16. */
const isCut = (text: string, most: number): boolean => text.length >= most && [...text].length >= most;

function latest(scope: Scope, condition: string, columns: string): [Scope, string] {
  const narrowed = scope.and(condition);
  return [narrowed, `SELECT ${columns} ${narrowed.from} ORDER BY Timestamp DESC LIMIT 1`];
}

/** A group of which the window holds nothing: what it is, from its last occurrence. @throws not_found */
async function withoutRows(
  runner: Runner,
  context: RequestContext,
  stored: string,
  window: Window,
): Promise<
  Omit<ExceptionDetail, 'messageCut' | 'stacktrace' | 'stacktraceCut' | 'breakdowns' | 'occurrences'>
> {
  const seen = (await firstSeen(runner, context, [stored])).get(stored);
  if (seen === undefined) throw fail('not_found', { what: 'The exception' });
  const open = Scope.of(context, EXCEPTIONS).during({ from: seen.last, to: seen.last + 1n });
  const [raw] = await runner.run<{
    Type: string;
    Message: string;
    ServiceName: string;
    TraceId: string;
    SpanId: string;
  }>(
    ...latest(
      open,
      `Fingerprint = ${open.params.bind(stored, 'UInt64')}`,
      'Type, Message, ServiceName, TraceId, SpanId',
    ),
  );
  return {
    fingerprint: fingerprintOf(stored),
    type: raw?.Type ?? '',
    message: raw?.Message ?? '',
    service: raw?.ServiceName ?? '',
    count: 0,
    traces: 0,
    users: 0,
    services: 0,
    models: [],
    firstSeen: iso(seen.first),
    lastSeen: iso(seen.last),
    isNew: false,
    sampleTraceId: orNull(raw?.TraceId ?? ''),
    sampleSpanId: orNull(raw?.SpanId ?? ''),
    trend: toTrend(trendGrid(window, EXCEPTION_LIMITS.trend), []),
  };
}

async function breakdownsOf(runner: Runner, scope: Scope): Promise<ExceptionDetail['breakdowns']> {
  const pairs = BREAKDOWNS.map((field, index) => `(${index}, toString(${BREAKDOWN_SQL[field]}))`).join(', ');
  const rows = await runner.run<{ F: number; V: string; C: number }>(
    scope,
    `SELECT Pair.1 AS F, Pair.2 AS V, ${COUNT_SQL} AS C
     FROM (SELECT arrayJoin([${pairs}]) AS Pair, Occurrence, Records ${scope.from})
     WHERE V != '' GROUP BY F, V ORDER BY F, C DESC, V LIMIT ${EXCEPTION_LIMITS.top + 1} BY F`,
  );
  return BREAKDOWNS.map((field, index) => {
    const own = rows.filter((row) => row.F === index);
    return {
      field,
      values: own.slice(0, EXCEPTION_LIMITS.top).map(({ V, C }) => ({ value: V, count: C })),
      more: own.length > EXCEPTION_LIMITS.top,
    };
  });
}

interface RawOccurrence {
  readonly Id: string;
  readonly Ns: string;
  /** Source, message, service, version, environment, trace, span, span name, model, provider, agent, tool, user, session. */
  readonly Row: string[];
  readonly Left: number;
}

const ROW_COLUMNS = [
  'Source',
  'Message',
  'ServiceName',
  'Version',
  'Environment',
  'TraceId',
  'SpanId',
  'SpanName',
  'Model',
  'GenAiProvider',
  'AgentName',
  'ToolName',
  'UserId',
  'SessionId',
];

/**
 * Occurrences by their last recording; the recording on the span itself says most. Which they are is found first, so that
 * texts are read of those alone.
 */
async function occurrences(
  runner: Runner,
  rows: () => Scope,
  limit: number,
  after: readonly string[] | undefined,
): Promise<RawOccurrence[]> {
  const scope = rows();
  const { params } = scope;
  const [ns = '', id = ''] = after ?? [];
  if (after !== undefined && (!/^\d{1,19}$/.test(ns) || !/^\d{1,20}$/.test(id))) {
    throw damagedCursor();
  }
  const having =
    after === undefined
      ? ''
      : `HAVING (Last, Occurrence) < (${params.bind(ns, 'Int64')}, ${params.bind(id, 'UInt64')})`;
  const found = await runner.run<{ Id: string; Ns: string }>(
    scope,
    `SELECT toString(Occurrence) AS Id, toString(Last) AS Ns FROM (
       SELECT Occurrence, max(toUnixTimestamp64Nano(Timestamp)) AS Last ${scope.from} GROUP BY Occurrence ${having}
     ) ORDER BY Last DESC, Occurrence DESC LIMIT ${limit + 1}`,
  );
  if (found.length === 0) return [];
  const all = rows();
  const ids = all.params.bind(
    found.map(({ Id }) => BigInt(Id)),
    'Array(UInt64)',
  );
  const own = all.and(`Occurrence IN ${ids}`);
  const row = `[${ROW_COLUMNS.map((name) => `toString(${name})`).join(', ')}]`;
  const told = await runner.run<Omit<RawOccurrence, 'Ns'>>(
    own,
    `SELECT toString(Occurrence) AS Id, argMax(${row}, (Source = 'event', Timestamp)) AS Row, max(Escaped) AS Left
     ${own.from} GROUP BY Occurrence`,
  );
  const byId = new Map(told.map((one) => [one.Id, one]));
  return found.flatMap(({ Id, Ns }) => {
    const one = byId.get(Id);
    return one === undefined ? [] : [{ ...one, Ns }];
  });
}

const SOURCES = ['event', 'log', 'status'] as const;

function toOccurrence(raw: RawOccurrence): ExceptionOccurrence {
  const at = (name: string): string => raw.Row[ROW_COLUMNS.indexOf(name)] ?? '';
  return {
    id: raw.Id,
    timestamp: iso(BigInt(raw.Ns)),
    source: SOURCES.find((source) => source === at('Source')) ?? 'event',
    message: at('Message'),
    escaped: raw.Left === 1,
    service: at('ServiceName'),
    version: orNull(at('Version')),
    environment: at('Environment'),
    traceId: orNull(at('TraceId')),
    spanId: orNull(at('SpanId')),
    spanName: orNull(at('SpanName')),
    model: orNull(at('Model')),
    provider: orNull(at('GenAiProvider')),
    agent: orNull(at('AgentName')),
    tool: orNull(at('ToolName')),
    userId: orNull(at('UserId')),
    sessionId: orNull(at('SessionId')),
  };
}
