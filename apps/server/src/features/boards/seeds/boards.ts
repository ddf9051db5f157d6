import type { BoardInput } from '@candela/contract';
import { OWN_SERVICE } from '../../../llm/call-span.ts';
import {
  AGENT,
  board,
  durations,
  metric,
  MODEL,
  overTime,
  ranked,
  scores,
  SERVICE,
  stat,
  usage,
  USER,
} from './build.ts';

/**
 * Candela's own calls (assistant, judges, playground) are no traffic of applications, and left out unless they are chosen;
 * a widget of the cost board has them.
 */
const SERVICE_OF_OTHERS = { ...SERVICE, without: [OWN_SERVICE] };
/** Those of coding agents too, who have a board of their own beside: what is asked of every span has to come from rollups. */
const CALLS = 'model:*';

export const llm: BoardInput = board(
  {
    title: 'LLM',
    description:
      "Calls of language models: traffic, errors, latency, tokens and cost. Without Candela's own.",
    tags: ['llm'],
    variables: [SERVICE_OF_OTHERS, MODEL],
  },
  [
    stat('Model calls', 'model_calls', { q: CALLS }),
    stat('Error rate', 'error_rate', { q: CALLS }, { better: 'lower' }),
    stat('p95 duration', 'duration_p95', { q: CALLS }, { better: 'lower' }),
    stat('p95 to the first token', 'ttft_p95', { q: CALLS }, { better: 'lower' }),
    stat('Cost', 'cost', { q: CALLS }, { better: 'lower' }),
    stat('Users', 'users', { q: CALLS }),
    stat('Input tokens', 'input_tokens', { q: CALLS }),
    stat('Output tokens', 'output_tokens', { q: CALLS }),
    stat('Cache read tokens', 'cache_read_tokens', { q: CALLS }),
    stat('Reasoning tokens', 'reasoning_tokens', { q: CALLS }),
    stat('Sessions', 'sessions', { q: CALLS }),
    stat('Traces', 'traces', { q: CALLS }),
    overTime('Calls by model', ['model_calls'], { q: CALLS, by: ['model'] }, { type: 'bar' }),
    overTime('Tokens', ['input_tokens', 'output_tokens'], { q: CALLS }, { type: 'area', stacked: true }),
    overTime('Duration', ['duration_p50', 'duration_p95', 'duration_p99'], { q: CALLS }),
    durations('Durations', CALLS),
    ranked(
      'Models',
      ['model_calls', 'error_rate', 'duration_p95', 'cost'],
      ['model'],
      { q: CALLS },
      { type: 'table' },
    ),
    ranked('Providers', ['model_calls'], ['provider'], { q: CALLS }, { type: 'pie', legend: true }),
    ranked('Cost by service', ['cost'], ['service'], { q: CALLS }),
    ranked('Operations', ['count', 'duration_p95'], ['operation'], { q: CALLS }, { type: 'table' }),
    ranked('Errors by type', ['errors'], ['error_type'], { q: `${CALLS} status:error` }),
    ranked('Finish reasons', ['count'], ['finish_reason'], { q: CALLS }, { type: 'pie', legend: true }),
  ],
);

export const agents: BoardInput = board(
  {
    title: 'Agents',
    description: 'Runs of agents, their tools and what they cost.',
    tags: ['agents'],
    variables: [SERVICE, AGENT],
  },
  [
    stat('Runs', 'count', { q: 'operation:invoke_agent' }),
    stat('Failed runs', 'error_rate', { q: 'operation:invoke_agent' }, { better: 'lower' }),
    stat('p95 of a run', 'duration_p95', { q: 'operation:invoke_agent' }, { better: 'lower' }),
    stat('Tool calls', 'count', { q: 'operation:execute_tool' }),
    stat('Failed tools', 'error_rate', { q: 'operation:execute_tool' }, { better: 'lower' }),
    stat('Cost', 'cost', { q: 'agent:*' }, { better: 'lower' }),
    overTime('Runs by agent', ['count'], { q: 'operation:invoke_agent', by: ['agent'] }, { type: 'bar' }),
    overTime('Duration of runs', ['duration_p50', 'duration_p95'], { q: 'operation:invoke_agent' }),
    ranked(
      'Agents',
      ['count', 'error_rate', 'duration_p95'],
      ['agent'],
      { q: 'operation:invoke_agent' },
      { type: 'table' },
    ),
    ranked('Tools', ['count', 'error_rate', 'duration_p95'], ['tool'], { q: 'tool:*' }, { type: 'table' }),
    ranked('Cost by agent', ['cost'], ['agent'], { q: 'agent:*' }),
  ],
);

