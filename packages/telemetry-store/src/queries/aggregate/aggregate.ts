import { type Filter, LIST_LIMITS, type Measure, type EventKind } from '@candela/contract';
import { fail, type RequestContext, previousWindow } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { listName } from '../core/cursor.ts';
import type { Sample } from '../core/sample.ts';
import type { Window } from '../core/scope.ts';
import { shownSql } from '../core/show.ts';
import { doublings, type SeenNumbers } from '../core/seen-numbers.ts';
import { type Counted, measuredOf } from './counted.ts';
import { COUNTED_LOGS } from './counted-logs.ts';
import { COUNTED_SPANS } from './counted-spans.ts';
import { isSampled } from '../core/sampled.ts';
import { WEIGHED_SPANS } from './weighed-spans.ts';
import { ANSWER_BOUND, MAX_POINTS, type RawRow, refuseTooMany, topSeries } from './at-once.ts';
import { estimated, lookedAt, shareOf } from './estimate.ts';
import { listedValues } from './listed.ts';
import type { Values } from './numbered.ts';
import { grouped, type Plan, planOf } from './plan.ts';
import { sampleFor } from './sample-for.ts';
import { scalesOf } from './scales.ts';
import { sinceOf } from './since.ts';

export interface AggregateInput {
  /** Default: spans. */
  readonly signal?: EventKind;
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly groupBy: readonly string[];
  readonly measures: readonly Measure[];
  /** Undefined: one row a group. */
  readonly bucketSeconds: number | 'auto' | undefined;
  readonly limit: number;
  /** With the period before, or with this one. Default: no. */
  readonly comparePrevious?: boolean | Window;
  /** Where looking at all rows takes long: what a sample of them says. */
  readonly early?: boolean;
}

export interface AggregateRow {
  readonly time: string | null;
  readonly group: string[];
  readonly values: (number | null)[];
  readonly previous: (number | null)[] | null;
}

/** The period that figures are compared with. */
export interface Compared extends Window {
  /** From when on it has rows of whatever filter; null where rows are as old as it. */
  readonly since: bigint | null;
}

export interface AggregateResult {
  readonly bucketSeconds: number | null;
  readonly rows: AggregateRow[];
  readonly groups: number;
  readonly previous: Compared | null;
  readonly source: 'rollup' | 'rows';
  /** The part of the rows that was looked at, where figures are estimated from that; null where they are exact. */
  readonly sample: number | null;
}

const COUNTED: Readonly<Record<EventKind, Counted>> = {
  spans: COUNTED_SPANS,
  logs: COUNTED_LOGS,
};

/** How records of a project are counted. */
export const countedOf = (kind: EventKind, { projectId }: Pick<RequestContext, 'projectId'>): Counted =>
  kind === 'spans' && isSampled(projectId) ? WEIGHED_SPANS : COUNTED[kind];

const NICE_SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800,
  604_800, 2_592_000, 31_536_000,
];
const SECOND = 1_000_000_000n;

/**
 * Figures of matching rows by time and by fields, of the period before as well when asked for.
 * @param groups how many groups there were when it was asked before @throws bad_query
 */
export async function aggregate(
  runner: Runner,
  context: RequestContext,
  input: AggregateInput,
  groups?: SeenNumbers,
): Promise<AggregateResult> {
  const counted = countedOf(input.signal ?? 'spans', context);
  // Unknown measures are refused before anything is read.
  for (const measure of input.measures) measuredOf(counted, measure);
  const bucketSeconds = bucketsOf(input);
  const request: Request = { runner, context, input, seen: groups };
  const exact = planOf(counted, input, input.window, bucketSeconds, 0n);
  const sample = await sampleOf(request, exact);
  const plan = sample === undefined ? exact : { ...exact, sample };
  const answer = ({ groups: count, share }: Figures) => ({
    bucketSeconds,
    groups: count,
    source: plan.aligned === undefined ? ('rows' as const) : ('rollup' as const),
    sample: share,
  });
  const before = comparedWith(input);
  if (before === undefined) {
    const figures = await figuresOf(request, plan);
    return {
      ...answer(figures),
      rows: figures.rows.map((row) => ({ ...row, previous: null })),
      previous: null,
    };
  }
  const shift = input.window.from - before.from;
  const earlier = planOf(counted, input, before, bucketSeconds, shift);
  const both = async () => {
    const figures = await figuresOf(request, plan);
    const ofSample = sample === undefined ? earlier : { ...earlier, sample };
    const compared = await estimatedIf(request, ofSample, earlierRows(request, ofSample, figures.chosen));
    return { figures, compared: compared.rows };
  };
  const [{ figures, compared }, since] = await Promise.all([
    both(),
    sinceOf(runner, context, counted, before),
  ]);
  return { ...answer(figures), rows: joined(figures.rows, compared, input), previous: { ...before, since } };
}

