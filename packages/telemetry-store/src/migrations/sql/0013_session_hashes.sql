-- Lists of sessions and users whose filter only the spans know read of every matching span whose it is: numbers cost a
-- fraction of ids. Spans stored before have them worked out when they are read.

${add_column:otel_traces:SessionHash UInt64 MATERIALIZED cityHash64(SessionId)}
${add_column:otel_traces:UserHash UInt64 MATERIALIZED cityHash64(UserId)}
