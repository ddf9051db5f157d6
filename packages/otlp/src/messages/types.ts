import type { AttributeValue } from '@candela/semconv';

/**
 * OTLP requests as values: names as in OTLP/JSON, ids as hex (or bytes), 64-bit numbers as bigint, number or decimal
 * text, attributes as a map. What encoders take and decoders give; decoders give hex, bigint and Map.
 */
export type Id = string | Uint8Array;
export type Int64 = bigint | number | string;
export type AttributeMap = ReadonlyMap<string, AttributeValue> | Readonly<Record<string, AttributeValue>>;

export interface Resource {
  readonly attributes?: AttributeMap;
  readonly droppedAttributesCount?: number;
}

export interface Scope {
  readonly name?: string;
  readonly version?: string;
  readonly attributes?: AttributeMap;
  readonly droppedAttributesCount?: number;
}

export interface TraceRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: Resource;
    readonly schemaUrl?: string;
    readonly scopeSpans?: readonly {
      readonly scope?: Scope;
      readonly schemaUrl?: string;
      readonly spans?: readonly Span[];
    }[];
  }[];
}

export interface Span {
  readonly traceId?: Id;
  readonly spanId?: Id;
  readonly traceState?: string;
  readonly parentSpanId?: Id;
  readonly flags?: number;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: Int64;
  readonly endTimeUnixNano?: Int64;
  readonly attributes?: AttributeMap;
  readonly droppedAttributesCount?: number;
  readonly events?: readonly {
    readonly timeUnixNano?: Int64;
    readonly name?: string;
    readonly attributes?: AttributeMap;
    readonly droppedAttributesCount?: number;
  }[];
  readonly droppedEventsCount?: number;
  readonly links?: readonly {
    readonly traceId?: Id;
    readonly spanId?: Id;
    readonly traceState?: string;
    readonly attributes?: AttributeMap;
    readonly droppedAttributesCount?: number;
    readonly flags?: number;
  }[];
  readonly droppedLinksCount?: number;
  readonly status?: { readonly message?: string; readonly code?: number };
}

export interface LogsRequest {
  readonly resourceLogs?: readonly {
    readonly resource?: Resource;
    readonly schemaUrl?: string;
    readonly scopeLogs?: readonly {
      readonly scope?: Scope;
      readonly schemaUrl?: string;
      readonly logRecords?: readonly LogRecord[];
    }[];
  }[];
}

export interface LogRecord {
  readonly timeUnixNano?: Int64;
  readonly observedTimeUnixNano?: Int64;
  readonly severityNumber?: number;
  readonly severityText?: string;
  readonly body?: AttributeValue;
  readonly attributes?: AttributeMap;
  readonly droppedAttributesCount?: number;
  readonly flags?: number;
  readonly traceId?: Id;
  readonly spanId?: Id;
  readonly eventName?: string;
}

export interface MetricsRequest {
  readonly resourceMetrics?: readonly {
    readonly resource?: Resource;
    readonly schemaUrl?: string;
    readonly scopeMetrics?: readonly {
      readonly scope?: Scope;
      readonly schemaUrl?: string;
      readonly metrics?: readonly Metric[];
    }[];
  }[];
}

/** At most one of the five kinds. */
export interface Metric {
  readonly name?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly gauge?: { readonly dataPoints?: readonly NumberPoint[] };
  readonly sum?: {
    readonly dataPoints?: readonly NumberPoint[];
    /** 1 delta, 2 cumulative. */
    readonly aggregationTemporality?: number;
    readonly isMonotonic?: boolean;
  };
  readonly histogram?: {
    readonly dataPoints?: readonly HistogramPoint[];
    readonly aggregationTemporality?: number;
  };
  readonly exponentialHistogram?: {
    readonly dataPoints?: readonly ExponentialHistogramPoint[];
    readonly aggregationTemporality?: number;
  };
  readonly summary?: { readonly dataPoints?: readonly SummaryPoint[] };
}

interface Point {
  readonly attributes?: AttributeMap;
  readonly startTimeUnixNano?: Int64;
  readonly timeUnixNano?: Int64;
  readonly flags?: number;
}

/** At most one of the two values. */
export interface NumberPoint extends Point {
  readonly asDouble?: number;
  readonly asInt?: Int64;
  readonly exemplars?: readonly Exemplar[];
}

export interface Exemplar {
  readonly filteredAttributes?: AttributeMap;
  readonly timeUnixNano?: Int64;
  readonly asDouble?: number;
  readonly asInt?: Int64;
  readonly spanId?: Id;
  readonly traceId?: Id;
}

export interface HistogramPoint extends Point {
  readonly count?: Int64;
  readonly sum?: number;
  readonly bucketCounts?: readonly Int64[];
  readonly explicitBounds?: readonly number[];
  readonly exemplars?: readonly Exemplar[];
  readonly min?: number;
  readonly max?: number;
}

interface Buckets {
  readonly offset?: number;
  readonly bucketCounts?: readonly Int64[];
}

export interface ExponentialHistogramPoint extends Point {
  readonly count?: Int64;
  readonly sum?: number;
  readonly scale?: number;
  readonly zeroCount?: Int64;
  readonly positive?: Buckets;
  readonly negative?: Buckets;
  readonly exemplars?: readonly Exemplar[];
  readonly min?: number;
  readonly max?: number;
  readonly zeroThreshold?: number;
}

export interface SummaryPoint extends Point {
  readonly count?: Int64;
  readonly sum?: number;
  readonly quantileValues?: readonly { readonly quantile?: number; readonly value?: number }[];
}

export interface ExportResponse {
  readonly partialSuccess?: {
    readonly rejectedSpans?: Int64;
    readonly rejectedLogRecords?: Int64;
    readonly rejectedDataPoints?: Int64;
    readonly errorMessage?: string;
  };
}

/** `google.rpc.Status`, its details reduced to the one that OTLP uses. */
export interface Status {
  readonly code?: number;
  readonly message?: string;
  readonly retryDelaySeconds?: number;
}
