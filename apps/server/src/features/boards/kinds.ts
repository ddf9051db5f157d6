import {
  type BodyOf,
  type Frame,
  frameOfAggregate,
  frameOfDurations,
  frameOfHeatmap,
  frameOfMetric,
  frameOfSql,
  frameOfText,
  type Filter,
  type Panel,
  type PanelKind,
  type PanelQuery,
  type ResponseOf,
  PANEL_LIMITS,
  ROUTES,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { authorise } from '../identity/access.ts';

type Routes = typeof ROUTES;
type Ask<Id extends keyof Routes> = (
  context: RequestContext,
  body: BodyOf<Routes[Id]>,
  signal: AbortSignal,
) => Promise<ResponseOf<Routes[Id]>>;

/** The routes that panels ask, as functions. */
export interface PanelSources {
  readonly aggregate: Ask<'aggregate'>;
  readonly queryMetric: Ask<'queryMetric'>;
  readonly queryMetricHeatmap: Ask<'queryMetricHeatmap'>;
  readonly spanDurations: Ask<'spanDurations'>;
  readonly executeSql: Ask<'executeSql'>;
}

/** What the widgets of one answer share. Times are epoch milliseconds. */
export interface PanelScope {
  readonly from: number;
  readonly to: number;
  readonly compare: boolean;
  /** Conditions of the chosen variables. */
  readonly conditions: readonly Extract<Filter, { field: string }>[];
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

/** Fields that a condition may name of metrics: other fields belong to spans and logs. */
const OF_METRICS = /^(?:service|environment|(?:resource|attributes|scope)\..+)$/;

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
    const conditions = scope.conditions.filter(({ field }) => OF_METRICS.test(field));
    const selected = { ...rest, ...narrowed(filter, conditions), from: scope.from, to: scope.to };
    if (visual.type === 'heatmap')
      return frameOfHeatmap(await sources.queryMetricHeatmap(context, selected, signal));
    const asked = { ...selected, aggregation, groupBy, limit, exemplars: false };
    return frameOfMetric(await sources.queryMetric(context, asked, signal));
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
    const asked = { query, from: scope.from, to: scope.to, limit: PANEL_LIMITS.rows };
    return frameOfSql((await sources.executeSql(context, asked, signal)).data);
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
