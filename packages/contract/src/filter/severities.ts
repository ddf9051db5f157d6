/** Severities of log records, going up; `unset` is a record that names none. */
export const SEVERITIES = ['unset', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Severity = (typeof SEVERITIES)[number];
