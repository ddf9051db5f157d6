/**
 * Span attributes that have a column beside the map, because charts and filters ask for them most: reading a key of the
 * map unpacks all values of all attributes, the column a fraction of a byte a span. The engine fills them from the map,
 * so that writers know nothing of them. Only keys of few values: columns are
 * dictionaries.
 */
export const ATTRIBUTE_COLUMNS: ReadonlyMap<string, string> = new Map([
  ['http.route', 'HttpRoute'],
  ['http.request.method', 'HttpRequestMethod'],
  ['http.response.status_code', 'HttpResponseStatusCode'],
  ['server.address', 'ServerAddress'],
  ['db.system.name', 'DbSystemName'],
  ['db.collection.name', 'DbCollectionName'],
  ['db.operation.name', 'DbOperationName'],
  ['rpc.method', 'RpcMethod'],
  ['messaging.destination.name', 'MessagingDestinationName'],
  ['mcp.method.name', 'McpMethodName'],
]);
