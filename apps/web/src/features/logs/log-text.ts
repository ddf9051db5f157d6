import { parseExactly } from '../../lib/exact-json.ts';

/** Escape sequences of terminals (colours, cursor, titles): ECMA-48 control sequences and operating system commands. */
// oxlint-disable-next-line no-control-regex
const ANSI = /[\u001B\u009B](?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g;

/** The text without what a terminal would have taken for colours. */
export function withoutAnsi(text: string): string {
  return text.includes('\u001B') || text.includes('\u009B') ? text.replaceAll(ANSI, '') : text;
}

/** A body as one line of a list: no escapes, no line breaks, blanks folded. */
export function oneLine(text: string): string {
  return withoutAnsi(text).replaceAll(/\s+/g, ' ').trim();
}

/** Fields by which loggers that write JSON name their message. */
const MESSAGE_KEYS = ['message', 'msg', 'event', 'body', 'text'];

/** The message of a body that is a JSON object, and the rest of it as `key=value`; undefined for other bodies. */
export function structuredLine(body: string): { message: string; rest: string } | undefined {
  if (!body.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = parseExactly(body);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const own = MESSAGE_KEYS.find((key) =>
    entries.some(([name, item]) => name === key && typeof item === 'string'),
  );
  const rest = entries
    .filter(([name]) => name !== own)
    .map(([name, item]) => `${name}=${typeof item === 'string' ? item : JSON.stringify(item)}`)
    .join(' ');
  const message = entries.find(([name]) => name === own)?.[1];
  return { message: typeof message === 'string' ? oneLine(message) : '', rest: oneLine(rest) };
}
