import { cost, latency, length, noError, tokens } from './figures.ts';
import { jsonSchema, jsonValid } from './json.ts';
import type { EvaluatorKind } from './kind.ts';
import { leaks } from './secrets.ts';
import { levenshtein, numeric, tokenF1 } from './similarity.ts';
import { contains, edges, equals, refusal, regex, urls } from './text.ts';
import { toolArguments, toolCalled } from './tools.ts';

export type { EvaluatorKind, Outcome, Subject } from './kind.ts';

/** Every deterministic evaluator; the registry. A model that judges is the kind `judge`, in `judge.ts`. */
export const KINDS: readonly EvaluatorKind[] = [
  equals,
  contains,
  edges,
  regex,
  refusal,
  urls,
  jsonValid,
  jsonSchema,
  levenshtein,
  tokenF1,
  numeric,
  length,
  latency,
  cost,
  tokens,
  noError,
  toolCalled,
  toolArguments,
  leaks,
];

export const kindOf = (id: string): EvaluatorKind | undefined => KINDS.find((kind) => kind.id === id);
