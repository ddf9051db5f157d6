import { ENDED, UNFINISHED_FLAG } from '../../schema/tables.ts';
import {
  CALL_KIND_SQL,
  INPUT_TOKENS_SQL,
  MODEL_SQL,
  OUTPUT_TOKENS_SQL,
  IS_HOLDER_SQL,
} from '../core/gen-ai.ts';
import type { Runner } from '../core/run.ts';
import type { Scope } from '../core/scope.ts';
import { type RawSpeaker, SPEAKER_COLUMNS } from './speaker.ts';

export interface RawTotals extends RawSpeaker {
  readonly StartNs: string;
  readonly EndNs: string;
  readonly Spans: number;
  readonly Errors: number;
  readonly RootName: string;
  readonly RootService: string;
  readonly RootStatus: string;
  /** 1 when the root was sent while it ran, and never with its end. */
  readonly RootUnfinished: number;
  readonly RootEnvironment: string;
  readonly Services: string[];
  readonly Models: string[];
  readonly Counting: number;
  readonly Input: number;
  readonly Output: number;
  readonly Cost: number | null;
  readonly Session: string;
  readonly User: string;
}

/** Of a copy of a span that was sent while it ran. */
export const UNFINISHED = `Flags >= ${UNFINISHED_FLAG}`;
/**
 * The root is the earliest span without a parent, or the earliest of all when no such span arrived. Of a span that was
 * sent while it ran and once more with its end, only the latter knows the outcome.
 */
const ROOT = `tuple(ParentSpanId != '', Timestamp, SpanId, ${UNFINISHED})`;
/**
 * Figures of whole traces. Usage is summed over the spans that count it, so that parents add nothing. What the root says is
 * looked up at once: the engine takes as long to plan for each of five as for a column.
 */
export const TRACE_TOTALS = `TraceId,
  toString(toUnixTimestamp64Nano(min(Timestamp))) AS StartNs,
  toString(max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration))) AS EndNs,
  count() AS Spans, countIf(StatusCode = 'Error') AS Errors,
  (argMin((SpanName, ServiceName, StatusCode, ${UNFINISHED}, Environment), ${ROOT}) AS Root).1 AS RootName,
  Root.2 AS RootService, Root.3 AS RootStatus, Root.4 AS RootUnfinished, Root.5 AS RootEnvironment,
  arraySort(groupUniqArray(20)(ServiceName)) AS Services,
  arraySort(groupUniqArrayIf(20)(${MODEL_SQL}, ${MODEL_SQL} != '')) AS Models,
  countIf(CountsUsage = 1) AS Counting,
  sumIf(${INPUT_TOKENS_SQL}, CountsUsage = 1) AS Input, sumIf(${OUTPUT_TOKENS_SQL}, CountsUsage = 1) AS Output,
  sumIf(CostUsd, CountsUsage = 1) AS Cost,
  argMinIf(SessionId, Timestamp, SessionId != '') AS Session, argMinIf(UserId, Timestamp, UserId != '') AS User,
  ${SPEAKER_COLUMNS}`;

/**
 * Leaves one row of a span that was stored more than once (an exporter that resent it late, or that sent it before its
 * end): the one with its end. To be followed by a LIMIT at most.
 */
export const EACH_ONCE = `ORDER BY Timestamp, SpanId, ${UNFINISHED}, Duration DESC LIMIT 1 BY TraceId, Timestamp, SpanId, SpanName`;

/** A call whose parent repeats it: one without tokens there is nothing to repeat of, and usage of an agent below a call is its own. */
const REPEATED = `CountsUsage = 1 AND NOT ${IS_HOLDER_SQL} AND ParentSpanId != SpanId AND ${INPUT_TOKENS_SQL} + ${OUTPUT_TOKENS_SQL} > 0`;

/**
 * Whether the totals of a trace may count something twice: a span that was stored more than once, perhaps under another
 * name by its end, or usage of a parent that arrived before the child that it repeats.
 */
const REPEATS = `count() > uniqExact(cityHash64(Timestamp, SpanId))
  OR notEmpty(arrayIntersect(groupUniqArrayIf(cityHash64(SpanId, ${CALL_KIND_SQL}), CountsUsage = 1),
    groupUniqArrayIf(cityHash64(ParentSpanId, ${CALL_KIND_SQL}), ${REPEATED})))`;

/** The totals of a scope's traces, and whether they are to be read once more by {@link exactTotals}. */
export const CHECKED_TOTALS = `${TRACE_TOTALS}, ${REPEATS} AS Repeats`;

export interface CheckedTotals extends RawTotals {
  readonly Repeats: number;
}

/** Spans that are sorted to be counted once, all traces of a page together. Of larger traces rows count what was sent. */
export const MOST_EXACT = 500_000;

/**
 * Without the copies of spans that were sent while they ran and then with their end: {@link EACH_ONCE} leaves such a copy
 * when the span got another name by its end. Two that both ended are two spans of one id.
 */
function withoutRenamed(scope: Scope): Scope {
  const place = '(TraceId, Timestamp, SpanId)';
  const running = scope.and(UNFINISHED);
  // Few spans are sent while they run: only their ends are held, not every span.
  const ended = scope.and(
    `${ENDED} AND ${place} GLOBAL IN (SELECT TraceId, Timestamp, SpanId ${running.from})`,
  );
  return scope.and(`${ENDED} OR ${place} GLOBAL NOT IN (SELECT TraceId, Timestamp, SpanId ${ended.from})`);
}

/** The totals of a scope's traces, each span counted once, and usage at the child where parents repeat it. */
export function exactTotals(runner: Runner, scope: Scope): Promise<RawTotals[]> {
  const repeated = scope.and(REPEATED);
  const once = withoutRenamed(scope);
  return runner.run<RawTotals>(
    scope,
    `SELECT ${TRACE_TOTALS} FROM (
       SELECT * REPLACE (CountsUsage = 1 AND (TraceId, SpanId, ${CALL_KIND_SQL}) GLOBAL NOT IN (SELECT TraceId, ParentSpanId, ${CALL_KIND_SQL} ${repeated.from}) AS CountsUsage)
       ${once.from} ${EACH_ONCE}
     ) GROUP BY TraceId`,
  );
}

/** The same rows, with exact totals where they count something twice. `scope` holds the spans they were made of. */
export async function withoutRepeats<Row extends CheckedTotals>(
  runner: Runner,
  scope: Scope,
  rows: readonly Row[],
): Promise<Row[]> {
  let left = MOST_EXACT;
  const repeating = rows
    .filter((row) => row.Repeats === 1)
    .toSorted((a, b) => a.Spans - b.Spans)
    .filter((row) => (left -= row.Spans) >= 0);
  if (repeating.length === 0) return [...rows];
  const ids = scope.params.bind(
    repeating.map((row) => row.TraceId),
    'Array(String)',
  );
  const exact = new Map(
    (await exactTotals(runner, scope.and(`TraceId IN ${ids}`))).map((raw) => [raw.TraceId, raw]),
  );
  return rows.map((row) => ({ ...row, ...exact.get(row.TraceId) }));
}
