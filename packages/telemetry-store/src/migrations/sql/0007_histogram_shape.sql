-- Explicit buckets are added up and subtracted only among points of the same bounds. Points carry a number of theirs
-- (queries/metrics/increases.ts), so that charts do not read the bounds of every point to tell them apart. Points
-- stored before have it worked out when they are read.

${add_column:otel_metrics_histogram:ShapeId UInt64 MATERIALIZED cityHash64(ExplicitBounds, length(BucketCounts))}
