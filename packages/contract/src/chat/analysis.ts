import { z } from 'zod';
import { messagesSchema } from '../prompts/chat.ts';
import { defineRoute, reads, writes } from '../route.ts';
import { isoTime } from '../telemetry/common.ts';

export const ANALYSIS_DIMENSIONS = [
  'strengths',
  'improvements',
  'wrong_turns',
  'cost',
  'token_efficiency',
  'path_analysis',
  'prompt_injection',
  'tool_misuse',
] as const;
export const FINDING_SEVERITIES = ['info', 'minor', 'major', 'critical'] as const;

export const findingSchema = z
  .object({
    id: z.string(),
    severity: z.enum(FINDING_SEVERITIES),
    summary: z.string(),
    detail: z.string(),
    spanRefs: z.array(z.string()).meta({ description: 'Spans of the trace that it is about.' }),
    suggestedFix: z.string().nullable(),
  })
  .meta({ id: 'AnalysisFinding' });
export type AnalysisFinding = z.output<typeof findingSchema>;

export const analysisFactsSchema = z
  .object({
    spans: z.int(),
    errors: z.int(),
    durationMs: z.number(),
    inputTokens: z.int(),
    cacheReadTokens: z.int(),
    outputTokens: z.int(),
    costUsd: z.number().nullable(),
    slowest: z.string().nullable(),
    dearest: z.string().nullable(),
    criticalPath: z.array(z.string()).meta({ description: 'Span ids, from the root on.' }),
    duplicates: z.array(z.array(z.string())).meta({ description: 'Model or tool calls with equal input.' }),
    retries: z.array(z.array(z.string())).meta({ description: 'A failed call and those after it.' }),
    cacheMisses: z
      .array(z.string())
      .meta({ description: 'Model calls of 1,024 tokens and more, none cached.' }),
    truncated: z.boolean().meta({ description: 'The trace has more spans than were looked at.' }),
  })
  .meta({ id: 'AnalysisFacts' });
export type AnalysisFacts = z.output<typeof analysisFactsSchema>;

export const analysisRunSchema = z
  .object({
    id: z.string(),
    rootSpanId: z.string(),
    selectedSpanId: z.string(),
    scope: z.enum(['trace', 'span']),
    runNumber: z.int(),
    summary: z.string(),
    dimensions: z.array(
      z.object({ dimension: z.enum(ANALYSIS_DIMENSIONS), findings: z.array(findingSchema) }),
    ),
    facts: analysisFactsSchema,
    worstSeverity: z.enum(FINDING_SEVERITIES).nullable(),
    provider: z.string(),
    model: z.string(),
    costUsd: z.number().nullable(),
    createdBy: z.string(),
    createdAt: isoTime,
  })
  .meta({ id: 'AnalysisRun' });
export type AnalysisRun = z.output<typeof analysisRunSchema>;

const common = { tag: 'Assistant', storage: 'platform' } as const;
const params = z.object({
  spanId: z.string().regex(/^[0-9a-f]{16}$/i, { error: 'A span id has 16 hex digits.' }),
});
const query = z.strictObject({ scope: z.enum(['trace', 'span']).default('trace') });

const getAnalysis = defineRoute({
  ...common,
  id: 'getAnalysis',
  method: 'GET',
  path: '/api/chat/improvement/{spanId}',
  summary: 'Saved AI analyses of the trace of a span, or of the span, the oldest first',
  permission: reads('chat'),
  params,
  query,
  response: z.object({ data: z.object({ rootSpanId: z.string(), runs: z.array(analysisRunSchema) }) }),
  errors: ['not_found', 'store_unavailable', 'metadata_unavailable'],
});

const runAnalysis = defineRoute({
  ...common,
  id: 'runAnalysis',
  method: 'POST',
  path: '/api/chat/improvement/{spanId}',
  summary:
    'Analyses a trace or a span: what can be computed first, then one call of the model of the assistant',
  permission: writes('chat'),
  stream: 'events',
  params,
  query,
  response: z
    .union([
      z.object({ label: z.string() }),
      analysisFactsSchema,
      z.object({ dimension: z.enum(ANALYSIS_DIMENSIONS), findings: z.array(findingSchema) }),
      analysisRunSchema,
    ])
    .meta({ description: 'Data of the events `step`, `facts`, `dimension` and `done`.' }),
  errors: [
    'not_found',
    'refused',
    'assistant_unset',
    'spend_cap',
    'too_many_streams',
    'store_unavailable',
    'metadata_unavailable',
  ],
});

/** Characters of what is improved. */
const MOST_IMPROVED = 30_000;
const isImprovable = (messages: readonly { readonly content: string }[]): boolean => {
  const length = messages.reduce((sum, { content }) => sum + content.length, 0);
  return length > 0 && length <= MOST_IMPROVED;
};

const suggestionSchema = z
  .object({
    original: z.string(),
    replacement: z.string(),
    rationale: z.string(),
    message: z.int().optional().meta({ description: 'Of a chat prompt: in which message, from 0.' }),
  })
  .meta({ id: 'PromptSuggestion' });
export type PromptSuggestion = z.output<typeof suggestionSchema>;

const improvePrompt = defineRoute({
  ...common,
  id: 'improvePrompt',
  method: 'POST',
  path: '/api/prompt/improve',
  summary:
    'Suggests changes of a text, or of the messages of a chat; each keeps its placeholders. Nothing is saved',
  permission: writes('chat'),
  body: z
    .strictObject({
      prompt: z.string().min(1).max(MOST_IMPROVED).optional(),
      messages: messagesSchema.optional().meta({ description: 'A chat prompt: instead of `prompt`.' }),
      promptId: z.string().min(1).max(64).optional(),
      criteria: z.array(z.string().trim().min(1).max(300)).max(10).default([]),
    })
    .refine(({ prompt, messages }) => (prompt === undefined) !== (messages === undefined), {
      error: 'Send either "prompt" or "messages".',
    })
    .refine(({ messages }) => messages === undefined || isImprovable(messages), {
      error: `The messages are empty, or longer than ${MOST_IMPROVED} characters together.`,
    }),
  response: z.object({
    data: z.object({
      suggestions: z.array(suggestionSchema),
      dropped: z
        .int()
        .meta({ description: 'Suggestions that did not fit the text or changed placeholders.' }),
      costUsd: z.number().nullable(),
    }),
  }),
  errors: [
    'refused',
    'assistant_unset',
    'spend_cap',
    'provider_failed',
    'too_many_calls',
    'metadata_unavailable',
  ],
});

export const ANALYSIS_ROUTES = { getAnalysis, runAnalysis, improvePrompt };
