import type { Logger } from '@candela/kernel';
import { type Logger as Pino, pino } from 'pino';
import pretty from 'pino-pretty';

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly format: 'auto' | 'json' | 'pretty';
  /** Where the lines go; standard error, so that standard output stays readable by machines. */
  readonly stream?: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Never written, wherever a caller puts them. */
const SECRET_PATHS = [
  'authorization',
  'cookie',
  'password',
  'apiKey',
  'key',
  'token',
  'secret',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.apiKey',
  '*.token',
  '*.secret',
];

/** Structured logs: JSON lines, or readable ones on a terminal. */
export function createLogger(options: LogOptions): Pino & Logger {
  const stream = options.stream ?? process.stderr;
  const readable = options.format === 'pretty' || (options.format === 'auto' && stream.isTTY === true);
  const settings = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_PATHS, censor: '[hidden]' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return readable
    ? pino(settings, pretty({ destination: stream, sync: true, singleLine: true, translateTime: 'HH:MM:ss' }))
    : pino(settings, stream);
}
