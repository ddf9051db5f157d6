import type { Panel, PanelType } from '@candela/contract';

type Query = Panel['query'];
type Aggregate = Extract<Query, { kind: 'aggregate' }>;
type Measure = Aggregate['body']['measures'][number];

/** How panels are drawn, by the words of people. */
export const PANEL_TYPES: readonly { value: PanelType; label: string }[] = [
  { value: 'stat', label: 'Stat' },
  { value: 'line', label: 'Line' },
  { value: 'area', label: 'Area' },
  { value: 'bar', label: 'Bar' },
  { value: 'pie', label: 'Pie' },
  { value: 'table', label: 'Table' },
  { value: 'heatmap', label: 'Heat map' },
  { value: 'markdown', label: 'Text' },
];

/** What panels ask, by the words of people. */
export const PANEL_SOURCES: readonly { value: Query['kind']; label: string }[] = [
  { value: 'aggregate', label: 'Spans or logs' },
  { value: 'metric', label: 'Metric' },
  { value: 'durations', label: 'Durations of spans' },
  { value: 'sql', label: 'SQL' },
  { value: 'scores', label: 'Scores' },
  { value: 'usage', label: "Candela's own model calls" },
  { value: 'markdown', label: 'Text' },
];

/** What is measured of spans. */
const MEASURES: readonly Measure[] = [
  'count',
  'errors',
  'error_rate',
  'traces',
  'sessions',
  'users',
  'duration_avg',
  'duration_p50',
  'duration_p90',
  'duration_p95',
  'duration_p99',
  'ttft_p50',
  'ttft_p95',
  'model_calls',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'total_tokens',
  'cost',
];
/** Log records have no durations, tokens or cost. */
const OF_LOGS = new Set<Measure>(['count', 'errors', 'error_rate', 'traces', 'sessions', 'users']);
export const measuresOf = (signal: 'spans' | 'logs'): readonly Measure[] =>
  signal === 'spans' ? MEASURES : MEASURES.filter((one) => OF_LOGS.has(one));
export const SCORE_MEASURES = ['pass_rate', 'mean', 'scores', 'passed', 'failed', 'errors', 'cost'] as const;
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

/** What scores are grouped by; over time only the first three. */
export const SCORE_GROUPS = [
  { value: 'name', label: 'Name' },
  { value: 'evaluator', label: 'Evaluator' },
  { value: 'source', label: 'Source' },
  { value: 'version', label: 'Version of the evaluator' },
  { value: 'model', label: 'Model' },
  { value: 'agent', label: 'Agent' },
  { value: 'service', label: 'Service' },
  { value: 'prompt_version', label: 'Version of the prompt' },
] as const;
export const TIMED_SCORE_GROUPS = SCORE_GROUPS.slice(0, 3);

const OVER_TIME = new Set<PanelType>(['line', 'area']);

/** What a source begins with. */
export function startOf(kind: Query['kind']): Query {
  switch (kind) {
    case 'metric':
      return { kind, body: { metric: 'hw.gpu.utilization', groupBy: [], limit: 10 } };
    case 'durations':
      return { kind, body: { q: '' } };
    case 'markdown':
      return { kind, text: '' };
    case 'sql':
      return {
        kind,
        query:
          'SELECT toStartOfHour(Timestamp) AS hour, ServiceName, count() AS spans\nFROM otel_traces\nGROUP BY hour, ServiceName\nORDER BY hour',
      };
    case 'scores':
      return { kind, body: { measures: ['pass_rate'], groupBy: ['name'], overTime: true, limit: 8 } };
    case 'usage':
      return { kind, body: { measures: ['cost'], groupBy: ['feature'], overTime: true, limit: 8 } };
    case 'aggregate':
      return {
        kind,
        body: {
          signal: 'spans',
          groupBy: [],
          measures: ['count'],
          bucketSeconds: 'auto',
          limit: 8,
          comparePrevious: false,
        },
      };
  }
}

/** Whether a query gives figures over time. */
export function isTimed(query: Query): boolean {
  if (query.kind === 'aggregate') return query.body.bucketSeconds !== undefined;
  return (query.kind === 'scores' || query.kind === 'usage') && query.body.overTime;
}

/** A drawing over time needs buckets; a bar may have them; the others need none. */
export function fitted(query: Query, type: PanelType, timed: boolean): Query {
  const overTime = OVER_TIME.has(type) || (type === 'bar' && timed);
  if (query.kind === 'aggregate') {
    const { bucketSeconds: _before, ...body } = query.body;
    return { kind: 'aggregate', body: overTime ? { ...body, bucketSeconds: 'auto' } : body };
  }
  // One figure is of all of them.
  const isOne = type === 'stat';
  if (query.kind === 'usage') {
    const groupBy = isOne ? [] : query.body.groupBy;
    return { kind: 'usage', body: { ...query.body, overTime, groupBy } };
  }
  if (query.kind === 'scores') {
    const groupBy = query.body.groupBy.filter(
      (by) => !isOne && (!overTime || TIMED_SCORE_GROUPS.some(({ value }) => value === by)),
    );
    return { kind: 'scores', body: { ...query.body, overTime, groupBy } };
  }
  return query;
}

/** Another drawing of a panel: where the source cannot be drawn so, it becomes one that can. */
export function drawnAs({ query, visual }: Panel, type: PanelType): Panel {
  const next = type === 'markdown' ? 'markdown' : query.kind === 'markdown' ? 'aggregate' : query.kind;
  const cannot = type === 'heatmap' && next !== 'metric' && next !== 'sql';
  const kind = cannot ? 'durations' : type !== 'heatmap' && next === 'durations' ? 'aggregate' : next;
  const base = kind === query.kind ? query : startOf(kind);
  return { query: fitted(base, type, isTimed(query)), visual: { ...visual, type } };
}

/** Another source of a panel, drawn as it can be. */
export function askedFrom({ visual }: Panel, kind: Query['kind']): Panel {
  const isText = visual.type === 'markdown' || visual.type === 'heatmap';
  const type: PanelType =
    kind === 'markdown' ? 'markdown' : kind === 'durations' ? 'heatmap' : isText ? 'line' : visual.type;
  const { x: _x, y: _y, series: _series, ...rest } = visual;
  return { query: fitted(startOf(kind), type, true), visual: { ...rest, type } };
}