/** The sample that a chart is estimated from; undefined where it is exact, as everything is that cannot be estimated. */
async function sampleOf({ runner, context, input }: Request, plan: Plan): Promise<Sample | undefined> {
  if (input.early !== true || plan.aligned !== undefined || scalesOf(input.measures) === undefined) {
    return undefined;
  }
  // Each group may be told of each bucket.
  const buckets = plan.bucketSeconds === null ? 1 : secondsOf(plan.window) / plan.bucketSeconds;
  if (input.groupBy.length > 0 && buckets * input.limit > MAX_POINTS) return undefined;
  return sampleFor(runner, context, plan.counted.rows, input, (params) => {
    for (const field of input.groupBy) shownSql(plan.counted.rows, field, params);
  });
}

/** Rows of a plan as they are, or what they say of all rows where they are of a sample; and the part that was looked at. */
async function estimatedIf(
  { runner, context, input }: Request,
  { sample, ...plan }: Plan,
  rows: Promise<readonly Row[]>,
): Promise<{ rows: readonly Row[]; share: number | null }> {
  if (sample === undefined) return { rows: await rows, share: null };
  const [found, looked] = await Promise.all([
    rows,
    lookedAt(runner, context, plan.counted.rows, { ...plan, sample }),
  ]);
  return { rows: estimated(found, looked, scalesOf(input.measures) ?? [], sample), share: shareOf(looked) };
}

interface Request {
  readonly runner: Runner;
  readonly context: RequestContext;
  readonly input: AggregateInput;
  readonly seen: SeenNumbers | undefined;
}

type Row = Omit<AggregateRow, 'previous'>;

/** The period to compare with; undefined when none was asked for or there is none. */
const comparedWith = ({ comparePrevious = false, window }: AggregateInput): Window | undefined =>
  typeof comparePrevious !== 'boolean'
    ? comparePrevious
    : comparePrevious
      ? previousWindow(window)
      : undefined;

const secondsOf = ({ from, to }: Window): number => Number((to - from) / SECOND);

/** Width of a bucket in seconds; `auto` for about 60 of them. @throws bad_query when they would be too many */
function bucketsOf(input: AggregateInput): number | null {
  const { window, bucketSeconds } = input;
  if (bucketSeconds === undefined) return null;
  // A given period may be longer than the window.
  const seconds = Math.max(secondsOf(window), secondsOf(comparedWith(input) ?? window));
  if (bucketSeconds === 'auto') return NICE_SECONDS.find((width) => width >= seconds / 60) ?? 31_536_000;
  const buckets = seconds / bucketSeconds;
  if (buckets > LIST_LIMITS.maxBuckets) {
    throw fail('bad_query', {
      detail: `That makes ${Math.ceil(buckets)} buckets. At most ${LIST_LIMITS.maxBuckets} are possible: take wider ones.`,
    });
  }
  return bucketSeconds;
}

function shape(row: RawRow, input: AggregateInput, time: string | null): Row {
  return {
    time,
    group: input.groupBy.map((_, index) => String(row[`G${index}`] ?? '')),
    values: input.measures.map((_, index) => finite(row[`V${index}`])),
  };
}

interface Figures {
  readonly rows: readonly Row[];
  /** The largest groups, the largest first; undefined when it is not grouped. */
  readonly chosen: readonly string[][] | undefined;
  readonly groups: number;
  /** The part of the rows that was looked at, null for all. */
  readonly share: number | null;
}

type Found = Omit<Figures, 'share'>;

async function figuresOf(request: Request, plan: Plan): Promise<Figures> {
  const found = foundIn(request, plan);
  const figures = await estimatedIf(
    request,
    plan,
    found.then(({ rows }) => rows),
  );
  return { ...(await found), ...figures };
}

async function foundIn(request: Request, plan: Plan): Promise<Found> {
  const { context, input, seen } = request;
  if (input.groupBy.length === 0) {
    const rows = await series(request, plan, undefined);
    return { rows, chosen: undefined, groups: rows.length > 0 ? 1 : 0 };
  }
  if (plan.aligned !== undefined || plan.sample !== undefined) return groupsOf(request, plan, undefined);
  const { signal = 'spans', groupBy, filter } = input;
  const name = `${listName('groups', context, signal, groupBy, filter)} ${doublings(plan.window)}`;
  const figures = await groupsOf(request, plan, seen?.get(name));
  seen?.set(name, figures.groups);
  return figures;
}

/** @param expected about how many groups there are */
async function groupsOf(request: Request, plan: Plan, expected: number | undefined): Promise<Found> {
  const { runner, context, input } = request;
  if (plan.bucketSeconds !== null && plan.aligned === undefined) {
    const both = await topSeries(runner, context, plan, { limit: input.limit, expected });
    if (both !== undefined) {
      const rows = both.rows.map((row) => shape(row, input, timeOf(row)));
      const ranks = new Map(
        rows.map(({ group }, at) => [keyOfGroup(group), Number(both.rows[at]?.['Rank'])]),
      );
      const ranked = [...ranks].sort(([, a], [, b]) => a - b);
      const chosen = ranked.map(([key]) => JSON.parse(key) as string[]);
      return { rows, chosen, groups: both.groups };
    }
  }
  const top = await topGroups(request, plan);
  const chosen = top.rows.map((row) => row.group);
  const rows = plan.bucketSeconds === null ? top.rows : await series(request, plan, chosen);
  return { rows, chosen, groups: top.groups };
}

