import { z } from 'zod';
import { SQL_BOUNDS } from '../chat/sql.ts';
import { USAGE_GROUPS } from '../chat/usage.ts';
import { SCORE_GROUPINGS, scoreAnalytics } from '../evaluations/scores.ts';
import { aggregate } from '../telemetry/aggregate.ts';
import { spanDurations } from '../telemetry/durations.ts';
import { queryMetric } from '../telemetry/metrics.ts';

/** How an answer is drawn. */
export const PANEL_TYPES = ['stat', 'bar', 'line', 'area', 'pie', 'table', 'heatmap', 'markdown'] as const;
export type PanelType = (typeof PANEL_TYPES)[number];

/** Bounds of panels. */
export const PANEL_LIMITS = { sql: 20_000, markdown: 20_000, thresholds: 5, rows: 1_000 } as const;

/** What panels measure of scores: of the figures that `scoreAnalytics` answers. */
export const SCORE_MEASURES = ['pass_rate', 'mean', 'scores', 'passed', 'failed', 'errors', 'cost'] as const;
export type ScoreMeasure = (typeof SCORE_MEASURES)[number];

/** What panels measure of the calls that the platform itself makes to models: of the figures of `getChatUsage`. */
export const USAGE_MEASURES = [
  'calls',
  'failed',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost',
] as const;
export type UsageMeasure = (typeof USAGE_MEASURES)[number];

/** By what scores are asked over time, each group by itself, and how many of the largest. */
export const SCORES_OVER_TIME = { by: ['name', 'evaluator', 'source'], groups: 8 } as const;

/** What a board or a chart sets by itself: the window, and whether a first estimate will do. */
const WINDOW = { from: true, to: true } as const;

const isAskedOverTime = (by: string | undefined): boolean =>
  by === undefined || SCORES_OVER_TIME.by.some((one) => one === by);

/**
 * What a panel asks, by kind. `aggregate`, `metric` and `durations` are the bodies of the routes without their window;
 * a heat map of `metric` asks the route of heat maps. A new kind adds its line here and in the server's panel kinds.
 */
export const PANEL_QUERIES = {
  aggregate: z.strictObject({
    kind: z.literal('aggregate'),
    body: aggregate.body.omit({ ...WINDOW, early: true }),
  }),
  metric: z.strictObject({
    kind: z.literal('metric'),
    body: queryMetric.body.omit({ ...WINDOW, exemplars: true, offsetMs: true }),
  }),
  durations: z.strictObject({
    kind: z.literal('durations'),
    body: spanDurations.body.omit({ ...WINDOW, early: true, bucketSeconds: true }),
  }),
  markdown: z.strictObject({
    kind: z.literal('markdown'),
    text: z.string().max(PANEL_LIMITS.markdown),
  }),
  sql: z.strictObject({
    kind: z.literal('sql'),
    query: z.string().min(1).max(SQL_BOUNDS.query).meta({
      description:
        'May name variables of its board: `{{filter.service}}` becomes a quoted literal, of a variable of several values a tuple, within quotes its text; `{{filter.timeLimit.start}}` and `.end` are the time range. A part in `[[ ]]` is left out while a variable in it has no value.',
    }),
  }),
  scores: z.strictObject({
    kind: z.literal('scores'),
    body: scoreAnalytics.query
      .omit({ ...WINDOW, by: true, where: true })
      .extend({
        measures: z.array(z.enum(SCORE_MEASURES)).min(1).max(SCORE_MEASURES.length).default(['pass_rate']),
        groupBy: z.array(z.enum(SCORE_GROUPINGS)).max(1).default([]),
        overTime: z.boolean().default(false),
        limit: z.int().min(1).max(100).default(10),
      })
      .refine(({ overTime, groupBy: [by] }) => !overTime || isAskedOverTime(by), {
        error: `Over time scores are grouped by ${SCORES_OVER_TIME.by.join(', ')} or nothing.`,
      }),
  }),
  usage: z.strictObject({
    kind: z.literal('usage'),
    body: z.strictObject({
      measures: z.array(z.enum(USAGE_MEASURES)).min(1).max(USAGE_MEASURES.length).default(['cost']),
      groupBy: z
        .array(z.enum(USAGE_GROUPS).exclude(['date']))
        .max(3)
        .default([]),
      overTime: z.boolean().default(false).meta({ description: 'A figure a day (UTC).' }),
      limit: z.int().min(1).max(100).default(10),
    }),
  }),
} as const;
export type PanelKind = keyof typeof PANEL_QUERIES;

