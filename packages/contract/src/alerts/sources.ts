import { z } from 'zod';
import { filledNames } from '../panels/fill.ts';
import { PANEL_QUERIES } from '../panels/schemas.ts';
import { windowShape } from '../telemetry/common.ts';

/** Bounds of alerts. */
export const ALERT_LIMITS = {
  name: 120,
  perProject: 1_000,
  /** Groups that one alert follows; beyond them it says so. */
  groups: 500,
  destinations: 10,
  destinationsPerProject: 100,
  silences: 200,
  matchers: 10,
  labels: 10,
  /** Instants that one preview looks at. */
  previewInstants: 400,
  minIntervalSeconds: 30,
} as const;

const DAY = 86_400;
const windowSeconds = z
  .int()
  .min(60)
  .max(31 * DAY)
  .default(300)
  .meta({ description: 'Seconds of event time that one value is measured over.' });

/** Which of the telemetry is measured: the query of a panel; its first measure counts. */
export const alertQuerySchema = z
  .discriminatedUnion('kind', [
    PANEL_QUERIES.aggregate,
    PANEL_QUERIES.metric,
    PANEL_QUERIES.scores,
    PANEL_QUERIES.sql,
  ])
  .refine((query) => query.kind === 'sql' || query.body.groupBy.length <= 3, {
    error: 'An alert is grouped by at most three fields.',
  })
  .refine((query) => query.kind !== 'sql' || filledNames(query.query).length === 0, {
    error: 'A statement of an alert has no variables.',
  })
  .meta({
    description:
      'Of a statement (`sql`) the first number of a row is its value, its texts are its group, at most three; it sees the rows of the window. Whoever writes it may run statements.',
  });
export type AlertQuery = z.output<typeof alertQuerySchema>;

export const ALERT_OPERATORS = ['>', '>=', '<', '<='] as const;
export type AlertOperator = (typeof ALERT_OPERATORS)[number];

const conditionShape = {
  op: z.enum(ALERT_OPERATORS),
  value: z.number(),
  recovery: z.number().optional().meta({
    description: 'Firing ends only when the value is back beyond this; omitted: beyond `value`.',
  }),
};
export const alertConditionSchema = z
  .strictObject(conditionShape)
  .refine(
    ({ op, value, recovery }) =>
      recovery === undefined || (op.startsWith('>') ? recovery <= value : recovery >= value),
    { error: 'The recovery value lies on the wrong side of the value.' },
  )
  .meta({ id: 'AlertCondition' });
export type AlertCondition = z.output<typeof alertConditionSchema>;

const timezone = z
  .string()
  .max(64)
  .default('UTC')
  .refine(
    (name) => {
      try {
        return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
      } catch {
        return false;
      }
    },
    { error: 'Not a time zone. Write it like Europe/Berlin.' },
  );

