/** What a text rests on: annotations of OpenAI, citations of Anthropic, sources of the AI SDK. */
import type { MessagePart } from '../types.ts';
import { type Budget, isRecord, type JsonRecord, member, memberText } from './builder.ts';

const MAX_CITATIONS = 200;

/** A list of them in any shape; what is no citation is skipped. */
export function citationParts(value: unknown, budget: Budget): MessagePart[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly unknown[])
    .slice(0, MAX_CITATIONS)
    .flatMap((entry) => (isRecord(entry) ? citationPart(entry, budget) : []));
}

/** One of them; none when it says neither where nor what. */
export function citationPart(entry: JsonRecord, budget: Budget): MessagePart[] {
  const inner = member(entry, 'url_citation') ?? member(entry, 'file_citation') ?? member(entry, 'file_path');
  const source = isRecord(inner) ? inner : entry;
  const title = memberText(source, 'title', 'document_title', 'filename', 'name');
  const uri = memberText(source, 'url', 'uri', 'source', 'file_id');
  const text = memberText(source, 'cited_text', 'quote');
  if ((title === '' && uri === '' && text === '') || !budget.takePart()) return [];
  return [{ type: 'citation', title: budget.text(title), uri: budget.text(uri), text: budget.text(text) }];
}
