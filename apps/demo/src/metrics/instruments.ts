/** What is measured and how: the explicit registry of the demo's instruments. */
export interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly kind: 'histogram' | 'exponential' | 'counter' | 'updown' | 'summary';
  readonly temporality: 'delta' | 'cumulative';
  readonly bounds?: readonly number[];
  readonly scope: string;
}

const doubling = (first: number, count: number, factor = 2) =>
  Array.from({ length: count }, (_, index) => Number((first * factor ** index).toPrecision(6)));

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const GEN_AI = 'opentelemetry.instrumentation.genai';
const HTTP = '@opentelemetry/instrumentation-http';

export const INSTRUMENTS: readonly Instrument[] = [
  {
    name: 'gen_ai.client.token.usage',
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    kind: 'histogram',
    temporality: 'cumulative',
    bounds: doubling(1, 14, 4),
    scope: GEN_AI,
  },
  {
    name: 'gen_ai.client.operation.duration',
    unit: 's',
    description: 'Duration of the call to the model as the client sees it.',
    kind: 'histogram',
    temporality: 'cumulative',
    bounds: doubling(0.01, 14),
    scope: GEN_AI,
  },
  {
    name: 'gen_ai.server.time_to_first_token',
    unit: 's',
    description: 'Time until the first token of a streamed answer.',
    kind: 'histogram',
    temporality: 'cumulative',
    bounds: [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    scope: GEN_AI,
  },
  {
    name: 'gen_ai.usage.cost',
    unit: 'USD',
    description: 'Cost of model calls.',
    kind: 'histogram',
    temporality: 'delta',
    bounds: [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000],
    scope: GEN_AI,
  },
  {
    name: 'http.server.request.duration',
    unit: 's',
    description: 'Duration of HTTP server requests.',
    kind: 'histogram',
    temporality: 'cumulative',
    bounds: SECONDS,
    scope: HTTP,
  },
  {
    name: 'db.client.operation.duration',
    unit: 's',
    description: 'Duration of database client operations.',
    kind: 'exponential',
    temporality: 'delta',
    scope: '@opentelemetry/instrumentation-pg',
  },
  {
    name: 'app.active_requests',
    unit: '{request}',
    description: 'Requests and jobs that are under way now.',
    kind: 'updown',
    temporality: 'cumulative',
    scope: 'app',
  },
  {
    name: 'shop.orders.placed',
    unit: '{order}',
    description: 'Orders that went through checkout.',
    kind: 'counter',
    temporality: 'cumulative',
    scope: 'shop.checkout',
  },
  {
    name: 'gen_ai.agent.tool.errors',
    unit: '{error}',
    description: 'Tool executions that ended in an exception.',
    kind: 'counter',
    temporality: 'delta',
    scope: GEN_AI,
  },
  {
    name: 'process.runtime.gc.pause',
    unit: 'ms',
    description: 'Pauses of the garbage collector.',
    kind: 'summary',
    temporality: 'cumulative',
    scope: 'runtime',
  },
];
