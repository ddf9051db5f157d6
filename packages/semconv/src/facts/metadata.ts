/** What LangChain and others keep of a run in one JSON attribute: the thread, the user, the provider. */
import type { FieldValues } from './fields.ts';

const MAX_LENGTH = 16_384;
const KEYS = {
  session: ['session_id', 'thread_id', 'conversation_id', 'sessionId', 'threadId', 'conversationId'],
  user: ['user_id', 'userId', 'user'],
  provider: ['ls_provider'],
} as const;

/** A text of the metadata's own members; '' when it has none. Members of members are somebody else's. */
export function metadataText(fields: FieldValues, what: keyof typeof KEYS): string {
  const value = fields.get('metadata');
  if (value instanceof Map) return firstOf(KEYS[what], (key) => value.get(key) as unknown);
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.startsWith('{')) return '';
  // Most metadata says nothing of this: it is not parsed for it.
  if (!KEYS[what].some((key) => value.includes(`"${key}"`))) return '';
  try {
    const parsed = JSON.parse(value) as Record<string, unknown>;
    return firstOf(KEYS[what], (key) => (Object.hasOwn(parsed, key) ? parsed[key] : undefined));
  } catch {
    return '';
  }
}

function firstOf(keys: readonly string[], read: (key: string) => unknown): string {
  for (const key of keys) {
    const value = read(key);
    if (typeof value === 'string' && value.trim() !== '') return value.trim().slice(0, 512);
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  }
  return '';
}
