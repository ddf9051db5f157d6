import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { entityKeySchema } from './activity.ts';
import { count, isoTime, timeSchema } from './common.ts';

const nullableText = z.string().nullable();
const q = z.string().meta({
  description: 'The filter over spans that gives the same figures again, in the window of the answer.',
});

/** Figures of spans of one kind. Durations are within one percent. */
export const agentFiguresSchema = z
  .object({
    count,
    errors: count,
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
    inputTokens: count.nullable(),
    outputTokens: count.nullable(),
    costUsd: z.number().nullable(),
    q,
  })
  .meta({ id: 'AgentFigures' });
export type AgentFigures = z.output<typeof agentFiguresSchema>;

const agentShape = {
  name: z.string(),
  key: z.string().meta({ description: 'The name for a path.' }),
  frameworks: z.array(z.string()).meta({ description: 'Conventions and instrumentation scopes it speaks.' }),
  services: z.array(z.string()),
  providers: z.array(z.string()),
  models: z.array(z.string()),
  firstSeen: isoTime,
  lastSeen: isoTime,
  runs: agentFiguresSchema.meta({ description: 'Spans of the agent as a whole (`invoke_agent`).' }),
  calls: agentFiguresSchema.meta({ description: 'Its model calls: tokens and cost count here.' }),
  tools: agentFiguresSchema.meta({ description: 'Its tool executions.' }),
  versions: count.meta({ description: 'Different fingerprints among its model calls.' }),
};

export const agentRowSchema = z
  .object({
    ...agentShape,
    trend: z.array(z.object({ time: isoTime, count, errors: count })).meta({
      description:
        'Runs (model calls of an agent without runs) by bucket; buckets without a row hold nothing.',
    }),
  })
  .meta({ id: 'AgentRow' });
export type AgentRow = z.output<typeof agentRowSchema>;

/** Agents that one answer lists. */
export const MAX_AGENTS = 200;

const windowQuery = { from: timeSchema.default('-24h'), to: timeSchema.default('now') };

export const listAgents = defineRoute({
  id: 'listAgents',
  method: 'GET',
  path: '/api/telemetry/agents',
  tag: 'Telemetry',
  summary: `Agents seen in traces, the busiest first, at most ${MAX_AGENTS}`,
  permission: reads('telemetry'),
  shared: true,
  query: z.strictObject({
    ...windowQuery,
    search: z.string().max(200).optional().meta({ description: 'Part of the name, case ignored.' }),
  }),
  response: z.object({
    data: z.object({
      bucketSeconds: count,
      agents: z.array(agentRowSchema),
      total: count.meta({ description: 'Agents that fit, of which the list holds the busiest.' }),
    }),
  }),
  errors: ['bad_query', 'query_too_expensive', 'store_unavailable'],
});

export const agentVersionSchema = z
  .object({
    version: z.string().meta({
      description:
        'Fingerprint of system prompt, declared tools, model and settings of a model call, 16 hex digits.',
    }),
    name: nullableText.meta({
      description:
        'What the application calls it (`gen_ai.agent.version`), in its last call or in a span of the agent beside it.',
    }),
    model: z.string(),
    firstSeen: isoTime,
    lastSeen: isoTime,
    figures: agentFiguresSchema,
    trend: z.array(z.object({ time: isoTime, count })),
  })
  .meta({ id: 'AgentVersion' });
export type AgentVersion = z.output<typeof agentVersionSchema>;

const part = z.object({ name: z.string(), figures: agentFiguresSchema });

/** Versions, models and tools of an agent that one answer lists, the newest or busiest. */
export const MAX_AGENT_PARTS = 100;

export const getAgent = defineRoute({
  id: 'getAgent',
  method: 'GET',
  path: '/api/telemetry/agents/{agent}',
  tag: 'Telemetry',
  summary: 'One agent: its figures, models, tools and versions',
  permission: reads('telemetry'),
  params: z.object({ agent: entityKeySchema }),
  query: z.strictObject(windowQuery),
  response: z.object({
    data: z
      .object({
        ...agentShape,
        bucketSeconds: count,
        byModel: z.array(part),
        modelCount: count.meta({ description: 'Models it called, of which `byModel` holds the busiest.' }),
        byTool: z.array(part),
        toolCount: count.meta({ description: 'Tools it ran, of which `byTool` holds the busiest.' }),
        byVersion: z.array(agentVersionSchema).meta({ description: 'The one seen last first.' }),
      })
      .meta({ id: 'Agent' }),
  }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});

export const getAgentVersion = defineRoute({
  id: 'getAgentVersion',
  method: 'GET',
  path: '/api/telemetry/agents/{agent}/versions/{version}',
  tag: 'Telemetry',
  summary: 'What a version of an agent consists of, read from its last model call in the window',
  permission: reads('telemetry'),
  params: z.object({
    agent: entityKeySchema,
    version: z.string().regex(/^[0-9a-f]{16}$/, 'A version is 16 hex digits.'),
  }),
  query: z.strictObject(windowQuery),
  response: z.object({
    data: z
      .object({
        version: z.string(),
        model: z.string(),
        system: nullableText.meta({ description: 'System prompt; null when none was recorded.' }),
        tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: z.string() })),
        settings: z.array(z.object({ key: z.string(), value: z.string() })),
        traceId: z.string(),
        spanId: z.string(),
        seen: isoTime,
      })
      .meta({ id: 'AgentVersionContent' }),
  }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});

export const agentEdgeSchema = z
  .object({
    from: z.string().meta({ description: 'Id of a node.' }),
    to: z.string(),
    figures: agentFiguresSchema.extend({
      q: nullableText.meta({ description: 'Null when the spans are too many for a filter of their ids.' }),
    }),
    basis: z.enum(['window', 'newest']).meta({
      description:
        '`window`: every span of the window, counted by the agent they name. `newest`: spans of the newest traces, told apart by their parents.',
    }),
  })
  .meta({ id: 'AgentEdge' });
export type AgentEdge = z.output<typeof agentEdgeSchema>;

export const agentGraph = defineRoute({
  id: 'agentGraph',
  method: 'GET',
  path: '/api/telemetry/agents/{agent}/graph',
  tag: 'Telemetry',
  summary: 'Who calls what: the agent, its models and tools, its sub-agents and its callers',
  permission: reads('telemetry'),
  shared: true,
  params: z.object({ agent: entityKeySchema }),
  query: z.strictObject(windowQuery),
  response: z.object({
    data: z
      .object({
        nodes: z.array(
          z.object({
            id: z.string(),
            kind: z.enum(['agent', 'model', 'tool']),
            name: z.string(),
          }),
        ),
        edges: z.array(agentEdgeSchema),
        hidden: count.meta({ description: 'Nodes left out: each kind shows its busiest.' }),
        sampledTraces: count.meta({ description: 'Newest traces whose parents were followed.' }),
        sampledFrom: isoTime.nullable().meta({ description: 'Start of the oldest of them.' }),
        complete: z
          .boolean()
          .meta({ description: 'True when these are all traces of the agent in the window.' }),
      })
      .meta({ id: 'AgentGraph' }),
  }),
  errors: ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'],
});
