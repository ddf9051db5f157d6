import type { Alert, AlertDraft, AlertKind, AlertSourceInput, Panel } from '@candela/contract';

type Query = Extract<Panel['query'], { kind: 'aggregate' | 'metric' | 'scores' | 'sql' }>;
const WATCHED: ReadonlySet<string> = new Set<Query['kind']>(['aggregate', 'metric', 'scores', 'sql']);

export const KINDS: readonly { value: AlertKind; label: string; hint: string }[] = [
  { value: 'threshold', label: 'Threshold', hint: 'A value beyond a limit.' },
  { value: 'change', label: 'Change', hint: 'A value that differs from the window before, in percent.' },
  {
    value: 'anomaly',
    label: 'Anomaly',
    hint: 'A value unlike that of the same time of the last four weeks.',
  },
  { value: 'score_below', label: 'Score below', hint: 'Scores of evaluators and people that fell.' },
  { value: 'no_data', label: 'No data', hint: 'Nothing arrives any more of what the query finds.' },
  { value: 'burn_rate', label: 'Burn rate', hint: 'An error budget of 30 days that is spent too fast.' },
  { value: 'budget', label: 'Budget', hint: 'Spending of a project, or of each user, model, session.' },
  {
    value: 'ingest_stopped',
    label: 'Ingest stopped',
    hint: 'A project, or one of its services, sends nothing.',
  },
  { value: 'exception', label: 'Exception', hint: 'A new exception, or one that came back.' },
  { value: 'finding', label: 'Scanner finding', hint: 'What scanners found for the first time.' },
  {
    value: 'changed',
    label: 'Change of settings',
    hint: 'Prompts, rules, secrets, keys, people. For administrators.',
  },
];

const COUNT: Query = {
  kind: 'aggregate',
  body: { signal: 'spans', groupBy: [], measures: ['count'], limit: 50, comparePrevious: false },
};

/** What a kind begins with; the query of the kind before is kept where it has one. */
export function sourceOf(kind: AlertKind, before?: AlertSourceInput): AlertSourceInput {
  const query = before !== undefined && 'query' in before ? before.query : COUNT;
  const windowSeconds =
    before !== undefined && 'windowSeconds' in before ? (before.windowSeconds ?? 300) : 300;
  switch (kind) {
    case 'threshold':
      return { kind, query, windowSeconds, condition: { op: '>', value: 10 } };
    case 'change':
      return { kind, query, windowSeconds, condition: { op: '>', value: 50 } };
    case 'anomaly':
      return { kind, query, windowSeconds, direction: 'both', sensitivity: 4 };
    case 'no_data':
      return { kind, query, windowSeconds };
    case 'score_below':
      return { kind, measure: 'pass_rate', value: 0.8, minScores: 20, windowSeconds: 3_600 };
    case 'burn_rate':
      return { kind, objective: 0.99, groupBy: [] };
    case 'budget':
      return {
        kind,
        scope: 'project',
        limitUsd: 100,
        period: { kind: 'calendar', unit: 'month', timezone: 'UTC' },
        thresholds: [50, 80, 100],
      };
    case 'ingest_stopped':
      return { kind, signal: 'spans', perService: true, windowSeconds: 600 };
    case 'exception':
      return { kind, when: 'both', quietDays: 7 };
    case 'finding':
      return { kind, minSeverity: 'high' };
    case 'changed':
      return { kind, objects: ['prompt', 'rule', 'secret', 'api-key', 'user'] };
  }
}

/** A query without buckets: an alert measures its window as a whole. */
function untimed(query: Query): Query {
  if (query.kind === 'sql') return query;
  if (query.kind === 'scores') return { kind: 'scores', body: { ...query.body, overTime: false } };
  const {
    bucketSeconds: _buckets,
    stepSeconds: _step,
    ...body
  } = query.body as typeof query.body & { bucketSeconds?: unknown; stepSeconds?: unknown };
  return { kind: query.kind, body } as Query;
}

/** A limit that the first measure of a query may pass: a part lies between 0 and 1, and is never above 10. */
function limitOf(query: Query): { op: '<' | '>'; value: number } {
  const [measure] = query.kind === 'scores' || query.kind === 'aggregate' ? (query.body.measures ?? []) : [];
  if (measure === 'pass_rate') return { op: '<', value: 0.8 };
  if (measure === 'mean') return { op: '<', value: 0.5 };
  return { op: '>', value: measure === 'error_rate' ? 0.05 : 10 };
}

/** What a new alert begins with: from a chart, its query without buckets and its threshold. */
export function newDraft(on: string | undefined): AlertDraft {
  try {
    const { title, query, threshold } = JSON.parse(on ?? '') as {
      title: string;
      query: Query;
      threshold?: { value: number; when: 'above' | 'below' };
    };
    if (!WATCHED.has(query.kind)) throw new TypeError('not a query');
    return {
      name: String(title).slice(0, 120),
      source: {
        kind: 'threshold',
        query: untimed(query),
        windowSeconds: 300,
        condition:
          threshold === undefined
            ? limitOf(query)
            : { op: threshold.when === 'below' ? '<' : '>', value: threshold.value },
      },
    };
  } catch {
    return { name: '', source: sourceOf('threshold') };
  }
}

/** What is written of an alert that exists. */
export function draftOf(alert: Alert): AlertDraft {
  const {
    id: _id,
    environment: _environment,
    status: _status,
    firing: _firing,
    silenced: _silenced,
    lastEvaluatedAt: _at,
    error: _error,
    revision: _revision,
    updatedBy: _by,
    updatedAt: _updated,
    ...draft
  } = alert;
  return draft;
}

export const kindLabel = (kind: AlertKind): string =>
  KINDS.find(({ value }) => value === kind)?.label ?? kind;

export const splitList = (text: string, most: number): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, most);