export const BUDGET_SCOPES = ['project', 'user', 'model', 'key', 'session', 'service', 'agent'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** Kinds of changes that an alert can listen to, by what is changed. */
export const CHANGE_OBJECTS = [
  'prompt',
  'rule',
  'context',
  'secret',
  'api-key',
  'user',
  'invitation',
  'connector',
  'model',
  'oauth-client',
  'board',
  'alert',
] as const;
export type ChangeObject = (typeof CHANGE_OBJECTS)[number];

const measured = { query: alertQuerySchema, windowSeconds };

/** What an alert watches, by kind; a new kind adds its line here and in the server's `alerts/kinds/`. */
export const ALERT_SOURCES = {
  threshold: z.strictObject({ kind: z.literal('threshold'), ...measured, condition: alertConditionSchema }),
  change: z.strictObject({
    kind: z.literal('change'),
    ...measured,
    condition: alertConditionSchema.meta({
      description: 'Of the change against the window before, in percent.',
    }),
  }),
  no_data: z.strictObject({ kind: z.literal('no_data'), ...measured }),
  anomaly: z.strictObject({
    kind: z.literal('anomaly'),
    ...measured,
    direction: z.enum(['above', 'below', 'both']).default('both'),
    sensitivity: z.number().min(1).max(100).default(4).meta({
      description: 'Median absolute deviations from the median of the same time of the last four weeks.',
    }),
  }),
  score_below: z.strictObject({
    kind: z.literal('score_below'),
    windowSeconds: windowSeconds.default(3_600),
    measure: z.enum(['mean', 'pass_rate']).default('pass_rate').meta({
      description: '`mean` of the values, or the part of the verdicts that passed, 0 to 1.',
    }),
    value: z.number().meta({ description: 'It fires below this.' }),
    recovery: z.number().optional().meta({ description: 'It ends at this; omitted: at `value`.' }),
    minScores: z.int().min(1).max(1e6).default(20).meta({ description: 'Fewer scores say nothing.' }),
    name: PANEL_QUERIES.scores.shape.body.shape.name,
    evaluator: PANEL_QUERIES.scores.shape.body.shape.evaluator,
    source: PANEL_QUERIES.scores.shape.body.shape.source,
    groupBy: PANEL_QUERIES.scores.shape.body.shape.groupBy,
  }),
  burn_rate: z.strictObject({
    kind: z.literal('burn_rate'),
    q: windowShape.q,
    objective: z
      .number()
      .min(0.5)
      .max(0.99999)
      .default(0.99)
      .meta({ description: 'Part of the spans that succeed, over 30 days.' }),
    groupBy: z.array(z.string().min(1).max(300)).max(3).default([]),
  }),
  budget: z.strictObject({
    kind: z.literal('budget'),
    scope: z.enum(BUDGET_SCOPES).default('project'),
    only: z.string().min(1).max(300).optional().meta({
      description: 'One user, model, … of the scope; omitted: each has the budget of its own.',
    }),
    keyField: z
      .string()
      .regex(/^(?:attributes|resource)\..{1,280}$/, { error: 'Write it like attributes.my.key.' })
      .default('attributes.metadata.user_api_key_hash')
      .meta({
        description:
          'Of scope `key`: the attribute that names the key of a call. Default: what LiteLLM writes.',
      }),
    q: windowShape.q,
    limitUsd: z.number().positive().max(1e9),
    period: z
      .discriminatedUnion('kind', [
        z.strictObject({
          kind: z.literal('rolling'),
          seconds: z
            .int()
            .min(300)
            .max(90 * DAY),
        }),
        z.strictObject({ kind: z.literal('calendar'), unit: z.enum(['day', 'week', 'month']), timezone }),
      ])
      .default({ kind: 'calendar', unit: 'month', timezone: 'UTC' }),
    thresholds: z
      .array(z.number().min(1).max(1_000))
      .min(1)
      .max(5)
      .default([50, 80, 100])
      .meta({ description: 'Percent of the limit that are told of, each once a period.' }),
    blocks: z.boolean().default(false).meta({
      description: 'At 100 percent `GET /api/budget/check` answers that the next call is not allowed.',
    }),
    ruleSwitch: z
      .strictObject({ ruleId: z.string().min(1).max(64), status: z.enum(['ACTIVE', 'INACTIVE']) })
      .nullable()
      .default(null)
      .meta({
        description: 'At 100 percent this rule of the rule engine gets this status; after it, the other.',
      }),
  }),
  ingest_stopped: z.strictObject({
    kind: z.literal('ingest_stopped'),
    signal: z.enum(['spans', 'logs']).default('spans'),
    perService: z.boolean().default(true),
    windowSeconds,
  }),
  exception: z.strictObject({
    kind: z.literal('exception'),
    when: z.enum(['new', 'returned', 'both']).default('both'),
    quietDays: z.int().min(1).max(30).default(7).meta({ description: 'Days of silence before a return.' }),
    q: windowShape.q,
  }),
  finding: z.strictObject({
    kind: z.literal('finding'),
    minSeverity: z.enum(['low', 'medium', 'high', 'critical']).default('high'),
  }),
  changed: z.strictObject({
    kind: z.literal('changed'),
    objects: z.array(z.enum(CHANGE_OBJECTS)).min(1).max(CHANGE_OBJECTS.length),
  }),
} as const;
export type AlertKind = keyof typeof ALERT_SOURCES;

export const alertSourceSchema = z
  .discriminatedUnion('kind', [
    ALERT_SOURCES.threshold,
    ALERT_SOURCES.change,
    ALERT_SOURCES.no_data,
    ALERT_SOURCES.anomaly,
    ALERT_SOURCES.score_below,
    ALERT_SOURCES.burn_rate,
    ALERT_SOURCES.budget,
    ALERT_SOURCES.ingest_stopped,
    ALERT_SOURCES.exception,
    ALERT_SOURCES.finding,
    ALERT_SOURCES.changed,
  ])
  .meta({ id: 'AlertSource', description: 'What an alert watches.' });
export type AlertSource = z.output<typeof alertSourceSchema>;
export type AlertSourceInput = z.input<typeof alertSourceSchema>;
