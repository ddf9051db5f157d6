import {
  atLeast,
  CHART_GOAL_MS,
  get,
  holds,
  LIST_GOAL_MS,
  type Loaded,
  post,
  type Question,
  windowOf,
} from './question.ts';

export function pointQuestions(loaded: Loaded): Question[] {
  const window = windowOf(loaded);
  const query = (name: string, body: object): Question =>
    post(`metric: ${name}`, CHART_GOAL_MS, 'metrics/query', { ...window, ...body }, holds('series', 1));
  return [
    get('catalogue of metrics', LIST_GOAL_MS, `metrics?from=${window.from}&to=now`, atLeast(10)),
    query('a gauge by host', {
      metric: 'hw.gpu.utilization',
      aggregation: 'avg',
      groupBy: ['resource.host.name'],
    }),
    query('rate of a counter by route', {
      metric: 'http.server.requests',
      aggregation: 'rate',
      groupBy: ['attributes.http.route'],
    }),
    query('p95 of a histogram', { metric: 'http.server.request.duration', aggregation: 'p95' }),
    query('a gauge of one host', {
      metric: 'system.cpu.utilization',
      aggregation: 'avg',
      q: 'resource.host.name:host-3',
    }),
    post(
      'metric: heat map of a histogram',
      CHART_GOAL_MS,
      'metrics/heatmap',
      { ...window, metric: 'http.server.request.duration' },
      holds('cells', 1),
    ),
    get('the fleet of hosts', LIST_GOAL_MS, 'hosts?from=-1h&to=now', holds('hosts', 1)),
  ];
}
