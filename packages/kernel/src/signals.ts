/** What OTLP carries. Each can be kept in a store, and for a time, of its own. */
export const SIGNALS = ['traces', 'metrics', 'logs'] as const;
export type Signal = (typeof SIGNALS)[number];
