/** Reading of request bodies whose shape is the caller's. */

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const recordsOf = (value: unknown): readonly Json[] => listOf(value).filter(isJson);

/** Text of a content value: text, or the texts of its parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map((part) => textOf(part['text']))
    .filter((text) => text !== '')
    .join('\n');
}

/** The last message of the user, as text. */
export function lastPrompt(messages: readonly Json[]): string {
  const users = messages.filter(
    (message) => message['role'] === 'user' && contentText(message['content']) !== '',
  );
  return contentText(users.at(-1)?.['content']);
}
