import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { count, isoTime, LIST_LIMITS, timeSchema, windowShape } from './common.ts';

export const METRIC_TYPES = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'] as const;
export type MetricType = (typeof METRIC_TYPES)[number];

export const TEMPORALITIES = ['delta', 'cumulative', 'unspecified', 'mixed'] as const;
export type Temporality = (typeof TEMPORALITIES)[number];

export const METRIC_AGGREGATIONS = [
  'rate',
  'increase',
  'avg',
  'min',
  'max',
  'sum',
  'last',
  'count',
  'p50',
  'p75',
  'p90',
  'p95',
  'p99',
] as const;
export type MetricAggregation = (typeof METRIC_AGGREGATIONS)[number];

/** What the points of a metric mean, which decides how they are added up. */
export const METRIC_MEANINGS = ['level', 'counter', 'change', 'distribution', 'quantiles'] as const;
export type MetricMeaning = (typeof METRIC_MEANINGS)[number];

/** Bounds of metric reads: what is beyond is cut and said, or refused with the bound named. */
export const METRIC_LIMITS = {
  /** Series lines of one answer. */
  lines: 100,
  defaultLines: 20,
  groupBy: 5,
  /** Buckets that an automatic step aims at most for. */
  autoBuckets: 300,
  /** Names one catalogue answer is made from. */
  names: 10_000,
  /** Series that label keys and values are counted in. */
  labelSeries: 50_000,
  labelKeys: 200,
  labelValues: 50,
  exemplars: 300,
} as const;

const nullableText = z.string().nullable();
const typeSchema = z.enum(METRIC_TYPES);
const temporalitySchema = z.enum(TEMPORALITIES);
const meaningSchema = z.enum(METRIC_MEANINGS);

/** One of the shapes a metric's name is used with: senders may disagree. */
export const metricVariantSchema = z
  .object({
    type: typeSchema,
    unit: z.string(),
    meaning: meaningSchema.meta({
      description:
        'A gauge is a level, a sum that only rises a counter, one that can fall a level, as deltas changes; a histogram is a distribution, a summary gives quantiles.',
    }),
    temporality: temporalitySchema.nullable().meta({ description: 'Null where the type has none.' }),
    monotonic: z.boolean().nullable().meta({ description: 'Only of sums: false when it can also fall.' }),
    series: count,
  })
  .meta({ id: 'MetricVariant' });
export type MetricVariant = z.output<typeof metricVariantSchema>;

const pointUnit = z.string().meta({
  description:
    'Unit of the measurements: that of the metric, but `1` only of gauges and histograms whose name says that they are shares; others of `1` are plain numbers and have none.',
});

export const metricRowSchema = z
  .object({
    name: z.string(),
    /** The shape most series have. */
    type: typeSchema,
    unit: z.string(),
    pointUnit,
    temporality: temporalitySchema.nullable(),
    monotonic: z.boolean().nullable(),
    description: z.string(),
    services: z.array(z.string()).meta({ description: 'At most 20, sorted.' }),
    serviceCount: count,
    environments: z.array(z.string()).meta({ description: 'At most 20, sorted.' }),
    series: count.meta({
      description:
        'Series whose first and last point of a day of arrival reach into the time range: one that was silent just then counts too.',
    }),
    points: count.meta({
      description: 'Points of these series on these days, those outside of the time range too.',
    }),
    lastTime: isoTime.meta({ description: 'Of the newest point within the time range.' }),
    lastValue: z
      .number()
      .nullable()
      .meta({ description: 'Of the series that reported last; of histograms and summaries their count.' }),
    variants: z.array(metricVariantSchema).meta({
      description: 'More than one when senders disagree about type, unit or meaning.',
    }),
  })
  .meta({ id: 'MetricRow' });
export type MetricRow = z.output<typeof metricRowSchema>;

const windowQuery = { from: timeSchema.default('-24h'), to: timeSchema.default('now') };
const facetValues = z.array(z.object({ value: z.string(), count }));

