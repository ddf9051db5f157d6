export type AttributeValue = string | number | boolean | readonly string[];

/** A finished span; times in milliseconds since 1970. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** What went wrong. */
  readonly error?: string;
}

/** An addition to one of the counters. */
export interface Count {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly atMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** What is sent of one session in one go. */
export interface Batch {
  readonly resource: Readonly<Record<string, AttributeValue>>;
  readonly spans: readonly Span[];
  readonly counts: readonly Count[];
}
