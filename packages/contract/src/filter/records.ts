import type { Signal } from '@candela/kernel';

/**
 * The kinds of records that filters find, each with the signal that brings them. The parameter `signal` of a route that asks
 * for records names one of these.
 */
export const RECORDS = {
  spans: 'traces',
  logs: 'logs',
  metrics: 'metrics',
  exceptions: 'traces',
} as const satisfies Readonly<Record<string, Signal>>;
export type RecordKind = keyof typeof RECORDS;

/** Those with attributes of any key: they have lists of fields, charts, comparisons and a live view. */
export const EVENT_KINDS = ['spans', 'logs'] as const satisfies readonly RecordKind[];
export type EventKind = (typeof EVENT_KINDS)[number];