export const listMetrics = defineRoute({
  id: 'listMetrics',
  method: 'GET',
  path: '/api/telemetry/metrics',
  tag: 'Metrics',
  summary: 'The catalogue: every metric that reported in the window, by name',
  permission: reads('telemetry'),
  shared: true,
  query: z.strictObject({
    ...windowQuery,
    q: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'Words of the name or the description; all must occur.' }),
    type: typeSchema.optional(),
    unit: z.string().max(200).optional(),
    service: z.string().max(300).optional(),
    limit: z.coerce.number().int().min(1).max(LIST_LIMITS.maxPage).default(LIST_LIMITS.defaultPage),
    cursor: z.string().min(1).max(1_024).optional(),
  }),
  response: z.object({
    data: z.array(metricRowSchema),
    nextCursor: nullableText,
    /** Names that match; with `atLeast` there are more than were counted. */
    total: count,
    atLeast: z.boolean(),
    facets: z.object({ types: facetValues, units: facetValues, services: facetValues }).meta({
      description: 'Numbers of metrics, under all filters but the own one.',
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const listMetricLabels = defineRoute({
  id: 'listMetricLabels',
  method: 'GET',
  path: '/api/telemetry/metrics/labels',
  tag: 'Metrics',
  summary: 'What the series of a metric can be filtered and grouped by, with the most frequent values',
  permission: reads('telemetry'),
  query: z.strictObject({ ...windowQuery, metric: z.string().min(1).max(300) }),
  response: z.object({
    data: z.array(
      z.object({
        /** As filters and `groupBy` name it: `service`, `attributes.http.route`, `resource.host.name`. */
        field: z.string(),
        series: count.meta({ description: 'Series that have it.' }),
        values: z.array(z.object({ value: z.string(), series: count })),
        valueCount: count,
      }),
    ),
    series: count.meta({ description: 'Counted as in the catalogue.' }),
    /** True when there were more series than were looked at. */
    atLeast: z.boolean(),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

const metricQueryShape = {
  metric: z.string().min(1).max(300),
  type: typeSchema
    .optional()
    .meta({ description: 'For a name used with several types; else the most frequent.' }),
  unit: z.string().max(200).optional().meta({ description: 'For a name used with several units.' }),
  meaning: meaningSchema
    .optional()
    .meta({ description: 'For a name used for sums that only rise and sums that can fall.' }),
  ...windowShape,
  stepSeconds: z.int().min(1).max(31_536_000).optional().meta({
    description: 'Width of a bucket; omitted: about 300 buckets, and never below two reporting intervals.',
  }),
  offsetMs: z.int().min(0).max(31_536_000_000).optional().meta({
    description:
      'Buckets begin so many milliseconds after the multiples of their width since 1970, so that those of two periods lie beside each other; omitted: with them.',
  }),
};

const point = z.tuple([z.number(), z.number().nullable()]);

/** What both answers say about how they came about. */
const answerShape = {
  metric: z.string(),
  /** Null when nothing matched. */
  type: typeSchema.nullable(),
  unit: z.string(),
  pointUnit,
  temporality: temporalitySchema.nullable(),
  monotonic: z.boolean().nullable(),
  from: isoTime,
  to: isoTime,
  stepSeconds: z.number(),
  /** How often a series reports, in seconds; null when unknown. */
  intervalSeconds: z.number().nullable(),
  matchedSeries: count.meta({ description: 'Counted as in the catalogue.' }),
  variants: z.array(metricVariantSchema),
  notes: z
    .array(z.string())
    .meta({ description: 'What a reader should know about these numbers, in sentences.' }),
};

const exemplarSchema = z.object({
  time: z.number().meta({ description: 'Epoch milliseconds.' }),
  value: z.number(),
  traceId: z.string(),
  spanId: z.string(),
});
export type MetricExemplar = z.output<typeof exemplarSchema>;

export const queryMetric = defineRoute({
  id: 'queryMetric',
  method: 'POST',
  path: '/api/telemetry/metrics/query',
  tag: 'Metrics',
  summary: 'A metric over time: rates of counters, quantiles of histograms, by label',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject({
    ...metricQueryShape,
    aggregation: z
      .enum(METRIC_AGGREGATIONS)
      .optional()
      .meta({ description: 'Omitted: what suits the type.' }),
    groupBy: z.array(z.string().min(1).max(300)).max(METRIC_LIMITS.groupBy).default([]),
    limit: z.int().min(1).max(METRIC_LIMITS.lines).default(METRIC_LIMITS.defaultLines),
    exemplars: z.boolean().default(false),
  }),
  response: z.object({
    data: z.object({
      ...answerShape,
      aggregation: z.enum(METRIC_AGGREGATIONS).nullable(),
      aggregations: z
        .array(z.enum(METRIC_AGGREGATIONS))
        .meta({ description: 'What this type can be asked for.' }),
      /** Unit of the values: `{request}/s` for a rate. */
      valueUnit: z.string(),
      groupBy: z.array(z.string()),
      series: z.array(
        z.object({
          /** Values in the order of `groupBy`; empty text where the series has none. */
          labels: z.array(z.string()),
          /** Start of the bucket in epoch milliseconds and its value; null where nothing was reported. */
          points: z.array(point),
        }),
      ),
      /** Lines that exist, of which `limit` were returned, the largest first. */
      lines: count,
      truncated: z.boolean(),
      exemplars: z.array(exemplarSchema),
    }),
  }),
  errors: ['bad_query', 'refused', 'query_too_expensive', 'store_unavailable'],
});

export const queryMetricHeatmap = defineRoute({
  id: 'queryMetricHeatmap',
  method: 'POST',
  path: '/api/telemetry/metrics/heatmap',
  tag: 'Metrics',
  summary: 'A histogram metric as a heat map: how many measurements fell into each range, over time',
  permission: reads('telemetry'),
  shared: true,
  body: z.strictObject(metricQueryShape),
  response: z.object({
    data: z.object({
      ...answerShape,
      /** Epoch milliseconds, one for each column. */
      times: z.array(z.number()),
      ranges: z.array(z.object({ low: z.number().nullable(), high: z.number().nullable() })).meta({
        description:
          'Ranges `(low, high]` from low to high; null where a range is open; low equals high where only zeros were measured.',
      }),
      /** Cells that hold something: column, range, count. */
      cells: z.array(z.tuple([count, count, z.number()])),
      exemplars: z.array(exemplarSchema),
    }),
  }),
  errors: ['bad_query', 'refused', 'query_too_expensive', 'store_unavailable'],
});