const timeOf = (row: RawRow): string => new Date(Number(row['T']) * 1_000).toISOString();

/** The largest groups by the first measure, and how many there are. */
async function topGroups(
  { runner, context, input }: Request,
  plan: Plan,
): Promise<{ rows: Row[]; groups: number }> {
  const by = input.groupBy.map((_, index) => `G${index}`).join(', ');
  const top = (listed: Values | undefined) => {
    const { scope, sql } = grouped(context, { ...plan, bucketSeconds: null }, { listed });
    return runner.run<RawRow>(
      scope,
      `SELECT *, count() OVER () AS N FROM (${sql}) ORDER BY V0 DESC NULLS LAST, ${by} LIMIT ${input.limit} SETTINGS ${ANSWER_BOUND}`,
    );
  };
  const listed = await listedValues(runner, context, plan);
  let raw = await top(listed);
  // A value may have come since they were listed.
  if (listed !== undefined && raw[0]?.['Unlisted'] === 1) raw = await top(undefined);
  return { rows: raw.map((row) => shape(row, input, null)), groups: Number(raw[0]?.['N'] ?? 0) };
}

/** Character between joined group values; a value that holds it could only ever make a group too many. */
const JOIN = '\u001F';

/** All buckets, of the chosen groups only. */
async function series(
  { runner, context, input }: Request,
  plan: Plan,
  chosen: readonly string[][] | undefined,
): Promise<Row[]> {
  if (chosen?.length === 0) return [];
  const keys = [
    ...(plan.bucketSeconds === null ? [] : ['T']),
    ...input.groupBy.map((_, index) => `G${index}`),
  ];
  // Each value by itself first, while the columns are still narrow; then the combinations.
  const { scope, sql } = grouped(context, plan, {
    only: input.groupBy.map((_, index) => [...new Set(chosen?.map((group) => group[index] ?? ''))]),
  });
  const { params } = scope;
  const combined =
    chosen === undefined || input.groupBy.length < 2
      ? ''
      : `WHERE arrayStringConcat([${input.groupBy.map((_, index) => `toString(G${index})`).join(', ')}], ${params.bind(JOIN, 'String')}) IN ${params.bind(
          chosen.map((group) => group.join(JOIN)),
          'Array(String)',
        )}`;
  const order = keys.length === 0 ? '' : `ORDER BY ${keys.join(', ')}`;
  const raw = await runner.run<RawRow>(
    scope,
    `SELECT * FROM (${sql}) ${combined} ${order} LIMIT ${MAX_POINTS + 1} SETTINGS ${ANSWER_BOUND}`,
  );
  refuseTooMany(raw.length);
  return raw.map((row) => shape(row, input, plan.bucketSeconds === null ? null : timeOf(row)));
}

/**
 * Of the period before: the chosen groups, and where there is room for more, of the largest groups then those that are
 * gone. All of them fit mostly, and nothing is asked twice then.
 */
async function earlierRows(
  request: Request,
  plan: Plan,
  chosen: readonly string[][] | undefined,
): Promise<readonly Row[]> {
  const { limit } = request.input;
  if (chosen === undefined || chosen.length >= limit) return series(request, plan, chosen);
  const earlier = await groupsOf(request, plan, undefined);
  const shown = new Set(chosen.map(keyOfGroup));
  const gone = (earlier.chosen ?? []).filter((group) => !shown.has(keyOfGroup(group)));
  const wanted = [...chosen, ...gone.slice(0, limit - chosen.length)];
  const places = new Map(wanted.map((group, place) => [keyOfGroup(group), place]));
  const placeOf = ({ group }: Row): number => places.get(keyOfGroup(group)) ?? -1;
  if (earlier.groups <= limit) return earlier.rows.filter((row) => placeOf(row) >= 0);
  const rows = await series(request, plan, wanted);
  return plan.bucketSeconds === null ? rows.sort((a, b) => placeOf(a) - placeOf(b)) : rows;
}

const keyOfGroup = (group: readonly string[]): string => JSON.stringify(group);

/** The rows of both periods side by side, in the order of time and group. */
function joined(rows: readonly Row[], before: readonly Row[], input: AggregateInput): AggregateRow[] {
  const keyOf = (row: Row): string => JSON.stringify([row.time, row.group]);
  const earlier = new Map(before.map((row) => [keyOf(row), row]));
  const both = rows.map((row): AggregateRow => {
    const key = keyOf(row);
    const previous = earlier.get(key)?.values ?? null;
    earlier.delete(key);
    return { ...row, previous };
  });
  const nothing = input.measures.map(() => null);
  const gone = [...earlier.values()].map(
    (row): AggregateRow => ({ ...row, values: nothing, previous: row.values }),
  );
  if (gone.length === 0) return both;
  // Rows without a time are in the order of their size: what is gone comes last.
  return [...both, ...gone].sort((a, b) =>
    a.time === b.time || a.time === null || b.time === null ? 0 : a.time < b.time ? -1 : 1,
  );
}

const finite = (value: string | number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
