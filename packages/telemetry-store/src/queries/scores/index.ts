import type { RequestContext } from '@candela/kernel';
import { decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { ReadStores } from '../core/stores.ts';
import { SCORES } from './source.ts';

/** One score, the newest record of its id. `timestampNs` is decimal nanoseconds; empty texts: not said. */
export interface ScoreRow {
  readonly id: string;
  readonly timestampNs: string;
  readonly environment: string;
  readonly name: string;
  readonly source: string;
  readonly value: number | null;
  readonly label: string;
  readonly verdict: string;
  readonly explanation: string;
  readonly errorType: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly service: string;
  readonly agent: string;
  readonly model: string;
  readonly promptName: string;
  readonly promptVersion: string;
  readonly evaluator: string;
  readonly version: string;
  readonly judgeModel: string;
  readonly runId: string;
  readonly item: string;
  readonly reviewer: string;
  /** Of the judge's call; null: a model judged and no price is known. */
  readonly costUsd: number | null;
}

/** Which scores: all that are given must hold. */
export interface ScoreSelection {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly evaluator?: string | undefined;
  readonly source?: string | undefined;
  readonly verdict?: string | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  /** Of what applications sent, or of items of experiments. */
  readonly of?: 'telemetry' | 'experiments' | undefined;
  /** Of each field any of the values. */
  readonly where?: Readonly<Partial<Record<ScoreWhere, readonly string[]>>> | undefined;
}

/** What scores are narrowed by, as fields of spans are named. */
const WHERE = {
  service: 'ServiceName',
  agent: 'AgentName',
  model: 'Model',
  session: 'SessionId',
  user: 'UserId',
  prompt_name: 'PromptName',
  prompt_version: 'PromptVersion',
  environment: 'Environment',
} as const;
export type ScoreWhere = keyof typeof WHERE;

/** What scores are grouped by in analytics. */
export const SCORE_DIMENSIONS = {
  name: 'Name',
  evaluator: 'Evaluator',
  version: 'Version',
  source: 'Source',
  model: 'Model',
  agent: 'AgentName',
  service: 'ServiceName',
  prompt_version: 'PromptVersion',
  label: 'Label',
} as const;
export type ScoreDimension = keyof typeof SCORE_DIMENSIONS;

/**
 * Figures of a group of scores. `passed` and `failed` count verdicts, `mean` the values that there are, `costUsd` what is
 * known of the judges' calls: null where they have no price.
 */
export interface ScoreFigures {
  readonly scores: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly mean: number | null;
  readonly costUsd: number | null;
}
export interface ScoreGroup extends ScoreFigures {
  readonly key: string;
}
export interface ScorePoint extends ScoreFigures {
  readonly startMs: number;
}

const FIELDS = {
  name: 'Name',
  traceId: 'TraceId',
  spanId: 'SpanId',
  sessionId: 'SessionId',
  userId: 'UserId',
  service: 'ServiceName',
  agent: 'AgentName',
  model: 'Model',
  promptName: 'PromptName',
  promptVersion: 'PromptVersion',
  source: 'Source',
  evaluator: 'Evaluator',
  version: 'Version',
  verdict: 'Verdict',
  judgeModel: 'JudgeModel',
  runId: 'RunId',
  item: 'Item',
  reviewer: 'Reviewer',
  errorType: 'ErrorType',
  label: 'Label',
  explanation: 'Explanation',
} as const;

const SELECTED: Readonly<Record<Exclude<keyof ScoreSelection, 'id' | 'of' | 'where'>, string>> = {
  name: 'Name',
  evaluator: 'Evaluator',
  source: 'Source',
  verdict: 'Verdict',
  traceId: 'TraceId',
  spanId: 'SpanId',
  sessionId: 'SessionId',
  runId: 'RunId',
};
/** The same in every record of an id: told before records are joined. */
const EARLY = new Set(['name', 'traceId', 'spanId']);

/** Scores, each the newest record of its id; columns are those of the table. */
function newest(scope: Scope, selection: ScoreSelection): string {
  const { params } = scope;
  let rows = scope;
  const late: string[] = [];
  if (selection.id !== undefined) rows = rows.and(`ScoreId = ${params.bind(selection.id, 'String')}`);
  for (const [key, name] of Object.entries(SELECTED)) {
    const value = selection[key as keyof typeof SELECTED];
    if (value === undefined) continue;
    const bound = params.bind(value, 'String');
    if (EARLY.has(key)) rows = rows.and(`${name} = ${bound}`);
    else late.push(`${name} = ${bound}`);
  }
  for (const [field, name] of Object.entries(WHERE)) {
    const values = selection.where?.[field as ScoreWhere];
    if (values !== undefined)
      late.push(`has(${params.bind([...values], 'Array(String)')}, toString(${name}))`);
  }
  if (selection.of !== undefined) late.push(`Item ${selection.of === 'experiments' ? '!=' : '='} ''`);
  const columns = [...Object.values(FIELDS), 'HasValue', 'Value', 'CostUsd'];
  const latest = columns.map((name) => `argMax(S.${name}, S.Timestamp) AS ${name}`).join(', ');
  return `(SELECT S.ScoreId AS ScoreId, S.Environment AS Environment, max(S.Timestamp) AS At, ${latest}
    FROM (SELECT * ${rows.from}) AS S GROUP BY S.Environment, S.ScoreId
    ${late.length === 0 ? '' : `HAVING ${late.join(' AND ')}`})`;
}

/** No call of a model is free: a judged score without a cost has none that is known. */
const UNPRICED = `Source = 'judge' AND CostUsd = 0`;

const FIGURES = `toFloat64(count()) AS scores, toFloat64(countIf(Verdict = 'pass')) AS passed,
  toFloat64(countIf(Verdict = 'fail')) AS failed, toFloat64(countIf(ErrorType != '')) AS errors,
  if(countIf(HasValue = 1) = 0, NULL, avgIf(Value, HasValue = 1)) AS mean,
  if(countIf(${UNPRICED}) > 0 AND countIf(CostUsd > 0) = 0, NULL, sum(CostUsd)) AS costUsd`;

/** Reads of scores. @throws bad_query, query_too_expensive, store_unavailable */
export interface ScoreQueries {
  list(
    context: RequestContext,
    input: {
      readonly window: Window | undefined;
      readonly selection: ScoreSelection;
      readonly limit: number;
      readonly cursor: string | undefined;
    },
    signal?: AbortSignal,
  ): Promise<{ data: ScoreRow[]; nextCursor: string | null }>;
  groups(
    context: RequestContext,
    input: { readonly window: Window; readonly selection: ScoreSelection; readonly by: ScoreDimension },
    signal?: AbortSignal,
  ): Promise<ScoreGroup[]>;
  series(
    context: RequestContext,
    input: { readonly window: Window; readonly selection: ScoreSelection; readonly stepMs: number },
    signal?: AbortSignal,
  ): Promise<ScorePoint[]>;
  /** Spans with a verdict of people and one of the evaluator's newest version: pairs of verdicts with how often. */
  agreement(
    context: RequestContext,
    input: { readonly window: Window; readonly name: string },
    signal?: AbortSignal,
  ): Promise<{ readonly judge: string; readonly human: string; readonly pairs: number }[]>;
}

const MOST_GROUPS = 100;

export function createScoreQueries(stores: ReadStores, limits: QueryLimits): ScoreQueries {
  const on = (kind: 'list' | 'chart', signal: AbortSignal | undefined) =>
    runner(stores, limits, kind, signal);
  return {
    async list(context, { window, selection, limit, cursor: given }, signal) {
      const name = listName('scores', context, JSON.stringify(selection), undefined);
      const cursor = given === undefined ? undefined : decodeCursor(given, name, 2);
      const during = cursor === undefined ? window : { from: cursor.from, to: cursor.to };
      const all = Scope.of(context, SCORES);
      const scope = during === undefined ? all : all.during(during);
      const { params } = scope;
      const [ns = '', id = ''] = cursor?.after ?? [];
      const after =
        cursor === undefined
          ? ''
          : `WHERE (toUnixTimestamp64Nano(At), ScoreId) < (${params.bind(BigInt(ns), 'Int64')}, ${params.bind(id, 'String')})`;
      const columns = Object.entries(FIELDS).map(([key, from]) => `toString(${from}) AS ${key}`);
      const rows = await on('list', signal).run<ScoreRow>(
        scope,
        `SELECT ScoreId AS id, toString(toUnixTimestamp64Nano(At)) AS timestampNs, toString(Environment) AS environment,
           ${columns.join(', ')}, if(HasValue = 1, Value, NULL) AS value, if(${UNPRICED}, NULL, CostUsd) AS costUsd
         FROM ${newest(scope, selection)} ${after} ORDER BY At DESC, ScoreId DESC LIMIT ${limit + 1}`,
      );
      const last = rows.at(limit - 1);
      const more = rows.length > limit && last !== undefined && during !== undefined;
      return {
        data: rows.slice(0, limit),
        nextCursor: more
          ? encodeCursor({ list: name, from: during.from, to: during.to, after: [last.timestampNs, last.id] })
          : null,
      };
    },
    groups(context, { window, selection, by }, signal) {
      const scope = Scope.of(context, SCORES).during(window);
      return on('chart', signal).run<ScoreGroup>(
        scope,
        `SELECT toString(${SCORE_DIMENSIONS[by]}) AS key, ${FIGURES} FROM ${newest(scope, selection)}
         GROUP BY key ORDER BY scores DESC, key LIMIT ${MOST_GROUPS}`,
      );
    },
    series(context, { window, selection, stepMs }, signal) {
      const scope = Scope.of(context, SCORES).during(window);
      const step = scope.params.bind(stepMs, 'Int64');
      return on('chart', signal).run<ScorePoint>(
        scope,
        `SELECT toFloat64(intDiv(toUnixTimestamp64Milli(At), ${step}) * ${step}) AS startMs, ${FIGURES}
         FROM ${newest(scope, selection)} GROUP BY startMs ORDER BY startMs LIMIT 2000`,
      );
    },
    agreement(context, { window, name }, signal) {
      const scope = Scope.of(context, SCORES).during(window);
      const rows = newest(scope, { name });
      return on('chart', signal).run(
        scope,
        `SELECT judge, human, toFloat64(count()) AS pairs FROM (
           SELECT TraceId, SpanId, argMaxIf(Verdict, At, Source IN ('judge', 'code')) AS judge,
             argMaxIf(Verdict, At, Source = 'human') AS human
           FROM ${rows} WHERE Verdict != '' AND SpanId != '' AND (Source = 'human' OR Version =
             (SELECT argMax(Version, At) FROM ${rows} WHERE Source IN ('judge', 'code'))) GROUP BY TraceId, SpanId
         ) WHERE judge != '' AND human != '' GROUP BY judge, human`,
      );
    },
  };
}