export const gpu: BoardInput = board(
  {
    title: 'GPU and hosts',
    description: 'What the collector measures of GPUs and hosts.',
    tags: ['infrastructure'],
    variables: [{ name: 'host', label: 'Host', kind: 'field', field: 'resource.host.name', multi: true }],
  },
  [
    metric('GPU utilisation', 'hw.gpu.utilization', ['attributes.hw.id']),
    metric('GPU memory in use', 'hw.gpu.memory.utilization', ['attributes.hw.id']),
    metric('Temperature', 'hw.temperature', ['attributes.hw.id']),
    metric('Power', 'hw.power', ['attributes.hw.id']),
    metric('Energy', 'hw.energy', ['attributes.hw.id']),
    metric('Fans', 'hw.fan.speed_ratio', ['attributes.hw.id']),
    metric('Hardware errors', 'hw.errors', ['attributes.hw.id']),
    metric('Clock speed', 'hw.gpu.speed', ['attributes.hw.id']),
    metric('CPU in use', 'system.cpu.utilization', ['resource.host.name']),
    metric('Memory in use', 'system.memory.utilization', ['resource.host.name']),
    metric('Disk', 'system.disk.io', ['resource.host.name']),
    metric('File systems', 'system.filesystem.utilization', ['resource.host.name']),
  ],
);

const VECTORS =
  'attributes.db.system.name:(chroma or pinecone or qdrant or milvus or weaviate or astra or pgvector or elasticsearch) or attributes.db.system:(chroma or pinecone or qdrant or milvus or weaviate or astra or pgvector or elasticsearch)';

export const vectors: BoardInput = board(
  {
    title: 'Vector databases',
    description: 'Searches and writes of vector databases that applications trace.',
    tags: ['retrieval'],
    variables: [SERVICE],
  },
  [
    stat('Requests', 'count', { q: VECTORS }),
    stat('Traces', 'traces', { q: VECTORS }),
    stat('Errors', 'errors', { q: VECTORS }, { better: 'lower' }),
    stat('Error rate', 'error_rate', { q: VECTORS }, { better: 'lower' }),
    stat('p50 duration', 'duration_p50', { q: VECTORS }, { better: 'lower' }),
    stat('p95 duration', 'duration_p95', { q: VECTORS }, { better: 'lower' }),
    overTime('Requests by name', ['count'], { q: VECTORS, by: ['name'] }, { type: 'bar' }),
    overTime('Duration', ['duration_p50', 'duration_p95'], { q: VECTORS }),
    ranked(
      'By operation',
      ['count', 'error_rate', 'duration_p95'],
      ['attributes.db.operation.name'],
      { q: VECTORS },
      { type: 'table' },
      6,
    ),
    ranked(
      'By system',
      ['count'],
      ['attributes.db.system.name'],
      { q: VECTORS },
      { type: 'pie', legend: true },
      6,
    ),
  ],
);

const CODING = 'attributes.coding_agent.session.id:*';

export const codingAgents: BoardInput = board(
  {
    title: 'Coding agents',
    description: 'Sessions of coding agents: cost, tools, edits.',
    tags: ['coding agents'],
    variables: [USER, MODEL],
  },
  [
    stat('Sessions', 'sessions', { q: CODING }),
    stat('Users', 'users', { q: CODING }),
    stat('Cost', 'cost', { q: CODING }, { better: 'lower' }),
    stat('Tool calls', 'count', { q: `${CODING} tool:*` }),
    stat('Failed tools', 'error_rate', { q: `${CODING} tool:*` }, { better: 'lower' }),
    stat('Model calls', 'model_calls', { q: CODING }),
    overTime(
      'Sessions by client',
      ['sessions'],
      { q: CODING, by: ['attributes.coding_agent.client'] },
      { type: 'bar' },
    ),
    overTime('Cost by model', ['cost'], { q: `${CODING} model:*`, by: ['model'] }, { type: 'bar' }),
    ranked(
      'Tools',
      ['count', 'error_rate', 'duration_p95'],
      ['tool'],
      { q: `${CODING} tool:*` },
      { type: 'table' },
    ),
    ranked('Users', ['sessions', 'cost'], ['user'], { q: CODING }, { type: 'table' }),
    ranked('Models', ['model_calls', 'cost'], ['model'], { q: `${CODING} model:*` }, { type: 'table' }),
    ranked(
      'Edit decisions',
      ['count'],
      ['attributes.coding_agent.edit.decision'],
      { q: `${CODING} attributes.coding_agent.edit.decision:*` },
      { type: 'pie', legend: true },
    ),
    ranked('MCP servers', ['count'], ['attributes.coding_agent.mcp.server.name'], {
      q: `${CODING} attributes.coding_agent.mcp.server.name:*`,
    }),
    ranked('Repositories', ['sessions'], ['attributes.vcs.repository.url.full'], { q: CODING }),
  ],
);

