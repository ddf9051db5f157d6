-- Lists of traces whose filter only the spans know read of every matching span whose it is, and charts count traces: numbers
-- cost a fraction of ids. Spans stored before get theirs in the background; until then they are worked out when they are read.

${add_column:otel_traces:TraceHash UInt64 MATERIALIZED cityHash64(TraceId)}

ALTER TABLE ${table:otel_traces}${on_cluster} MATERIALIZE COLUMN TraceHash SETTINGS mutations_sync = 0;