export const panelQuerySchema = z
  .discriminatedUnion('kind', [
    PANEL_QUERIES.aggregate,
    PANEL_QUERIES.metric,
    PANEL_QUERIES.durations,
    PANEL_QUERIES.markdown,
    PANEL_QUERIES.sql,
    PANEL_QUERIES.scores,
    PANEL_QUERIES.usage,
  ])
  .meta({
    id: 'PanelQuery',
    description:
      'What a panel asks. Bodies are those of the routes `aggregate`, `queryMetric` and `spanDurations` without window; `sql` is a statement as of `executeSql`, `scores` and `usage` ask `scoreAnalytics` and `getChatUsage`.',
  });
export type PanelQuery = z.output<typeof panelQuerySchema>;
export type PanelQueryInput = z.input<typeof panelQuerySchema>;

const column = z.string().min(1).max(300);

export const panelVisualSchema = z
  .strictObject({
    type: z.enum(PANEL_TYPES),
    unit: z.string().max(40).optional().meta({ description: 'UCUM, as of metrics: `ms`, `By`, `USD`, `1`.' }),
    decimals: z.int().min(0).max(6).optional(),
    x: column
      .optional()
      .meta({ description: 'Column of the horizontal axis; omitted: the first of times, else of texts.' }),
    y: z
      .array(column)
      .max(20)
      .optional()
      .meta({ description: 'Columns that are drawn; omitted: all numbers.' }),
    series: column.optional().meta({ description: 'Column whose values name the series.' }),
    compare: z.boolean().optional().meta({ description: 'Beside the period before.' }),
    better: z
      .enum(['lower', 'higher', 'neither'])
      .optional()
      .meta({ description: 'Which way is good news.' }),
    thresholds: z
      .array(
        z.strictObject({
          value: z.number(),
          when: z.enum(['above', 'below']),
          tone: z.enum(['warn', 'danger', 'ok']),
        }),
      )
      .max(PANEL_LIMITS.thresholds)
      .optional(),
    legend: z.boolean().optional(),
    stacked: z.boolean().optional().meta({
      description: 'Areas and bars lie on each other unless false; lines only when true.',
    }),
  })
  .meta({ id: 'PanelVisual', description: 'How the answer of a panel is drawn.' });
export type PanelVisual = z.output<typeof panelVisualSchema>;

/** A question and how its answer is drawn: everything that a chart is. */
export const panelSchema = z
  .strictObject({ query: panelQuerySchema, visual: panelVisualSchema })
  .meta({ id: 'Panel' });
export type Panel = z.output<typeof panelSchema>;
export type PanelInput = z.input<typeof panelSchema>;

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** The answer of a panel, whatever it asked: named columns and rows. */
export const frameSchema = z
  .object({
    columns: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['time', 'text', 'number']).meta({ description: 'Times are epoch milliseconds.' }),
        unit: z.string().nullable(),
        previous: z
          .boolean()
          .meta({ description: 'Holds what the column before it was in the period before.' }),
      }),
    ),
    rows: z.array(z.array(cell)),
    stepSeconds: z
      .number()
      .nullable()
      .meta({ description: 'Width of the buckets of time; null: there are none.' }),
    groups: z.number().nullable().meta({ description: 'Groups that exist, of which these are the largest.' }),
    sample: z
      .number()
      .nullable()
      .meta({ description: 'The part of the rows it was estimated from; null: exact.' }),
    truncated: z.boolean(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'Frame' });
export type Frame = z.output<typeof frameSchema>;
