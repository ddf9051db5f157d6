import type { TelemetryStore } from '../client/types.ts';
import { deletionsOf } from './deletions.ts';

/** Which traces of a project stay when a day of it is sampled. */
export interface SamplingRules {
  /** Of traces that no rule keeps, one of so many stays; 1: all. One of `ONE_IN`. */
  readonly oneIn: number;
  /** Kept: traces that took so long, milliseconds, or cost so much, or have a score below this. */
  readonly slowMs: number;
  readonly costUsd: number;
  readonly scoreBelow: number;
}

export interface SampleInput extends SamplingRules {
  readonly projectId: string;
  /** How long after its end a day is sampled: scores and late spans come meanwhile. */
  readonly afterMs: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly abort?: AbortSignal;
}

export interface Sampled {
  readonly days: number;
  readonly spans: number;
  readonly kept: number;
}

/** Days sampled in one go; the next run goes on. */
const MAX_DAYS = 100;
const TIMEOUT_MS = 600_000;

type Store = Pick<TelemetryStore, 'select' | 'command'>;

/**
 * Takes away whole traces of days that are over: those with an error or an exception, slow and costly ones and those with a low
 * score stay, of the others one of so many, by the hash of their id; each span of these then stands for so many. Rollups were
 * filled by all spans and stay as they are, but for the list of traces. Everything is told by what is stored, so whichever
 * process runs it takes the same away, and a run that was cut off is repeated. For one server, as `pruneProject`.
 */
export async function sampleTraces(store: Store, input: SampleInput): Promise<Sampled> {
  const total = { days: 0, spans: 0, kept: 0 };
  if (input.oneIn <= 1) return total;
  for (const table of ['otel_traces', 'trace_figures']) await deletionsOf(store, table, input.abort);
  const days = await store.select<{ R: number; D: string }>(
    `SELECT DISTINCT RetentionDays AS R, toString(toDate(ReceivedAt)) AS D FROM otel_traces
     WHERE ProjectId = {project:String} AND toDate(ReceivedAt) < {before:Date}
       AND (toDate(ReceivedAt), RetentionDays) NOT IN
         (SELECT Day, RetentionDays FROM sampled_days WHERE ProjectId = {project:String})
     ORDER BY D, R LIMIT ${MAX_DAYS}`,
    {
      project: input.projectId,
      before: new Date(input.now - input.afterMs).toISOString().slice(0, 10),
    },
    { timeoutMs: TIMEOUT_MS },
  );
  for (const { R, D } of days) {
    const day = D.replaceAll(/[^0-9-]/g, '');
    const { spans, kept } = await sampleDay(store, input, day, Number(R));
    total.days += 1;
    total.spans += spans;
    total.kept += kept;
  }
  return total;
}

async function sampleDay(
  store: Store,
  input: SampleInput,
  day: string,
  retentionDays: number,
): Promise<{ spans: number; kept: number }> {
  const { projectId, oneIn, abort } = input;
  const params = { project: projectId, day, retention: retentionDays, oneIn, extra: oneIn - 1 };
  const partition = `IN PARTITION (${retentionDays}, '${day}')`;
  const countOf = async (): Promise<number> => {
    const [row] = await store.select<{ N: number | string }>(
      `SELECT count() AS N FROM otel_traces
       WHERE ProjectId = {project:String} AND toDate(ReceivedAt) = {day:Date} AND RetentionDays = {retention:UInt16}`,
      params,
      { timeoutMs: TIMEOUT_MS },
    );
    return Number(row?.N ?? 0);
  };
  const spans = await countOf();
  await keepByRule(store, input, day);
  // A span without a trace belongs to none.
  const ordinary = `ProjectId = {project:String} AND TraceId != '' AND TraceHash NOT IN
    (SELECT TraceHash FROM kept_traces WHERE ProjectId = {project:String} AND Day = {day:Date})`;
  const taken = `TraceHash % {oneIn:UInt16} != 0`;
  abort?.throwIfAborted();
  await store.command(
    `ALTER TABLE otel_traces
       UPDATE ExtraCount = {extra:UInt32} ${partition} WHERE ${ordinary} AND NOT (${taken}),
       DELETE ${partition} WHERE ${ordinary} AND ${taken} SETTINGS mutations_sync = 0`,
    params,
  );
  await deletionsOf(store, 'otel_traces', abort);
  await store.command(
    `ALTER TABLE trace_figures DELETE ${partition} WHERE ${ordinary} AND ${taken} SETTINGS mutations_sync = 0`,
    params,
  );
  await deletionsOf(store, 'trace_figures', abort);
  const kept = await countOf();
  await store.command(
    `INSERT INTO sampled_days (ProjectId, Day, RetentionDays, OneIn, Spans, Kept)
     SELECT {project:String}, {day:Date}, {retention:UInt16}, {oneIn:UInt16}, {spans:UInt64}, {kept:UInt64}`,
    { ...params, spans, kept },
  );
  return { spans, kept };
}

/** Notes the traces with spans on a day that a rule keeps. A trace may begin the day before and end the day after. */
async function keepByRule(
  store: Store,
  { projectId, slowMs, costUsd, scoreBelow }: SampleInput,
  day: string,
): Promise<void> {
  const near = `ProjectId = {project:String} AND ReceivedDay BETWEEN {day:Date} - 1 AND {day:Date} + 1`;
  const ofDay = `TraceHash IN (SELECT TraceHash FROM trace_figures WHERE ProjectId = {project:String} AND ReceivedDay = {day:Date})`;
  const hash = 'cityHash64(TraceId)';
  await store.command(
    `INSERT INTO kept_traces (ProjectId, Day, TraceHash)
     SELECT {project:String}, {day:Date}, Found FROM (
       SELECT TraceHash AS Found FROM trace_figures WHERE ${near} AND ${ofDay}
       GROUP BY TraceHash
       HAVING sum(Errors) > 0 OR max(EndNs) - min(FirstNs) >= {slow:Int64} OR sum(Cost) >= {cost:Int64}
       UNION ALL SELECT ${hash} FROM exceptions WHERE ${near} AND TraceId != ''
       UNION ALL SELECT ${hash} FROM scores
       WHERE ProjectId = {project:String} AND ReceivedDay >= {day:Date} - 1 AND TraceId != ''
         AND (Verdict = 'fail' OR (HasValue = 1 AND Value < {score:Float64})))`,
    {
      project: projectId,
      day,
      slow: Math.round(slowMs * 1e6),
      // As rollups keep it: ten decimals of a dollar.
      cost: Math.round(costUsd * 1e10),
      score: scoreBelow,
    },
    { timeoutMs: TIMEOUT_MS },
  );
}

/** Projects of which a store has sampled days. */
export async function sampledProjects(store: Pick<TelemetryStore, 'select'>): Promise<string[]> {
  const rows = await store.select<{ P: string }>('SELECT DISTINCT ProjectId AS P FROM sampled_days');
  return rows.map(({ P }) => P);
}
