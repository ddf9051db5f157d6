import type { Measure } from '@candela/contract';
import { HANDWRITTEN } from './handwritten.ts';

/** A question in plain words with a statement that answers it. */
export interface GoldenQuestion {
  readonly question: string;
  readonly sql: string;
  /** The same asked of the aggregate route, whose numbers must be equal: group first, then the measure. */
  readonly aggregate?: { readonly groupBy: readonly string[]; readonly measure: Measure };
}

/** Fields that people group by: their words, the field of filters, the column. */
const GROUPS = [
  ['service', 'service', 'ServiceName'],
  ['operation name', 'name', 'SpanName'],
  ['environment', 'environment', 'Environment'],
  ['requested model', 'request_model', 'GenAiRequestModel'],
  ['provider', 'provider', 'GenAiProvider'],
  ['kind of model operation', 'operation', 'GenAiOperation'],
  ['agent', 'agent', 'AgentName'],
  ['tool', 'tool', 'ToolName'],
  ['session', 'session', 'SessionId'],
  ['user', 'user', 'UserId'],
  ['prompt', 'prompt_name', 'PromptName'],
  ['finish reason', 'finish_reason', 'FinishReason'],
  ['workflow', 'workflow', 'WorkflowName'],
] as const;

/** Figures that people ask for: their words, the measure, its expression. */
const FIGURES: readonly (readonly [string, Measure, string])[] = [
  ['How many spans are there', 'count', 'count()'],
  ['How many errors are there', 'errors', "countIf(StatusCode = 'Error')"],
  ['What is the share of errors', 'error_rate', "countIf(StatusCode = 'Error') / count()"],
  ['How many traces are there', 'traces', 'uniqExact(TraceId)'],
  ['What is the average duration in ms', 'duration_avg', 'avgIf(Duration, Ended = 1) / 1e6'],
  [
    'How many input tokens were used, cached ones included,',
    'input_tokens',
    'sumIf(InputTokens + CacheReadTokens + CacheWriteTokens, CountsUsage = 1)',
  ],
  [
    'How many output tokens were used, reasoning included,',
    'output_tokens',
    'sumIf(OutputTokens + ReasoningTokens, CountsUsage = 1)',
  ],
  ['How many tokens were read from caches', 'cache_read_tokens', 'sumIf(CacheReadTokens, CountsUsage = 1)'],
  ['What did it cost in USD', 'cost', 'sumIf(CostUsd, CountsUsage = 1)'],
];

const byGroup = GROUPS.flatMap(([words, field, column]) =>
  FIGURES.map(
    ([figure, measure, expression]): GoldenQuestion => ({
      question: `${figure} by ${words}?`,
      sql: `SELECT ${column} AS grouped, ${expression} AS figure FROM otel_traces GROUP BY grouped ORDER BY figure DESC LIMIT 100`,
      aggregate: { groupBy: [field], measure },
    }),
  ),
);

const overall = FIGURES.map(
  ([figure, measure, expression]): GoldenQuestion => ({
    question: `${figure} in all?`,
    sql: `SELECT ${expression} AS figure FROM otel_traces`,
    aggregate: { groupBy: [], measure },
  }),
);

/** Every golden question: a statement that the gate must accept, and that must run. */
export const GOLDEN: readonly GoldenQuestion[] = [...byGroup, ...overall, ...HANDWRITTEN];
