import type { SpanRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compile, type Rule } from '@candela/rules';
import { inPieces, partSql, STRATA } from '../compare/strata.ts';
import { newestPart } from '../core/newest.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { iso, type RawSpan, SPAN_COLUMNS, toSpanRow } from '../spans/span-row.ts';
import { spanFields } from './rule-fields.ts';

export interface PreviewInput {
  readonly rule: Rule;
  readonly window: Window;
  /** Newest matching spans to list; with 0 none are looked for. */
  readonly limit: number;
}

/** What a rule says of the spans of a window. */
export interface RulePreview {
  /** Spans of the window. */
  readonly total: number;
  /** Spans the rule was asked about: all, or those of pieces spread evenly over the window. */
  readonly seen: number;
  /** True when these are not all: the counts are then of the sample. */
  readonly sampled: boolean;
  /** Of the spans seen. */
  readonly matched: number;
  /** By group, by condition. */
  readonly conditions: readonly (readonly ConditionCount[])[];
  /** Newest first. */
  readonly newest: readonly SpanRow[];
  /** How far back these were looked for; null when that is the whole window. ISO 8601. */
  readonly newestSince: string | null;
}

export interface ConditionCount {
  /** Spans that the condition alone matches. */
  readonly matched: number;
  /** Spans that the rule matches without this condition, but not with it; null in a rule of very many conditions. */
  readonly excluded: number | null;
}

/** So many spans are all asked about. */
const ALL_SPANS = 50_000;
/** Of a sample, in each part of the window. */
const PER_PART = 2_000;
/** Spans among which the newest matching ones are looked for: conditions may read maps. */
const NEWEST_AMONG = 250_000;
/** In a rule of more conditions it is not worked out what each of them excludes: that grows with their square. */
const EXCLUDED_CONDITIONS = 40;

/** Asks a rule about the spans of a window, within bounds. @throws InvalidRule */
export async function previewRule(
  runner: Runner,
  context: RequestContext,
  input: PreviewInput,
): Promise<RulePreview> {
  const { window, rule } = input;
  const { total, pieces } = await piecesOf(runner, context, window);
  const [counts, newest] = await Promise.all([
    countMatches(runner, context, rule, pieces),
    newestMatches(runner, context, input),
  ]);
  return { total, sampled: pieces.length > 1, ...counts, ...newest };
}

/** The whole window where it holds few spans; else a piece of each of its parts, in its middle. */
async function piecesOf(
  runner: Runner,
  context: RequestContext,
  window: Window,
): Promise<{ total: number; pieces: readonly Window[] }> {
  const width = (window.to - window.from) / BigInt(STRATA) + 1n;
  const scope = Scope.of(context, SPANS).during(window);
  const rows = await runner.run<{ B: number; N: number }>(
    scope,
    `SELECT ${partSql(SPANS, scope, window.from, width)} AS B, count() AS N ${scope.from} GROUP BY B ORDER BY B`,
  );
  const total = rows.reduce((sum, { N }) => sum + N, 0);
  if (total <= ALL_SPANS) return { total, pieces: [window] };
  const pieces = rows.map(({ B, N }) => {
    const start = window.from + width * BigInt(B);
    const share = N <= PER_PART ? width : (width * BigInt(PER_PART)) / BigInt(N);
    const from = start + (width - share) / 2n;
    const to = from + share;
    return { from, to: to > window.to ? window.to : to };
  });
  return { total, pieces };
}

async function countMatches(
  runner: Runner,
  context: RequestContext,
  rule: Rule,
  pieces: readonly Window[],
): Promise<Pick<RulePreview, 'seen' | 'matched' | 'conditions'>> {
  const scope = inPieces(Scope.of(context, SPANS), SPANS, pieces);
  const { params } = scope;
  const { conditions } = compile(rule, spanFields(params), (value, type) => params.bind(value, type));
  const names = conditions.map((group, g) => group.map((_, c) => `C${g}_${c}`));
  const columns = conditions.flatMap((group, g) => group.map((sql, c) => `${sql} AS ${names[g]?.[c]}`));
  const flat = names.flat();
  const excluding = flat.length <= EXCLUDED_CONDITIONS ? flat : [];
  const counts = [
    ...flat.map((name) => `countIf(${name})`),
    ...excluding.map((name) => `countIf(NOT R AND ${joined(rule, names, name)})`),
  ];
  const [row] = await runner.run<{ Seen: number; Matched: number; Counts: number[] }>(
    scope,
    `SELECT count() AS Seen, countIf(R) AS Matched, CAST([${counts.join(', ')}], 'Array(UInt64)') AS Counts FROM (
       SELECT *, ${joined(rule, names)} AS R FROM (
         SELECT ${['1 AS One', ...columns].join(', ')} ${scope.from}))`,
  );
  let at = 0;
  return {
    seen: row?.Seen ?? 0,
    matched: row?.Matched ?? 0,
    conditions: names.map((group) =>
      group.map(() => {
        const place = at++;
        const excluded = excluding.length === 0 ? null : (row?.Counts[flat.length + place] ?? 0);
        return { matched: row?.Counts[place] ?? 0, excluded };
      }),
    ),
  };
}

/** The rule over the columns of its conditions; `without`: as if that condition were not there. */
function joined(rule: Rule, names: readonly (readonly string[])[], without?: string): string {
  const groups = names.flatMap((group, g) => {
    const left = group.filter((name) => name !== without);
    return left.length === 0 ? [] : [`(${left.join(` ${rule.groups[g]?.operator ?? 'AND'} `)})`];
  });
  // A rule without conditions never matches; but without its only condition, nothing keeps a span out.
  if (groups.length === 0) return without === undefined ? '(0)' : '(1)';
  return `(${groups.join(` ${rule.groupOperator} `)})`;
}

async function newestMatches(
  runner: Runner,
  context: RequestContext,
  { rule, window, limit }: PreviewInput,
): Promise<Pick<RulePreview, 'newest' | 'newestSince'>> {
  if (limit === 0) return { newest: [], newestSince: null };
  const part = await newestPart(runner, context, SPANS, {
    window,
    rows: NEWEST_AMONG,
    limit: (scope) => scope,
  });
  const scope = Scope.of(context, SPANS).during(part.window);
  const { params } = scope;
  const matching = scope.and(
    compile(rule, spanFields(params), (value, type) => params.bind(value, type)).sql,
  );
  const rows = await runner.run<RawSpan>(
    matching,
    `SELECT ${SPAN_COLUMNS} ${matching.from} ORDER BY Timestamp DESC, TraceId, SpanId LIMIT ${limit}`,
  );
  return {
    newest: rows.map(toSpanRow),
    newestSince: part.window.from > window.from ? iso(part.window.from) : null,
  };
}
