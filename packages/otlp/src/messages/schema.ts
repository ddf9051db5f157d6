/** How a field is written. `id` is bytes that JSON has as hex; `attributes` is a repeated KeyValue. */
export type Scalar =
  | 'string'
  | 'bool'
  | 'uint32'
  | 'enum'
  | 'int32'
  | 'sint32'
  | 'fixed32'
  | 'fixed64'
  | 'sfixed64'
  | 'uint64'
  | 'int64'
  | 'double'
  | 'id'
  | 'bytes'
  | 'any'
  | 'attributes';

export interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: Scalar | Message;
  readonly repeated: boolean;
}

/** A message: its name for error messages and its fields. */
export interface Message {
  readonly name: string;
  readonly fields: readonly Field[];
}

const one = (number: number, name: string, type: Scalar | Message): Field => ({
  number,
  name,
  type,
  repeated: false,
});
const many = (number: number, name: string, type: Scalar | Message): Field => ({
  number,
  name,
  type,
  repeated: true,
});
const message = (name: string, ...fields: Field[]): Message => ({ name, fields });

const RESOURCE = message(
  'Resource',
  one(1, 'attributes', 'attributes'),
  one(2, 'droppedAttributesCount', 'uint32'),
);
const SCOPE = message(
  'InstrumentationScope',
  one(1, 'name', 'string'),
  one(2, 'version', 'string'),
  one(3, 'attributes', 'attributes'),
  one(4, 'droppedAttributesCount', 'uint32'),
);

export const EVENT = message(
  'Event',
  one(1, 'timeUnixNano', 'fixed64'),
  one(2, 'name', 'string'),
  one(3, 'attributes', 'attributes'),
  one(4, 'droppedAttributesCount', 'uint32'),
);

const SPAN = message(
  'Span',
  one(1, 'traceId', 'id'),
  one(2, 'spanId', 'id'),
  one(3, 'traceState', 'string'),
  one(4, 'parentSpanId', 'id'),
  one(5, 'name', 'string'),
  one(6, 'kind', 'enum'),
  one(7, 'startTimeUnixNano', 'fixed64'),
  one(8, 'endTimeUnixNano', 'fixed64'),
  one(9, 'attributes', 'attributes'),
  one(10, 'droppedAttributesCount', 'uint32'),
  many(11, 'events', EVENT),
  one(12, 'droppedEventsCount', 'uint32'),
  many(
    13,
    'links',
    message(
      'Link',
      one(1, 'traceId', 'id'),
      one(2, 'spanId', 'id'),
      one(3, 'traceState', 'string'),
      one(4, 'attributes', 'attributes'),
      one(5, 'droppedAttributesCount', 'uint32'),
      one(6, 'flags', 'fixed32'),
    ),
  ),
  one(14, 'droppedLinksCount', 'uint32'),
  one(15, 'status', message('Status', one(2, 'message', 'string'), one(3, 'code', 'enum'))),
  one(16, 'flags', 'fixed32'),
);

const LOG_RECORD = message(
  'LogRecord',
  one(1, 'timeUnixNano', 'fixed64'),
  one(2, 'severityNumber', 'enum'),
  one(3, 'severityText', 'string'),
  one(5, 'body', 'any'),
  one(6, 'attributes', 'attributes'),
  one(7, 'droppedAttributesCount', 'uint32'),
  one(8, 'flags', 'fixed32'),
  one(9, 'traceId', 'id'),
  one(10, 'spanId', 'id'),
  one(11, 'observedTimeUnixNano', 'fixed64'),
  one(12, 'eventName', 'string'),
);

