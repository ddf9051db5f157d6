/** Questions with their statements that the instructions show. All of them are on the golden list, which is run. */
export const EXAMPLES: readonly { readonly question: string; readonly sql: string }[] = [
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
];
