import type { MessagePart } from '../types.ts';
import { Budget, isRecord, member } from './builder.ts';
import { isPart, readParts } from './parts.ts';

/**
 * What a tool gave back as parts, if pictures, sound or files are among them: a screenshot in a result of Anthropic, a
 * list of MCP. Undefined for any other result, which reads best as it was sent.
 */
export function resultParts(result: unknown): MessagePart[] | undefined {
  const content = isRecord(result) && Array.isArray(member(result, 'content')) ? result['content'] : result;
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (items.length === 0 || !items.every(isPart)) return undefined;
  const parts = readParts(items, new Budget());
  return parts.some((part) => part.type === 'media') ? parts : undefined;
}
