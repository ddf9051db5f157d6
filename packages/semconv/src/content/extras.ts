/** Scores, retrieved documents and tool executions. */
import { numberOf, textOf } from '../facts/values.ts';
import type { Conversation, Score, SpanEvent, SpanReader } from '../types.ts';
import { jsonAttribute, parsed, toJson, unflatten } from './attribute-json.ts';
import { openedArguments, openedResult } from './tool-wrappers.ts';
import { resultText } from './parts.ts';
import { asText, type Budget, isRecord, MAX_DEPTH, member, memberText } from './builder.ts';

const MAX_SCORES = 500;
const MAX_DOCUMENTS = 500;

/** Scores of a span: `gen_ai.evaluation.result` events, each once, and OpenInference evaluation attributes. */
export function readScores(span: SpanReader, budget: Budget): Score[] {
  const scores = new Scores();
  scores.addEvents(span.events, budget);
  const { attributes } = span;
  if (attributes.has('evaluation.name')) {
    scores.add({
      name: textOf(attributes.get('evaluation.name')),
      value: numberOf(attributes.get('evaluation.score')),
      label: textOf(attributes.get('evaluation.label')),
      explanation: budget.text(asText(toJson(attributes.get('evaluation.explanation')))),
      idempotencyKey: '',
    });
  }
  return scores.list;
}

/** These scores and those of the events, each once. */
export function scoresOf(events: readonly SpanEvent[], budget: Budget, own: readonly Score[]): Score[] {
  const scores = new Scores();
  for (const score of own) scores.add(score);
  scores.addEvents(events, budget);
  return scores.list;
}

class Scores {
  readonly list: Score[] = [];
  readonly #seen = new Set<string>();

  add(score: Score): void {
    const id =
      score.idempotencyKey === '' ? `${score.name}\n${score.value}\n${score.label}` : score.idempotencyKey;
    if (score.name === '' || this.#seen.has(id) || this.list.length >= MAX_SCORES) return;
    this.#seen.add(id);
    this.list.push(score);
  }

  addEvents(events: readonly SpanEvent[], budget: Budget): void {
    for (const { name, attributes } of events) {
      if (name !== 'gen_ai.evaluation.result') continue;
      this.add({
        name: textOf(attributes.get('gen_ai.evaluation.name')),
        value: numberOf(attributes.get('gen_ai.evaluation.score.value')),
        label: textOf(attributes.get('gen_ai.evaluation.score.label')),
        explanation: budget.text(asText(toJson(attributes.get('gen_ai.evaluation.explanation')))),
        idempotencyKey: textOf(attributes.get('openlit.score.idempotency_key')),
      });
    }
  }
}

type Documents = Conversation['retrievedDocuments'];

/** Documents as JSON or flattened (`retrieval.documents.N.document.*`). */
export function readDocuments(span: SpanReader, budget: Budget): Documents {
  const { attributes } = span;
  const given = jsonAttribute(attributes, 'gen_ai.retrieval.documents');
  const list = Array.isArray(given) ? given : unflatten(attributes, 'retrieval.documents.');
  const ranked = list.length > 0 ? list : unflatten(attributes, 'reranker.output_documents.');
  return ranked.slice(0, MAX_DOCUMENTS).map((entry: unknown) => document(entry, budget));
}

/** Documents out of a retriever's output, when it is a list of things with content. */
export function documentsOf(value: unknown, budget: Budget): Documents {
  const content = parsed(value);
  const list = isRecord(content)
    ? (member(content, 'documents') ?? member(content, 'output') ?? member(content, 'results'))
    : content;
  if (!Array.isArray(list)) return [];
  const records = list.filter(isRecord);
  const looksRight = records.length > 0 && records.every((entry) => contentOf(entry) !== '');
  return looksRight ? records.slice(0, MAX_DOCUMENTS).map((entry) => document(entry, budget)) : [];
}

const contentOf = (record: Parameters<typeof memberText>[0], depth = 0): string => {
  const kwargs = member(record, 'kwargs');
  return (
    memberText(record, 'content', 'pageContent', 'page_content', 'text') ||
    (isRecord(kwargs) && depth < MAX_DEPTH ? contentOf(kwargs, depth + 1) : '')
  );
};

function document(entry: unknown, budget: Budget): Documents[number] {
  const inner = isRecord(entry) ? (member(entry, 'document') ?? entry) : entry;
  if (!isRecord(inner)) return { id: '', content: budget.text(asText(inner)), score: undefined };
  const score = member(inner, 'score') ?? member(inner, 'relevance_score');
  return {
    id: memberText(inner, 'id').slice(0, 512),
    content: budget.text(contentOf(inner) || asText(member(inner, 'content') ?? inner)),
    score: typeof score === 'number' && Number.isFinite(score) ? score : undefined,
  };
}

/** Where a convention keeps a tool's call: the first attribute of each list that is there. */
export interface ToolKeys {
  readonly id: readonly string[];
  readonly args: readonly string[];
  readonly result: readonly string[];
}

/**
 * A tool execution. `open` takes the emitter's wrapping off a value; a text that is itself JSON text (`"sunny"` in
 * quotes) is opened always.
 */
export function toolExecution(
  span: SpanReader,
  budget: Budget,
  keys: ToolKeys,
  open: (value: unknown) => unknown = (value) => value,
): Conversation['toolExecution'] {
  const pick = (names: readonly string[], unwrap: (value: unknown) => unknown): string => {
    for (const name of names) {
      const value = toJson(span.attributes.get(name));
      if (value === undefined || value === '') continue;
      const opened = unwrapped(value, open);
      const inner = unwrap(opened);
      return inner === opened ? asText(opened) : resultText(inner);
    }
    return '';
  };
  const args = pick(keys.args, openedArguments);
  const result = pick(keys.result, openedResult);
  if (args === '' && result === '') return undefined;
  return {
    callId: pick(keys.id, (value) => value).slice(0, 512),
    arguments: budget.text(args),
    result: budget.text(result),
  };
}

/** Text stays verbatim unless it is quoted JSON text or something that the convention opens. */
function unwrapped(value: unknown, open: (value: unknown) => unknown): unknown {
  const content = parsed(value);
  if (typeof content === 'string') return content;
  const opened = open(content);
  return opened === content ? value : opened;
}
