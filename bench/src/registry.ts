import type { Bench } from './lib/bench.ts';

/** A bench in the list; its code is loaded only when it runs. */
export interface Entry {
  readonly id: string;
  readonly summary: string;
  /** Part of `npm run bench` without a name. */
  readonly inAll: boolean;
  load(): Promise<Bench>;
}

/** A module that exports a bare `run` and prints its figures itself. */
const printing = async (module: Promise<{ run(args: string[]): Promise<void> }>): Promise<Bench> => {
  const { run } = await module;
  return {
    async run(args) {
      await run([...args]);
      return undefined;
    },
  };
};

/** Every bench; the explicit registry. */
export const BENCHES: readonly Entry[] = [
  {
    id: 'ingest',
    summary:
      'spans a second through the OTLP receiver into the store, latency at half rate, bytes a span, ceilings',
    inAll: true,
    load: async () => (await import('./ingest/index.ts')).ingest,
  },
  {
    id: 'read',
    summary: 'every list, chart and facet of spans, logs and metrics on a large store',
    inAll: true,
    load: async () => (await import('./read/index.ts')).read,
  },
  {
    id: 'readers',
    summary: 'many people who look at pages while spans come in: what is refused, and what waits',
    inAll: false,
    load: async () => (await import('./readers/index.ts')).readers,
  },
  {
    id: 'columns',
    summary: 'what columns of attributes cost when spans are inserted and merged',
    inAll: false,
    load: async () => (await import('./columns.ts')).columns,
  },
  {
    id: 'start',
    summary: 'warm `npm start` until the first accepted span',
    inAll: true,
    load: async () => (await import('./start.ts')).start,
  },
  {
    id: 'backup',
    summary: 'a backup while spans come in, and its restore: how long, and what it does to the answer times',
    inAll: false,
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    id: 'small',
    summary: 'the profile for 1 GB under a limit of the kernel: memory at rest and under load, and pages',
    inAll: false,
    load: async () => (await import('./small.ts')).small,
  },
  {
    id: 'idle',
    summary: 'memory of all processes at rest and after load',
    inAll: true,
    load: async () => (await import('./idle.ts')).idle,
  },
  {
    id: 'collector',
    summary: 'the agent that measures machines: CPU, memory and start, beside node_exporter',
    inAll: true,
    load: async () => (await import('./collector/index.ts')).collector,
  },
  {
    id: 'catalog',
    summary: 'a flood of the public health check: its cost, and what it does to ingest',
    inAll: true,
    load: async () => (await import('./catalog/index.ts')).catalog,
  },
  {
    id: 'judge',
    summary:
      'evaluations and experiments over kill -9 and two replicas, evaluators without a model, first tokens of the playground',
    inAll: false,
    load: async () => (await import('./judge/index.ts')).judge,
  },
  {
    id: 'identity',
    summary: 'credential and headers become a context: known before and looked up',
    inAll: true,
    load: async () => (await import('./identity.ts')).identity,
  },
  {
    id: 'rules',
    summary: 'a thousand rules of five conditions asked about one set of fields',
    inAll: true,
    load: async () => (await import('./rules/index.ts')).rules,
  },
  {
    id: 'evaluate',
    summary: 'asking a thousand active rules over HTTP on one core, beside a bare server with the same bytes',
    inAll: true,
    load: async () => (await import('./rules/evaluate.ts')).evaluate,
  },
  {
    id: 'prompts',
    summary: 'fetching compiled prompts on one core, beside a bare server that answers the same bytes',
    inAll: true,
    load: async () => (await import('./prompts/index.ts')).prompts,
  },
  {
    id: 'vault',
    summary: 'fetching secrets on one core, each with its row of the audit log, beside a bare server',
    inAll: true,
    load: async () => (await import('./vault/index.ts')).vault,
  },
  {
    id: 'boards',
    summary: 'a board over ten million spans until its first and its last card',
    inAll: false,
    load: async () => (await import('./boards/index.ts')).boards,
  },
  {
    id: 'alerts',
    summary: 'a thousand alerts of ten groups a minute: their CPU, and how soon somebody is told',
    inAll: false,
    load: async () => (await import('./alerts/index.ts')).alerts,
  },
  {
    id: 'scale',
    summary: 'what 10 thousand to 10 million spans a second need, reckoned from measured costs and simulated',
    inAll: false,
    load: async () => (await import('./scale/index.ts')).scale,
  },
  {
    id: 'ask',
    summary:
      'what asking costs on our side: assistant, statements, MCP, beside a vendor that answers at once',
    inAll: false,
    load: async () => (await import('./ask/index.ts')).ask,
  },
  {
    id: 'scan',
    summary: 'scanning ten thousand files of code: time, memory, and how soon a cancelled scan ends',
    inAll: true,
    load: async () => (await import('./scan/index.ts')).scan,
  },
  {
    id: 'hook',
    summary: 'what the shell line of a coding agent adds: platform stopped, 64 MiB waiting, disk full',
    inAll: true,
    load: async () => (await import('./hook/index.ts')).hook,
  },
  {
    id: 'tap',
    summary: 'what the tap of TLS libraries adds to a program that streams answers, a read and a call',
    inAll: false,
    load: async () => (await import('./tap/index.ts')).tap,
  },
  {
    id: 'cuda',
    summary: 'what tracing CUDA adds to a program that launches kernels, and to the agent',
    inAll: false,
    load: async () => (await import('./cuda/index.ts')).cuda,
  },
  {
    id: 'coding',
    summary: 'a million sessions of coding agents: the first page of their list, one session',
    inAll: false,
    load: async () => (await import('./coding/index.ts')).coding,
  },
  {
    id: 'codec',
    summary: 'decoding and encoding in one thread',
    inAll: true,
    load: () => printing(import('./codec.ts')),
  },
  {
    id: 'schema',
    summary: 'layouts of the span table compared (see docs/adr)',
    inAll: false,
    load: () => printing(import('./schema.ts')),
  },
  {
    id: 'load',
    summary: 'fills a running platform with spans, log records and points over a stretch of time',
    inAll: false,
    load: async () => (await import('./load.ts')).load,
  },
];
