import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { count, timeSchema } from '../telemetry/common.ts';

/** Bounds of SQL that people write. */
export const SQL_BOUNDS = { query: 8_192, rows: 1_000, downloadRows: 10_000 } as const;

export const sqlColumnSchema = z.object({
  name: z.string(),
  type: z
    .string()
    .meta({ description: "ClickHouse's name of the type, e.g. UInt64 or LowCardinality(String)." }),
});

export const sqlResultSchema = z
  .object({
    columns: z.array(sqlColumnSchema),
    rows: z
      .array(z.array(z.unknown()))
      .meta({ description: '64-bit integers are texts: JSON numbers lose digits.' }),
    truncated: z.boolean().meta({ description: 'There are more rows than these.' }),
    stats: z.object({ rowsRead: count, bytesRead: count, elapsedMs: z.number() }),
  })
  .meta({ id: 'SqlResult' });
export type SqlResult = z.output<typeof sqlResultSchema>;

export const executeSql = defineRoute({
  id: 'executeSql',
  method: 'POST',
  path: '/api/chat/message/execute',
  tag: 'Assistant',
  summary: 'Runs one SELECT over traces and metrics',
  permission: reads('chat'),
  shared: true,
  body: z.strictObject({
    query: z
      .string()
      .max(SQL_BOUNDS.query)
      .meta({
        description:
          'ClickHouse SQL over otel_traces and the otel_metrics tables. They hold the rows of the project, the environment and the time range of the request and nothing else.',
        examples: [
          'SELECT ServiceName, count() AS spans FROM otel_traces GROUP BY ServiceName ORDER BY spans DESC',
        ],
      }),
    from: timeSchema.default('-7d'),
    to: timeSchema.default('now'),
    limit: z.int().min(1).max(SQL_BOUNDS.downloadRows).default(SQL_BOUNDS.rows),
  }),
  response: z.object({ data: sqlResultSchema }),
  errors: ['sql_refused', 'refused', 'query_too_expensive', 'overloaded', 'store_unavailable'],
});

const columnSchema = z.object({ name: z.string(), type: z.string(), about: z.string() });

export const describeSql = defineRoute({
  id: 'describeSql',
  method: 'GET',
  path: '/api/chat/sql/schema',
  tag: 'Assistant',
  summary: 'Tables and columns that SQL may read, and the functions that it may call',
  permission: reads('chat'),
  response: z.object({
    data: z.object({
      tables: z.array(z.object({ name: z.string(), about: z.string(), columns: z.array(columnSchema) })),
      functions: z.array(z.string()),
    }),
  }),
});
