-- The series of metrics. Columns: rollups/metric-series.ts; the number of a series: schema/series-id.ts.
-- Points carry the number of their series, so that charts read no attributes. Points stored before have it worked out
-- when they are read.

${add_column:otel_metrics_gauge:SeriesId UInt64 MATERIALIZED cityHash64('gauge', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))}

${add_column:otel_metrics_sum:SeriesId UInt64 MATERIALIZED cityHash64('sum', MetricName, MetricUnit, Environment, AggregationTemporality, IsMonotonic, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))}

${add_column:otel_metrics_histogram:SeriesId UInt64 MATERIALIZED cityHash64('histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))}

${add_column:otel_metrics_exponential_histogram:SeriesId UInt64 MATERIALIZED cityHash64('exponential_histogram', MetricName, MetricUnit, Environment, AggregationTemporality, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))}

${add_column:otel_metrics_summary:SeriesId UInt64 MATERIALIZED cityHash64('summary', MetricName, MetricUnit, Environment, ScopeName, ScopeVersion, mapSort(Attributes), mapSort(ResourceAttributes), mapSort(ScopeAttributes))}

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
  `LastPoint` SimpleAggregateFunction(max, Tuple(Int64, Float64))
)
ENGINE = ${aggregating_merge_tree:metric_series}
PARTITION BY (RetentionDays, ReceivedDay)
ORDER BY (ProjectId, MetricName, Kind, SeriesId, Environment, MetricUnit, Temporality, Monotonic, ServiceName,
  ScopeName, ScopeVersion)
TTL ReceivedDay + toIntervalDay(1 + if(RetentionDays = 0, 25000, least(RetentionDays, 25000)))
SETTINGS ${settings};

${distributed:metric_series:cityHash64(ServiceName, MetricName)}

${backfill:metric_series}
