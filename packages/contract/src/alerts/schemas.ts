import { z } from 'zod';
import { line, revision, text } from '../rules/liberal.ts';
import { isoTime } from '../telemetry/common.ts';
import { ALERT_LIMITS, alertSourceSchema } from './sources.ts';

export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];
export const ALERT_STATUSES = ['ok', 'pending', 'firing', 'no_data', 'error'] as const;
export type AlertStatus = (typeof ALERT_STATUSES)[number];

/** What a summary may name: `{{name}}`, `{{value}}`, `{{threshold}}`, `{{severity}}`, `{{labels.<label>}}`. */
const PLACEHOLDER = /\{\{\s*(?:name|value|threshold|severity|labels\.[A-Za-z0-9_.-]{1,300})\s*\}\}/g;
const seconds = (max: number, fallback: number) => z.int().min(0).max(max).default(fallback);
const DAY = 86_400;
const labelsSchema = z
  .record(
    z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, { error: 'Labels are like team or cost_centre.' }),
    line(200),
  )
  .refine((labels) => Object.keys(labels).length <= ALERT_LIMITS.labels, {
    error: `At most ${ALERT_LIMITS.labels} labels.`,
  });

export const alertShape = {
  name: line(ALERT_LIMITS.name),
  description: text(2_000).default(''),
  enabled: z.boolean().default(true),
  severity: z.enum(ALERT_SEVERITIES).default('warning'),
  labels: labelsSchema.default({}),
  source: alertSourceSchema,
  intervalSeconds: z.int().min(ALERT_LIMITS.minIntervalSeconds).max(DAY).default(60).meta({
    description: 'Seconds between evaluations, which are at multiples of it since 1970.',
  }),
  delaySeconds: seconds(3_600, 60).meta({
    description: 'Windows end so long before the evaluation: late data still counts.',
  }),
  forSeconds: seconds(7 * DAY, 0).meta({
    description: 'How long it must hold, in event time, before it fires.',
  }),
  keepFiringSeconds: seconds(7 * DAY, 0).meta({
    description: 'How long it goes on firing after it held last.',
  }),
  noData: z.enum(['ok', 'alert', 'keep']).default('ok').meta({
    description: 'What no data, or a group that reports no more, means.',
  }),
  missingAfter: z
    .int()
    .min(1)
    .max(100)
    .default(2)
    .meta({ description: 'Evaluations without data until then.' }),
  minSamples: z.int().min(0).max(1e9).default(0).meta({
    description: 'Fewer rows than these count as no data. Metrics have no rows to count.',
  }),
  allowUncalibrated: z.boolean().default(false).meta({
    description:
      'Scores of a judge that people did not agree with on 50 spans (kappa 0.6) are refused, unless this is true.',
  }),
  destinations: z.array(z.string().min(1).max(64)).max(ALERT_LIMITS.destinations).default([]),
  groupWaitSeconds: seconds(3_600, 30).meta({
    description: 'Wait before the first message, so that what fires together is told together.',
  }),
  groupIntervalSeconds: seconds(DAY, 300).meta({ description: 'Least time between two messages.' }),
  repeatSeconds: z
    .union([
      z.literal(0),
      z
        .int()
        .min(300)
        .max(30 * DAY),
    ])
    .default(4 * 3_600)
    .meta({ description: 'Told again after so long while it fires; 0: never.' }),
  summary: text(500)
    .default('')
    .refine((template) => !/\{\{|\}\}/.test(template.replaceAll(PLACEHOLDER, '')), {
      error: 'Placeholders are {{name}}, {{value}}, {{threshold}}, {{severity}} and {{labels.<label>}}.',
    }),
} as const;

export const alertInputSchema = z.strictObject(alertShape);
export type AlertInput = z.output<typeof alertInputSchema>;
export type AlertDraft = z.input<typeof alertInputSchema>;

const nullable = z.string().nullable();
const plainLabels = z.record(z.string(), z.string());

