-- The points of metrics, and the series they belong to. Points carry the number of their series (schema/series-id.ts), so that charts
-- read no attributes. Columns: schema/tables.ts, rollups/metric-series.ts.

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_gauge}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Value` Float64,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('gauge', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
)
ENGINE = ${merge_tree:otel_metrics_gauge}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:otel_metrics_gauge:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_sum}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Value` Float64,
  `AggregationTemporality` Int32,
  `IsMonotonic` Bool,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('sum', MetricName, MetricUnit, Environment, AggregationTemporality, IsMonotonic, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
)
ENGINE = ${merge_tree:otel_metrics_sum}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:otel_metrics_sum:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_histogram}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Count` UInt64,
  `Sum` Float64,
  `BucketCounts` Array(UInt64) CODEC(T64, LZ4),
  `ExplicitBounds` Array(Float64),
  `Min` Nullable(Float64),
  `Max` Nullable(Float64),
  `AggregationTemporality` Int32,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes)),
  `ShapeId` UInt64 MATERIALIZED cityHash64(ExplicitBounds, length(BucketCounts))
)
ENGINE = ${merge_tree:otel_metrics_histogram}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:otel_metrics_histogram:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_exponential_histogram}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Count` UInt64,
  `Sum` Float64,
  `Scale` Int32,
  `ZeroCount` UInt64,
  `ZeroThreshold` Float64,
  `PositiveOffset` Int32,
  `PositiveBucketCounts` Array(UInt64) CODEC(T64, LZ4),
  `NegativeOffset` Int32,
  `NegativeBucketCounts` Array(UInt64) CODEC(T64, LZ4),
  `Min` Nullable(Float64),
  `Max` Nullable(Float64),
  `AggregationTemporality` Int32,
  `Exemplars.FilteredAttributes` Array(Map(LowCardinality(String), String)),
  `Exemplars.TimeUnix` Array(DateTime64(9)),
  `Exemplars.Value` Array(Float64),
  `Exemplars.SpanId` Array(String),
  `Exemplars.TraceId` Array(String),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('exponential_histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
)
ENGINE = ${merge_tree:otel_metrics_exponential_histogram}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:otel_metrics_exponential_histogram:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:otel_metrics_summary}${on_cluster}
(
  `ResourceAttributes` Map(LowCardinality(String), String),
  `ResourceSchemaUrl` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `ScopeAttributes` Map(LowCardinality(String), String),
  `ScopeDroppedAttrCount` UInt32,
  `ScopeSchemaUrl` LowCardinality(String),
  `ServiceName` LowCardinality(String),
  `MetricName` LowCardinality(String),
  `MetricDescription` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Attributes` Map(LowCardinality(String), String),
  `StartTimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `TimeUnix` DateTime64(9) CODEC(Delta(8), Default),
  `Flags` UInt32,
  `Count` UInt64,
  `Sum` Float64,
  `ValueAtQuantiles.Quantile` Array(Float64),
  `ValueAtQuantiles.Value` Array(Float64),
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedAt` DateTime64(3) CODEC(Delta(8), Default),
  `RetentionDays` UInt16,
  `SeriesId` UInt64 MATERIALIZED cityHash64('summary', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))
)
ENGINE = ${merge_tree:otel_metrics_summary}
PARTITION BY (RetentionDays, toDate(ReceivedAt))
ORDER BY (ProjectId, MetricName, ServiceName, TimeUnix)
TTL toDateTime(ReceivedAt) + toIntervalDay(if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:otel_metrics_summary:cityHash64(ServiceName, MetricName)}

CREATE TABLE IF NOT EXISTS ${table:metric_series}${on_cluster}
(
  `ProjectId` LowCardinality(String),
  `Environment` LowCardinality(String),
  `ReceivedDay` Date,
  `RetentionDays` UInt16,
  `MetricName` LowCardinality(String),
  `Kind` LowCardinality(String),
  `MetricUnit` LowCardinality(String),
  `Temporality` Int32,
  `Monotonic` UInt8,
  `ServiceName` LowCardinality(String),
  `ScopeName` LowCardinality(String),
  `ScopeVersion` LowCardinality(String),
  `SeriesId` UInt64,
  `MetricDescription` SimpleAggregateFunction(max, String),
  `Attributes` SimpleAggregateFunction(any, Map(String, String)),
  `ResourceAttributes` SimpleAggregateFunction(any, Map(String, String)),
  `ScopeAttributes` SimpleAggregateFunction(any, Map(String, String)),
  `FirstNs` SimpleAggregateFunction(min, Int64),
  `LastNs` SimpleAggregateFunction(max, Int64),
  `Points` SimpleAggregateFunction(sum, UInt64),
  `LastPoint` SimpleAggregateFunction(max, Tuple(
      Int64,
      Float64)),
  `Host` LowCardinality(String) MATERIALIZED coalesce(nullIf(ResourceAttributes['host.name'], ''), nullIf(ResourceAttributes['host.id'], ''), nullIf(ResourceAttributes['k8s.node.name'], ''), '')
)
ENGINE = ${aggregating_merge_tree:metric_series}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, Kind, SeriesId, Environment, MetricUnit, Temporality, Monotonic, ServiceName, ScopeName, ScopeVersion)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:metric_series:cityHash64(ServiceName, MetricName)}
