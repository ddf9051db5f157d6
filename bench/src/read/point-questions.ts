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

const HOST = 'hosts/host-3';
const GPU = `${HOST}/gpus/GPU-3-2`;
const TABS = {
  host: 'cpu,cpu_cores,memory,disk_io,network_io,filesystem',
  gpus: 'gpus_utilization,gpus_memory,gpus_power,gpus_temperature',
  gpu: 'gpu_utilization,gpu_memory,gpu_power,gpu_temperature,gpu_clocks,gpu_pcie,gpu_errors',
} as const;
export function pointQuestions(loaded: Loaded): Question[] {
  const window = windowOf(loaded);
  // Hosts are shown with what they said last: as of the end of the points, however long ago they were loaded.
  const iso = (ms: number) => new Date(ms).toISOString();
  const hour = `from=${iso(loaded.pointsUntilMs - 3_600_000)}&to=${iso(loaded.pointsUntilMs)}`;
  const curves = (of: string, charts: string): string => `${of}/series?${hour}&charts=${charts}`;
  const query = (name: string, body: object): Question =>
    post(`metric: ${name}`, CHART_GOAL_MS, 'metrics/query', { ...window, ...body }, holds('series', 1));
  const heatmap = (name: string, metric: string): Question =>
    post(
      `metric: heat map of ${name}`,
      CHART_GOAL_MS,
      'metrics/heatmap',
      { ...window, metric },
      holds('cells', 1),
    );
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
    heatmap('a histogram', 'http.server.request.duration'),
    query('p95 of a histogram by route', {
      metric: 'http.server.request.duration',
      aggregation: 'p95',
      groupBy: ['attributes.http.route'],
    }),
    query('mean of a histogram', { metric: 'http.server.request.duration', aggregation: 'avg' }),
    query('p95 of an exponential histogram', { metric: 'rpc.server.call.duration', aggregation: 'p95' }),
    query('p95 of an exponential histogram of deltas', {
      metric: 'rpc.client.call.duration',
      aggregation: 'p95',
    }),
    heatmap('an exponential histogram', 'rpc.server.call.duration'),
    heatmap('an exponential histogram of deltas', 'rpc.client.call.duration'),
    get('the fleet of hosts', LIST_GOAL_MS, `hosts?${hour}`, holds('hosts', 1)),
    get('a host: its page', CHART_GOAL_MS, `${HOST}?${hour}`, holds('networks', 1)),
    get(
      'a host: processors, memory, disks, network',
      CHART_GOAL_MS,
      curves(HOST, TABS.host),
      holds('charts', 6),
    ),
    get('a host: its GPUs', CHART_GOAL_MS, curves(HOST, TABS.gpus), holds('charts', 4)),
    get('a host: its model calls', CHART_GOAL_MS, `${HOST}/model-calls?${hour}`, holds('times', 1)),
    get('a GPU: its page', CHART_GOAL_MS, `${GPU}?${hour}`, holds('clocks', 1)),
    get('a GPU: its curves', CHART_GOAL_MS, curves(GPU, TABS.gpu), holds('charts', 7)),
  ];
}