const SCORES = 'event:gen_ai.evaluation.result';

export const evaluations: BoardInput = board(
  {
    title: 'Evaluations',
    description: 'Scores that evaluators, applications and people give.',
    tags: ['evaluations'],
    variables: [SERVICE],
  },
  [
    stat('Scores', 'count', { q: SCORES, signal: 'logs' }),
    stat('Scored traces', 'traces', { q: SCORES, signal: 'logs' }),
    scores('Passed', { measures: ['pass_rate'] }, { type: 'stat', better: 'higher' }, 2),
    scores('Mean score', { measures: ['mean'] }, { type: 'stat' }, 2),
    scores('Failed to judge', { measures: ['errors'] }, { type: 'stat', better: 'lower' }, 2),
    scores('Cost of judging', { measures: ['cost'] }, { type: 'stat', better: 'lower' }, 2),
    scores(
      'Part that passed',
      { measures: ['pass_rate'], groupBy: ['name'], overTime: true },
      { type: 'line', legend: true },
    ),
    scores(
      'Evaluators',
      { measures: ['scores', 'pass_rate', 'mean', 'errors', 'cost'], groupBy: ['evaluator'] },
      { type: 'table' },
    ),
    overTime(
      'Scores by evaluation',
      ['count'],
      { q: SCORES, signal: 'logs', by: ['attributes.gen_ai.evaluation.name'] },
      { type: 'bar' },
    ),
    overTime(
      'Scores by verdict',
      ['count'],
      { q: SCORES, signal: 'logs', by: ['attributes.gen_ai.evaluation.score.label'] },
      { type: 'area', stacked: true },
    ),
    ranked(
      'Evaluations and verdicts',
      ['count', 'traces'],
      ['attributes.gen_ai.evaluation.name', 'attributes.gen_ai.evaluation.score.label'],
      { q: SCORES, signal: 'logs' },
      { type: 'table' },
      12,
    ),
  ],
);

export const cost: BoardInput = board(
  {
    title: 'Cost',
    description: "What model calls cost, and who makes them. Candela's own stand apart.",
    tags: ['cost'],
    variables: [SERVICE_OF_OTHERS, MODEL, USER],
  },
  [
    stat('Cost', 'cost', { q: CALLS }, { better: 'lower' }),
    stat('Model calls', 'model_calls', { q: CALLS }),
    stat('Input tokens', 'input_tokens', { q: CALLS }),
    stat('Output tokens', 'output_tokens', { q: CALLS }),
    stat('Cache read tokens', 'cache_read_tokens', { q: CALLS }),
    stat('Cache write tokens', 'cache_write_tokens', { q: CALLS }),
    overTime('Cost by model', ['cost'], { q: CALLS, by: ['model'] }, { type: 'bar' }),
    overTime('Cost by environment', ['cost'], { q: CALLS, by: ['environment'] }, { type: 'bar' }),
    ranked(
      'Models',
      ['cost', 'model_calls', 'input_tokens', 'output_tokens'],
      ['model'],
      { q: CALLS },
      { type: 'table' },
    ),
    ranked('Services', ['cost'], ['service'], { q: CALLS }),
    ranked('Users', ['cost'], ['user'], { q: `${CALLS} user:*` }),
    usage(
      "Candela's own model calls",
      { measures: ['cost'], groupBy: ['feature'], overTime: true },
      { type: 'bar', legend: true },
    ),
    ranked(
      'Prompts',
      ['cost', 'model_calls'],
      ['prompt_name', 'prompt_version'],
      { q: 'prompt_name:*' },
      { type: 'table' },
      6,
    ),
  ],
);
