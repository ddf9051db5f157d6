import { SEPARATE_OPERATIONS } from '@candela/semconv';
import type { Field } from './source.ts';

/** Expressions over the promoted GenAI columns that spans and logs share. */
export const MODEL_SQL = "if(GenAiResponseModel != '', GenAiResponseModel, GenAiRequestModel)";
const ROUTE = '^(?:.*/)?(?:(?:us-gov|us|eu|apac|ap|jp|au|ca|sa|global)[.])?';
const MAKER =
  '(?:(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|qwen|openai|google|nvidia|moonshot|moonshotai|minimax|zai)[.])?';
/** Builds, dates and sizes of a context at the end of a name; as `modelNameCandidates` of semconv takes them away. */
const BUILD = `(?:${[
  ':[0-9]+(?::[0-9]+k|:mm)?',
  '[[][0-9]+[km][]]',
  '-v[0-9]+',
  '[-:@](?:latest|default)',
  '[-@_](?:20[0-9][0-9]-?[01][0-9]-?[0-3][0-9]|[01][0-9]-20[0-9][0-9])',
  '-2[0-9](?:0[1-9]|1[0-2])',
  '-00[0-9]',
  '-(?:preview-)?(?:[01][0-9]-[0-3][0-9]|[01][0-9][0-3][0-9])',
].join('|')})+$`;
/** On a column by itself, so that the engine works it out once for each name, not for each row. */
const bareName = (column: string): string =>
  `replaceRegexpOne(replaceRegexpOne(lower(${column}), '${ROUTE}${MAKER}', ''), '${BUILD}', '')`;
/** One name of a model for calls that were answered, under the name of a build, and for those that failed, under the name asked for. */
export const BASE_MODEL_SQL = `if(GenAiResponseModel != '', ${bareName('GenAiResponseModel')}, ${bareName('GenAiRequestModel')})`;
export const INPUT_TOKENS_SQL = '(InputTokens + CacheReadTokens + CacheWriteTokens)';
export const OUTPUT_TOKENS_SQL = '(OutputTokens + ReasoningTokens)';
/** What was reported says how many tokens there were: a model call, even one of none, or whatever else named some. */
const HAS_USAGE_SQL = `(CountsUsage = 1 OR ${INPUT_TOKENS_SQL} > 0 OR ${OUTPUT_TOKENS_SQL} > 0)`;

/** A field of tokens: 0 where none were reported, as its columns are. */
export const tokens = (sql: string): Field => ({
  kind: 'number',
  sql,
  scale: 1,
  exists: HAS_USAGE_SQL,
  zeroIfNone: true,
});

/** The kind of a model call: only calls of one kind repeat each other's usage. */
export const CALL_KIND_SQL = `if(GenAiOperation IN (${SEPARATE_OPERATIONS.map((name) => `'${name}'`).join(', ')}), GenAiOperation, '')`;

/** Operations of spans that hold usage without being a model call: it is no repeat of the call above them. */
export const HOLDER_OPERATIONS: readonly string[] = [
  'invoke_agent',
  'create_agent',
  'invoke_workflow',
  'execute_tool',
];
export const IS_HOLDER_SQL = `GenAiOperation IN (${HOLDER_OPERATIONS.map((name) => `'${name}'`).join(', ')})`;
