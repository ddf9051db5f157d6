import type { AlertCondition, AlertQuery, BudgetScope } from '@candela/contract';
import type { Labels, LevelKind, Reading, SourceOf } from './kind.ts';
import { measure } from './measure.ts';

/** Label that says which part of the limit a group is about. */
export const THRESHOLD_LABEL = 'percent';

/** Begin of the period that an instant lies in, epoch milliseconds. Days begin as the time zone has it. */
export function periodStart(period: SourceOf<'budget'>['period'], at: number): number {
  if (period.kind === 'rolling') return at - period.seconds * 1_000;
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(period.timezone);
  const day = zoned.startOfDay();
  if (period.unit === 'day') return day.epochMilliseconds;
  const first =
    period.unit === 'month' ? zoned.with({ day: 1 }) : zoned.subtract({ days: zoned.dayOfWeek - 1 });
  return first.startOfDay().epochMilliseconds;
}

/** The field whose values have a budget each; none: the project has. */
const fieldOf = ({ scope, keyField }: Pick<SourceOf<'budget'>, 'scope' | 'keyField'>): string[] =>
  scope === 'project' ? [] : [scope === 'key' ? keyField : scope];

/** Groups are named by the scope, whatever field it is measured by. */
const named = (scope: BudgetScope, labels: Labels): Labels =>
  labels.map(([, value]) => [scope, value] as const);

/** The filter of one user, model, …; of a model with all builds that answer for it, such as `gpt-4o-2024-11-20`. */
const oneOf = (field: string, value: string): string =>
  field === 'model' ? `(model:${value} OR base_model:${value})` : `${field}:${value}`;

/** The filter of a budget: its own, and the one user, model, … it is for. */
const textOf = (source: SourceOf<'budget'>): { q?: string } => {
  const { q, only } = source;
  const [field] = fieldOf(source);
  const parts = [
    ...(q === undefined || q.trim() === '' ? [] : [`(${q})`]),
    ...(only === undefined || field === undefined ? [] : [oneOf(field, JSON.stringify(only))]),
  ];
  return parts.length === 0 ? {} : { q: parts.join(' ') };
};

/**
 * Spending against a limit: each threshold is a group of its own, so that each is told of once a period. Groups with a
 * state that spend nothing in this period are at 0.
 */
export const budget: LevelKind<'budget'> = {
  mode: 'level',
  async read(sources, source, asked) {
    const query: AlertQuery = {
      kind: 'aggregate',
      body: {
        signal: 'spans',
        ...textOf(source),
        // The one is a whole: calls that ask for a model are answered by builds of other names.
        groupBy: source.only === undefined ? fieldOf(source) : [],
        measures: ['cost'],
        limit: 50,
        comparePrevious: false,
      },
    };
    // The instant itself may be the first of a period: what was spent before belongs to the one before.
    const from = periodStart(source.period, asked.end - 1);
    const { all, note } = await measure(sources, query, { ...asked, from, to: asked.end });
    const readings = new Map<string, Reading>();
    const put = (labels: Labels, percent: number, threshold: number) => {
      const own: Labels = [...labels, [THRESHOLD_LABEL, String(threshold)]];
      const condition: AlertCondition = {
        op: '>=',
        value: threshold,
        // Within a period spending only rises; a rolling one needs room before it is told of again.
        ...(source.period.kind === 'rolling' ? { recovery: threshold * 0.95 } : {}),
      };
      readings.set(JSON.stringify(own), { labels: own, value: percent, condition });
    };
    for (const labels of asked.known) {
      const threshold = Number(labels.at(-1)?.[1]);
      if (source.thresholds.includes(threshold)) put(labels.slice(0, -1), 0, threshold);
    }
    const least = Math.min(...source.thresholds);
    for (const { labels: fields, value } of all) {
      const labels: Labels =
        source.scope === 'project' || source.only === undefined
          ? named(source.scope, fields)
          : [[source.scope, source.only]];
      const percent = ((value ?? 0) * 100) / source.limitUsd;
      // Spans without a user have no budget of a user.
      if (source.scope !== 'project' && (labels[0]?.[1] ?? '') === '') continue;
      for (const threshold of source.thresholds) {
        const isKnown = readings.has(JSON.stringify([...labels, [THRESHOLD_LABEL, String(threshold)]]));
        if (source.scope === 'project' || percent >= least || isKnown) put(labels, percent, threshold);
      }
    }
    return { readings: [...readings.values()], note };
  },
};