export const alertSchema = z
  .object({
    id: z.string(),
    ...alertShape,
    environment: nullable.meta({ description: 'Null: all environments of the project.' }),
    status: z.enum(ALERT_STATUSES).meta({ description: 'The worst of its groups.' }),
    firing: z.number().meta({ description: 'Groups that fire.' }),
    silenced: z.boolean(),
    lastEvaluatedAt: isoTime.nullable(),
    error: nullable.meta({ description: 'Why the last evaluation failed; null: it did not.' }),
    revision,
    updatedBy: z.string(),
    updatedAt: isoTime,
  })
  .meta({ id: 'Alert' });
export type Alert = z.output<typeof alertSchema>;

export const alertGroupSchema = z
  .object({
    key: z.string(),
    labels: plainLabels,
    status: z.enum(ALERT_STATUSES),
    since: isoTime.meta({ description: 'In event time.' }),
    value: z.number().nullable(),
    acknowledgedBy: nullable,
    silenced: z.boolean(),
  })
  .meta({ id: 'AlertGroup' });
export type AlertGroup = z.output<typeof alertGroupSchema>;

export const alertEventSchema = z
  .object({
    id: z.string(),
    alertId: z.string(),
    alertName: z.string(),
    severity: z.enum(ALERT_SEVERITIES),
    status: z.enum(['firing', 'resolved', 'no_data', 'error', 'occurred']).meta({
      description: '`occurred`: a single event, such as a new exception, which nothing resolves.',
    }),
    at: isoTime.meta({ description: 'In event time.' }),
    recordedAt: isoTime,
    groupKey: z.string(),
    labels: plainLabels,
    value: z.number().nullable(),
    summary: z.string(),
    silenced: z.boolean().meta({ description: 'Nobody was told because of a silence.' }),
    link: nullable.meta({ description: 'Path of the page that shows what it is about.' }),
  })
  .meta({ id: 'AlertEvent' });
export type AlertEvent = z.output<typeof alertEventSchema>;

const matcherSchema = z.strictObject({
  label: z.string().min(1).max(300).meta({
    description: 'A label or a field it is grouped by; also `alert` (its name), `alertId` and `severity`.',
  }),
  value: z.string().max(300).meta({ description: '`*` stands for any text.' }),
  not: z.boolean().default(false),
});
export type AlertMatcher = z.output<typeof matcherSchema>;

export const silenceInputSchema = z
  .strictObject({
    matchers: z.array(matcherSchema).min(1).max(ALERT_LIMITS.matchers),
    startsAt: z.iso.datetime({ offset: true }).optional().meta({ description: 'Omitted: now.' }),
    endsAt: z.iso.datetime({ offset: true }),
    comment: line(500),
  })
  .refine(({ startsAt, endsAt }) => startsAt === undefined || Date.parse(startsAt) < Date.parse(endsAt), {
    error: 'A silence ends after it begins.',
  });
export const silenceSchema = z
  .object({
    id: z.string(),
    matchers: z.array(matcherSchema),
    startsAt: isoTime,
    endsAt: isoTime,
    comment: z.string(),
    author: z.string(),
    state: z.enum(['pending', 'active', 'expired']),
  })
  .meta({ id: 'AlertSilence' });
export type AlertSilence = z.output<typeof silenceSchema>;

export const alertPreviewSchema = z
  .object({
    from: isoTime,
    to: isoTime,
    everySeconds: z.number().meta({
      description:
        'Seconds between the instants that were looked at; the interval itself where the time allows.',
    }),
    instants: z.number(),
    events: z.array(
      z.object({
        at: isoTime,
        status: alertEventSchema.shape.status,
        labels: plainLabels,
        value: z.number().nullable(),
        summary: z.string(),
      }),
    ),
    groups: z.array(
      z.object({
        labels: plainLabels,
        spans: z.array(z.object({ status: z.enum(ALERT_STATUSES), from: isoTime, to: isoTime })),
        points: z.array(z.tuple([z.number(), z.number().nullable()])),
      }),
    ),
    threshold: z.number().nullable(),
    notes: z.array(z.string()),
  })
  .meta({ id: 'AlertPreview' });
export type AlertPreview = z.output<typeof alertPreviewSchema>;
