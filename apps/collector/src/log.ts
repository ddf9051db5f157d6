import { escapeUnsafe } from './unsafe-text.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'none';

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** What happened, and its circumstances as fields. Both may come from outside: whatever they hold, a line stays a line. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, none: 4 };
const MAX_TEXT = 2_000;
const PLAIN = /^[\w.,:;/@%+*()[\]<>~-]+$/;

const bounded = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;

function showValue(value: string | number | boolean): string {
  const text = escapeUnsafe(bounded(String(value)));
  return PLAIN.test(text) ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** One line: time, level, message, then `key=value` fields. */
export function logLine(at: Date, level: string, message: string, fields: LogFields = {}): string {
  let line = `${at.toISOString()} ${level.padEnd(5)} ${escapeUnsafe(bounded(message))}`;
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${escapeUnsafe(bounded(key))}=${showValue(value)}`;
  }
  return line;
}

/** Logs to `write` (standard error in the agent), from `level` on. */
export function createLog(level: LogLevel, write: (text: string) => void): Log {
  const at = (own: Exclude<LogLevel, 'none'>) => (message: string, fields?: LogFields) => {
    if (RANK[own] >= RANK[level]) write(`${logLine(new Date(), own, message, fields)}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** What was thrown, in one short text. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') {
    return thrown.errors.slice(0, 4).map(errorText).join('; ');
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}
