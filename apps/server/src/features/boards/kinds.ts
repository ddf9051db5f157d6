import {
  type Frame,
  frameOfAggregate,
  frameOfDurations,
  frameOfHeatmap,
  frameOfMetric,
  frameOfScores,
  frameOfScoreSeries,
  frameOfSql,
  frameOfText,
  frameOfUsage,
  type Filter,
  isOfMetrics,
  type Panel,
  type PanelKind,
  type PanelQuery,
  PANEL_LIMITS,
  ROUTES,
  SCORE_WHERE,
  SCORES_OVER_TIME,
  USAGE_WHERE,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { RouteFunction } from '../../http/route-functions.ts';
import { authorise } from '../identity/access.ts';

/** The routes that panels ask, as functions. */
export type PanelSources = {
  readonly [Id in
    | 'aggregate'
    | 'queryMetric'
    | 'queryMetricHeatmap'
    | 'spanDurations'
    | 'executeSql'
    | 'scoreAnalytics'
    | 'getChatUsage']: RouteFunction<Id>;
};

/** What the widgets of one answer share. Times are epoch milliseconds. */
export interface PanelScope {
  readonly from: number;
  readonly to: number;
  readonly compare: boolean;
  /** Conditions of the chosen variables. */
  readonly conditions: readonly Extract<Filter, { field: string }>[];
  /** A statement with the values of the variables in it. @throws refused */
  readonly fill: (query: string) => string;
}

type QueryOf<Kind extends PanelKind> = Extract<PanelQuery, { kind: Kind }>;
type Run<Kind extends PanelKind> = (
  sources: PanelSources,
  asked: { readonly query: QueryOf<Kind>; readonly visual: Panel['visual']; readonly scope: PanelScope },
  context: RequestContext,
  signal: AbortSignal,
) => Promise<Frame>;

/** Time buckets of a heat map of durations. */
const COLUMNS = 60;

/** Conditions of the variables as values by field, and what a reader is told of those that say nothing of it. */
function whereOf<Field extends string>(
  conditions: PanelScope['conditions'],
  fields: readonly Field[],
  what: string,
): { where?: Partial<Record<Field, string[]>>; notes: string[] } {
  const where: Partial<Record<Field, string[]>> = {};
  const others: string[] = [];
  for (const { field, op, value } of conditions) {
    // What a board leaves out while nothing is chosen are spans of its own kind: of these there is nothing to leave out.
    if (op !== 'in') continue;
    const known = fields.find((one) => one === (field === 'env' ? 'environment' : field));
    const values = [value].flat().map(String);
    if (known === undefined) others.push(field);
    // Two variables of one field: both hold.
    else where[known] = where[known]?.filter((one) => values.includes(one)) ?? values;
  }
  const notes = others.length === 0 ? [] : [notNarrowed(others, what)];
  return { ...(Object.keys(where).length === 0 ? {} : { where }), notes };
}

const notNarrowed = (fields: readonly string[], what: string): string =>
  `Not narrowed by ${[...new Set(fields)].join(', ')}: ${what} have no such field.`;

function narrowed(filter: Filter | undefined, conditions: PanelScope['conditions']): { filter?: Filter } {
  const all = [...(filter === undefined ? [] : [filter]), ...conditions];
  const [only] = all;
  if (only === undefined) return {};
  return { filter: all.length === 1 ? only : { and: all } };
}

/** What each kind of panel asks; the registry. */
const KINDS: { readonly [Kind in PanelKind]: Run<Kind> } = {
  aggregate: async (sources, { query: { body }, scope, visual }, context, signal) => {
    const { filter, ...rest } = body;
    const asked = {
      ...rest,
      ...narrowed(filter, scope.conditions),
      from: scope.from,
      to: scope.to,
      early: false,
      comparePrevious: scope.compare || visual.compare === true ? true : body.comparePrevious,
    };
    return frameOfAggregate(asked, await sources.aggregate(context, asked, signal));
  },
  metric: async (sources, { query: { body }, scope, visual }, context, signal) => {
    const { filter, aggregation, groupBy, limit, ...rest } = body;
    const conditions = scope.conditions.filter(({ field }) => isOfMetrics(field));
    const others = scope.conditions.filter((one) => !conditions.includes(one)).map(({ field }) => field);
    const noted = (frame: Frame): Frame =>
      others.length === 0 ? frame : { ...frame, notes: [...frame.notes, notNarrowed(others, 'metrics')] };
    const selected = { ...rest, ...narrowed(filter, conditions), from: scope.from, to: scope.to };
    if (visual.type === 'heatmap')
      return noted(frameOfHeatmap(await sources.queryMetricHeatmap(context, selected, signal)));
    const asked = { ...selected, aggregation, groupBy, limit, exemplars: false };
    return noted(frameOfMetric(await sources.queryMetric(context, asked, signal)));
  },
  durations: async (sources, { query: { body }, scope }, context, signal) => {
    const { filter, ...rest } = body;
    const bucketSeconds = Math.max(1, Math.ceil((scope.to - scope.from) / 1_000 / COLUMNS));
    const asked = {
      ...rest,
      ...narrowed(filter, scope.conditions),
      from: scope.from,
      to: scope.to,
      bucketSeconds,
      early: false,
    };
    return frameOfDurations(await sources.spanDurations(context, asked, signal));
  },
  sql: async (sources, { query: { query }, scope }, context, signal) => {
    // A board may be read with fewer rights than a statement may be run with.
    authorise(ROUTES.executeSql.permission, context);
    const asked = { query: scope.fill(query), from: scope.from, to: scope.to, limit: PANEL_LIMITS.rows };
    return frameOfSql((await sources.executeSql(context, asked, signal)).data);
  },
  scores: async (sources, { query: { body }, scope }, context, signal) => {
    authorise(ROUTES.scoreAnalytics.permission, context);
    const { measures, groupBy, overTime, limit, ...selection } = body;
    const [by] = groupBy;
    const { where, notes } = whereOf(scope.conditions, SCORE_WHERE, 'scores');
    const during = { from: scope.from, to: scope.to, where };
    const asked = { ...selection, ...during, by: by ?? ('name' as const) };
    const { data } = await sources.scoreAnalytics(context, asked, signal);
    if (!overTime) {
      const groups = by === undefined ? [{ key: '', ...data.totals }] : data.groups;
      return { ...frameOfScores({ measures, by, limit }, groups), notes };
    }
    if (by === undefined) return { ...frameOfScoreSeries({ measures, by }, [{ key: '', data }], 1), notes };
    const largest = data.groups.slice(0, Math.min(limit, SCORES_OVER_TIME.groups));
    const series = await Promise.all(
      largest.map(async ({ key }) => ({
        key,
        data: (await sources.scoreAnalytics(context, { ...asked, [by]: key }, signal)).data,
      })),
    );
    return { ...frameOfScoreSeries({ measures, by }, series, data.groups.length), notes };
  },
  usage: async (sources, { query: { body }, scope }, context, signal) => {
    authorise(ROUTES.getChatUsage.permission, context);
    const { groupBy, overTime } = body;
    const by = [...groupBy, ...(overTime ? (['date'] as const) : [])];
    const { where, notes } = whereOf(scope.conditions, USAGE_WHERE, "calls of Candela's own");
    const asked = {
      window: 'CUSTOM' as const,
      from: scope.from,
      to: scope.to,
      where,
      groupBy: by.length === 0 ? (['feature'] as const).slice() : by,
    };
    return { ...frameOfUsage(body, (await sources.getChatUsage(context, asked, signal)).data), notes };
  },
  markdown: (_sources, { query }) => Promise.resolve(frameOfText(query.text)),
};

/** Asks what a panel asks. @throws what its route throws */
export function runPanel<Kind extends PanelKind>(
  sources: PanelSources,
  asked: { readonly query: QueryOf<Kind>; readonly visual: Panel['visual']; readonly scope: PanelScope },
  context: RequestContext,
  signal: AbortSignal,
): Promise<Frame> {
  const run = KINDS[asked.query.kind as Kind] as unknown as Run<Kind>;
  return run(sources, asked, context, signal);
}
