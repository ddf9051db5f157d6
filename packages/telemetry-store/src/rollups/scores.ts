import { ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup, type RollupColumn } from './rollup.ts';
import { SPAN_STAGE } from './span-stage.ts';

/** The event of the semantic conventions that carries one score. */
const SCORE_EVENT = 'gen_ai.evaluation.result';

/** Characters that are kept of a name, a label and an explanation. */
const MOST_NAME = 256;
const MOST_LABEL = 500;
const MOST_EXPLANATION = 8_000;

const TEXT = 'SimpleAggregateFunction(max, String)';
const head = ROLLUP_HEAD.map(({ name }) => name).join(', ');

/** Facts of a score that are attributes of its event, by column. The first attribute that is there counts. */
const FACTS = {
  Source: ['platform.evaluation.source'],
  Evaluator: ['platform.evaluation.evaluator'],
  Version: ['platform.evaluation.version'],
  Verdict: ['platform.evaluation.verdict'],
  JudgeModel: ['platform.evaluation.judge_model'],
  RunId: ['platform.evaluation.run_id'],
  Item: ['platform.evaluation.dataset_item'],
  Reviewer: ['platform.evaluation.reviewer'],
  ErrorType: ['error.type'],
} as const;
type Fact = keyof typeof FACTS;
const FACT_NAMES = Object.keys(FACTS) as Fact[];

const COLUMNS: readonly RollupColumn[] = [
  ...ROLLUP_HEAD,
  { name: 'Timestamp', type: 'DateTime64(9)' },
  { name: 'Name', type: 'LowCardinality(String)' },
  { name: 'ScoreId', type: 'String' },
  { name: 'TraceId', type: 'String' },
  { name: 'SpanId', type: 'String' },
  { name: 'SessionId', type: TEXT },
  { name: 'UserId', type: TEXT },
  { name: 'ServiceName', type: TEXT },
  { name: 'AgentName', type: TEXT },
  { name: 'Model', type: TEXT },
  { name: 'PromptName', type: TEXT },
  { name: 'PromptVersion', type: TEXT },
  ...FACT_NAMES.map((name) => ({ name, type: TEXT })),
  { name: 'Label', type: TEXT },
  { name: 'Explanation', type: TEXT },
  { name: 'HasValue', type: 'SimpleAggregateFunction(max, UInt8)' },
  { name: 'Value', type: 'SimpleAggregateFunction(max, Float64)' },
  { name: 'CostUsd', type: 'SimpleAggregateFunction(max, Float64)' },
];

/** Scores as columns, of rows with the time of the event and its attributes (`Facts`). */
function columnsOf(rows: string): string {
  const text = (key: string) => `Facts['${key}']`;
  const first = (...keys: readonly string[]) =>
    keys.reduceRight(
      (rest, key) => (rest === '' ? text(key) : `if(${text(key)} != '', ${text(key)}, ${rest})`),
      '',
    );
  const number = (key: string) => `toFloat64OrNull(${text(key)})`;
  const facts = FACT_NAMES.map(
    (name) => `substringUTF8(${first(...FACTS[name])}, 1, ${MOST_NAME}) AS ${name}`,
  );
  const value = number('gen_ai.evaluation.score.value');
  const cost = number('platform.evaluation.cost_usd');
  const id = first('platform.evaluation.id', 'openlit.score.idempotency_key');
  return `
SELECT ${COLUMNS.map(({ name }) => name).join(', ')} FROM (
  SELECT ${head}, At AS Timestamp,
    substringUTF8(${text('gen_ai.evaluation.name')}, 1, ${MOST_NAME}) AS Name,
    if(${id} != '', substringUTF8(${id}, 1, ${MOST_NAME}),
      hex(sipHash128(At, TraceId, SpanId, Name, ${text('gen_ai.evaluation.score.value')},
        ${text('gen_ai.evaluation.score.label')}, ${text('gen_ai.evaluation.explanation')}))) AS ScoreId,
    TraceId, SpanId, SessionId, UserId, ServiceName,
    if(${text('platform.evaluation.agent')} != '', ${text('platform.evaluation.agent')}, toString(AgentName)) AS AgentName,
    if(${text('platform.evaluation.model')} != '', ${text('platform.evaluation.model')}, toString(JudgedModel)) AS Model,
    ${text('platform.evaluation.prompt_name')} AS PromptName,
    ${text('platform.evaluation.prompt_version')} AS PromptVersion,
    ${facts.join(',\n    ')},
    substringUTF8(${text('gen_ai.evaluation.score.label')}, 1, ${MOST_LABEL}) AS Label,
    substringUTF8(${text('gen_ai.evaluation.explanation')}, 1, ${MOST_EXPLANATION}) AS Explanation,
    toUInt8(ifNull(isFinite(${value}), 0)) AS HasValue,
    if(HasValue = 1, assumeNotNull(${value}), 0) AS Value,
    if(ifNull(isFinite(${cost}), 0), assumeNotNull(${cost}), 0) AS CostUsd
  FROM ${rows}
  WHERE Name != ''
)`;
}

/**
 * Scores one by one: `gen_ai.evaluation.result` as log records and as events on spans. A record with the id of an earlier
 * one replaces it: reads take the newest row of a `ScoreId`. Figures are joined by max, so that a record that was sent
 * twice is one.
 */
export const SCORES: Rollup = {
  name: 'scores',
  columns: COLUMNS,
  sources: {
    otel_logs: {
      when: `EventName = '${SCORE_EVENT}'`,
      stage: {
        name: 'staged_scores',
        select: (logs) => `
SELECT ${ROLLUP_HEAD_SQL}, Timestamp AS At, TraceId, SpanId, SessionId, UserId, toString(ServiceName) AS ServiceName, AgentName,
  if(GenAiResponseModel != '', GenAiResponseModel, GenAiRequestModel) AS JudgedModel, LogAttributes AS Facts
FROM ${logs} WHERE EventName = '${SCORE_EVENT}'`,
      },
      select: columnsOf,
    },
    otel_traces: {
      stage: {
        name: 'staged_scores',
        from: SPAN_STAGE,
        select: (spans) => `
SELECT ${head}, Found.1 AS At, TraceId, SpanId, SessionId, UserId, toString(ServiceName) AS ServiceName, AgentName,
  Model AS JudgedModel, Found.2 AS Facts
FROM (SELECT ${head}, TraceId, SpanId, SessionId, UserId, ServiceName, AgentName, Model, arrayJoin(ScoreEvents) AS Found
  FROM ${spans} WHERE Scored)`,
      },
      when: 'Scored',
      select: columnsOf,
    },
  },
};
