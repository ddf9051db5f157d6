/** Questions that no table of fields and figures makes: by time, in shares, of attributes, of metrics. */
export const HANDWRITTEN: readonly { readonly question: string; readonly sql: string }[] = [
  {
    question: 'What did each model cost?',
    sql: 'SELECT GenAiRequestModel AS model, sum(CostUsd) AS cost FROM otel_traces WHERE CountsUsage = 1 GROUP BY model ORDER BY cost DESC LIMIT 20',
  },
  {
    question: 'How many requests and errors were there by hour?',
    sql: "SELECT toStartOfHour(Timestamp) AS time, count() AS spans, countIf(StatusCode = 'Error') AS errors FROM otel_traces GROUP BY time ORDER BY time",
  },
  {
    question: 'Which services are slowest?',
    sql: 'SELECT ServiceName AS service, quantile(0.95)(Duration) / 1e6 AS p95_ms FROM otel_traces WHERE Ended = 1 GROUP BY service ORDER BY p95_ms DESC LIMIT 20',
  },
  {
    question: 'Which tools fail most?',
    sql: "SELECT ToolName AS tool, countIf(StatusCode = 'Error') AS errors, count() AS calls FROM otel_traces WHERE ToolName != '' GROUP BY tool ORDER BY errors DESC LIMIT 20",
  },
  {
    question: 'How did cost develop by day?',
    sql: 'SELECT toStartOfDay(Timestamp) AS day, sum(CostUsd) AS cost FROM otel_traces WHERE CountsUsage = 1 GROUP BY day ORDER BY day',
  },
  {
    question: 'How many calls a minute were there?',
    sql: 'SELECT toStartOfMinute(Timestamp) AS minute, count() AS calls FROM otel_traces GROUP BY minute ORDER BY minute',
  },
  {
    question: 'What are the ten slowest spans?',
    sql: 'SELECT TraceId, SpanId, SpanName, Duration / 1e6 AS ms FROM otel_traces WHERE Ended = 1 ORDER BY Duration DESC, SpanId LIMIT 10',
  },
  {
    question: 'What are the ten dearest model calls?',
    sql: 'SELECT TraceId, SpanId, GenAiRequestModel, CostUsd FROM otel_traces WHERE CountsUsage = 1 AND CostUsd IS NOT NULL ORDER BY CostUsd DESC, SpanId LIMIT 10',
  },
  {
    question: 'Which share of the cost does each provider have?',
    sql: 'SELECT GenAiProvider AS provider, sum(CostUsd) AS cost, cost / (SELECT sum(CostUsd) FROM otel_traces WHERE CountsUsage = 1) AS share FROM otel_traces WHERE CountsUsage = 1 GROUP BY provider ORDER BY cost DESC',
  },
  {
    question: 'How often is each HTTP route called?',
    sql: "SELECT SpanAttributes['http.route'] AS route, count() AS calls FROM otel_traces WHERE route != '' GROUP BY route ORDER BY calls DESC LIMIT 50",
  },
  {
    question: 'Which error types occur?',
    sql: "SELECT ErrorType AS type, count() AS errors FROM otel_traces WHERE StatusCode = 'Error' GROUP BY type ORDER BY errors DESC LIMIT 20",
  },
  {
    question: 'How long does the first token take by model?',
    sql: 'SELECT GenAiRequestModel AS model, quantile(0.5)(TimeToFirstTokenMs) AS p50, quantile(0.95)(TimeToFirstTokenMs) AS p95 FROM otel_traces WHERE TimeToFirstTokenMs IS NOT NULL GROUP BY model ORDER BY p95 DESC',
  },
  {
    question: 'How many tokens a second does each model write?',
    sql: "SELECT GenAiRequestModel AS model, sum(OutputTokens + ReasoningTokens) / (sum(Duration) / 1e9) AS tokens_per_second FROM otel_traces WHERE CountsUsage = 1 AND Ended = 1 AND GenAiOperation = 'chat' GROUP BY model ORDER BY tokens_per_second DESC",
  },
  {
    question: 'Which share of input tokens came from a cache?',
    sql: 'SELECT GenAiRequestModel AS model, sum(CacheReadTokens) / greatest(1, sum(InputTokens + CacheReadTokens + CacheWriteTokens)) AS share FROM otel_traces WHERE CountsUsage = 1 GROUP BY model ORDER BY share DESC',
  },
  {
    question: 'Which sessions are dearest?',
    sql: "SELECT SessionId AS session, sum(CostUsd) AS cost, count() AS calls FROM otel_traces WHERE CountsUsage = 1 AND SessionId != '' GROUP BY session ORDER BY cost DESC LIMIT 20",
  },
  {
    question: 'How many users were active each day?',
    sql: "SELECT toDate(Timestamp) AS day, uniqExact(UserId) AS users FROM otel_traces WHERE UserId != '' GROUP BY day ORDER BY day",
  },
  {
    question: 'Which traces have the most spans?',
    sql: 'SELECT TraceId, count() AS spans FROM otel_traces GROUP BY TraceId ORDER BY spans DESC, TraceId LIMIT 10',
  },
  {
    question: 'Which root operations fail most often?',
    sql: "SELECT SpanName AS operation, countIf(StatusCode = 'Error') / count() AS error_rate, count() AS calls FROM otel_traces WHERE ParentSpanId = '' GROUP BY operation HAVING calls > 0 ORDER BY error_rate DESC LIMIT 20",
  },
  {
    question: 'How do the last and the hour before compare?',
    sql: 'SELECT Timestamp >= now() - INTERVAL 1 HOUR AS is_last, count() AS spans FROM otel_traces WHERE Timestamp >= now() - INTERVAL 2 HOUR GROUP BY is_last ORDER BY is_last',
  },
  {
    question: 'What do calls of each model cost on average?',
    sql: 'SELECT GenAiRequestModel AS model, avg(CostUsd) AS mean_cost FROM otel_traces WHERE CountsUsage = 1 AND CostUsd IS NOT NULL GROUP BY model ORDER BY mean_cost DESC',
  },
  {
    question: 'Which services call which providers?',
    sql: "SELECT ServiceName AS service, GenAiProvider AS provider, count() AS calls FROM otel_traces WHERE GenAiProvider != '' GROUP BY service, provider ORDER BY calls DESC",
  },
  {
    question: 'How many model calls does a trace make?',
    sql: "SELECT avg(calls) AS mean, max(calls) AS most FROM (SELECT TraceId, countIf(GenAiOperation = 'chat') AS calls FROM otel_traces GROUP BY TraceId)",
  },
  {
    question: 'Which spans have events named exception?',
    sql: "SELECT SpanName AS operation, count() AS spans FROM otel_traces WHERE has(`Events.Name`, 'exception') GROUP BY operation ORDER BY spans DESC LIMIT 20",
  },
  {
    question: 'What is the total by week?',
    sql: 'SELECT toStartOfWeek(Timestamp) AS week, count() AS spans FROM otel_traces GROUP BY week ORDER BY week',
  },
  {
    question: 'Which prompts and versions are used?',
    sql: "SELECT PromptName AS prompt, PromptVersion AS version, count() AS calls FROM otel_traces WHERE PromptName != '' GROUP BY prompt, version ORDER BY calls DESC",
  },
  {
    question: 'How are durations distributed?',
    sql: 'SELECT floor(log2(greatest(1, Duration / 1e6))) AS power, count() AS spans FROM otel_traces WHERE Ended = 1 GROUP BY power ORDER BY power',
  },
  {
    question: 'Which metrics are there?',
    sql: 'SELECT MetricName AS metric, count() AS points FROM otel_metrics_gauge GROUP BY metric ORDER BY points DESC LIMIT 50',
  },
  {
    question: 'What is the newest value of each gauge?',
    sql: 'SELECT MetricName AS metric, argMax(Value, TimeUnix) AS newest FROM otel_metrics_gauge GROUP BY metric ORDER BY metric',
  },
  {
    question: 'How much did counters grow?',
    sql: 'SELECT MetricName AS metric, max(Value) - min(Value) AS grew FROM otel_metrics_sum WHERE AggregationTemporality = 2 GROUP BY metric ORDER BY grew DESC',
  },
  {
    question: 'What is the mean of each histogram?',
    sql: 'SELECT MetricName AS metric, sum(Sum) / greatest(1, sum(Count)) AS mean FROM otel_metrics_histogram GROUP BY metric ORDER BY metric',
  },
];
