-- Attributes that charts ask for most, as columns of their own: schema/attribute-columns.ts.
-- Spans stored before get them in the background, from their attributes; until then the engine works them out when they
-- are read. A start does not wait for that. The parts keep their other columns as they are: little is written again.

${add_column:otel_traces:HttpRoute LowCardinality(String) MATERIALIZED SpanAttributes['http.route']}

${add_column:otel_traces:HttpRequestMethod LowCardinality(String) MATERIALIZED SpanAttributes['http.request.method']}

${add_column:otel_traces:HttpResponseStatusCode LowCardinality(String) MATERIALIZED SpanAttributes['http.response.status_code']}

${add_column:otel_traces:ServerAddress LowCardinality(String) MATERIALIZED SpanAttributes['server.address']}

${add_column:otel_traces:DbSystemName LowCardinality(String) MATERIALIZED SpanAttributes['db.system.name']}

${add_column:otel_traces:DbCollectionName LowCardinality(String) MATERIALIZED SpanAttributes['db.collection.name']}

${add_column:otel_traces:DbOperationName LowCardinality(String) MATERIALIZED SpanAttributes['db.operation.name']}

${add_column:otel_traces:RpcMethod LowCardinality(String) MATERIALIZED SpanAttributes['rpc.method']}

${add_column:otel_traces:MessagingDestinationName LowCardinality(String) MATERIALIZED SpanAttributes['messaging.destination.name']}

${add_column:otel_traces:McpMethodName LowCardinality(String) MATERIALIZED SpanAttributes['mcp.method.name']}

ALTER TABLE ${table:otel_traces}${on_cluster}
  MATERIALIZE COLUMN HttpRoute,
  MATERIALIZE COLUMN HttpRequestMethod,
  MATERIALIZE COLUMN HttpResponseStatusCode,
  MATERIALIZE COLUMN ServerAddress,
  MATERIALIZE COLUMN DbSystemName,
  MATERIALIZE COLUMN DbCollectionName,
  MATERIALIZE COLUMN DbOperationName,
  MATERIALIZE COLUMN RpcMethod,
  MATERIALIZE COLUMN MessagingDestinationName,
  MATERIALIZE COLUMN McpMethodName
SETTINGS mutations_sync = 0;