const EXEMPLAR = message(
  'Exemplar',
  one(2, 'timeUnixNano', 'fixed64'),
  one(3, 'asDouble', 'double'),
  one(4, 'spanId', 'id'),
  one(5, 'traceId', 'id'),
  one(6, 'asInt', 'sfixed64'),
  one(7, 'filteredAttributes', 'attributes'),
);
const NUMBER_POINT = message(
  'NumberDataPoint',
  one(2, 'startTimeUnixNano', 'fixed64'),
  one(3, 'timeUnixNano', 'fixed64'),
  one(4, 'asDouble', 'double'),
  many(5, 'exemplars', EXEMPLAR),
  one(6, 'asInt', 'sfixed64'),
  one(7, 'attributes', 'attributes'),
  one(8, 'flags', 'uint32'),
);
const HISTOGRAM_POINT = message(
  'HistogramDataPoint',
  one(2, 'startTimeUnixNano', 'fixed64'),
  one(3, 'timeUnixNano', 'fixed64'),
  one(4, 'count', 'fixed64'),
  one(5, 'sum', 'double'),
  many(6, 'bucketCounts', 'fixed64'),
  many(7, 'explicitBounds', 'double'),
  many(8, 'exemplars', EXEMPLAR),
  one(9, 'attributes', 'attributes'),
  one(10, 'flags', 'uint32'),
  one(11, 'min', 'double'),
  one(12, 'max', 'double'),
);
const BUCKETS = message('Buckets', one(1, 'offset', 'sint32'), many(2, 'bucketCounts', 'uint64'));
const EXPONENTIAL_POINT = message(
  'ExponentialHistogramDataPoint',
  one(1, 'attributes', 'attributes'),
  one(2, 'startTimeUnixNano', 'fixed64'),
  one(3, 'timeUnixNano', 'fixed64'),
  one(4, 'count', 'fixed64'),
  one(5, 'sum', 'double'),
  one(6, 'scale', 'sint32'),
  one(7, 'zeroCount', 'fixed64'),
  one(8, 'positive', BUCKETS),
  one(9, 'negative', BUCKETS),
  one(10, 'flags', 'uint32'),
  many(11, 'exemplars', EXEMPLAR),
  one(12, 'min', 'double'),
  one(13, 'max', 'double'),
  one(14, 'zeroThreshold', 'double'),
);
const SUMMARY_POINT = message(
  'SummaryDataPoint',
  one(2, 'startTimeUnixNano', 'fixed64'),
  one(3, 'timeUnixNano', 'fixed64'),
  one(4, 'count', 'fixed64'),
  one(5, 'sum', 'double'),
  many(
    6,
    'quantileValues',
    message('ValueAtQuantile', one(1, 'quantile', 'double'), one(2, 'value', 'double')),
  ),
  one(7, 'attributes', 'attributes'),
  one(8, 'flags', 'uint32'),
);

const temporality = one(2, 'aggregationTemporality', 'enum');
const METRIC = message(
  'Metric',
  one(1, 'name', 'string'),
  one(2, 'description', 'string'),
  one(3, 'unit', 'string'),
  one(5, 'gauge', message('Gauge', many(1, 'dataPoints', NUMBER_POINT))),
  one(
    7,
    'sum',
    message('Sum', many(1, 'dataPoints', NUMBER_POINT), temporality, one(3, 'isMonotonic', 'bool')),
  ),
  one(9, 'histogram', message('Histogram', many(1, 'dataPoints', HISTOGRAM_POINT), temporality)),
  one(
    10,
    'exponentialHistogram',
    message('ExponentialHistogram', many(1, 'dataPoints', EXPONENTIAL_POINT), temporality),
  ),
  one(11, 'summary', message('Summary', many(1, 'dataPoints', SUMMARY_POINT))),
);

/** The three requests have the same shape down to their records. */
function request(name: string, suffix: string, records: Field): Message {
  const scoped = message(
    `Scope${suffix}`,
    one(1, 'scope', SCOPE),
    { ...records, number: 2 },
    one(3, 'schemaUrl', 'string'),
  );
  const resourced = message(
    `Resource${suffix}`,
    one(1, 'resource', RESOURCE),
    many(2, `scope${suffix}`, scoped),
    one(3, 'schemaUrl', 'string'),
  );
  return message(name, many(1, `resource${suffix}`, resourced));
}

export const TRACE_REQUEST = request('ExportTraceServiceRequest', 'Spans', many(2, 'spans', SPAN));
export const LOGS_REQUEST = request('ExportLogsServiceRequest', 'Logs', many(2, 'logRecords', LOG_RECORD));
export const METRICS_REQUEST = request('ExportMetricsServiceRequest', 'Metrics', many(2, 'metrics', METRIC));

const response = (name: string, rejected: string): Message =>
  message(
    name,
    one(
      1,
      'partialSuccess',
      message('PartialSuccess', one(1, rejected, 'int64'), one(2, 'errorMessage', 'string')),
    ),
  );
export const TRACE_RESPONSE = response('ExportTraceServiceResponse', 'rejectedSpans');
export const LOGS_RESPONSE = response('ExportLogsServiceResponse', 'rejectedLogRecords');
export const METRICS_RESPONSE = response('ExportMetricsServiceResponse', 'rejectedDataPoints');

const DURATION = message('Duration', one(1, 'seconds', 'int64'), one(2, 'nanos', 'int32'));
export const RETRY_INFO = message('RetryInfo', one(1, 'retryDelay', DURATION));
export const STATUS = message(
  'Status',
  one(1, 'code', 'int32'),
  one(2, 'message', 'string'),
  many(3, 'details', message('Any', one(1, 'typeUrl', 'string'), one(2, 'value', 'bytes'))),
);
