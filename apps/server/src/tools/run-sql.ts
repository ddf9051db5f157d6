import { SQL_BOUNDS, type SqlResult } from '@candela/contract';
import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool, listed, windowInput } from './tool.ts';

export const runSql = defineTool({
  id: 'run_sql',
  title: 'Run SQL',
  about:
    'One ClickHouse SELECT over otel_traces and otel_metrics_*; they hold the project and time range asked for only. Filter CountsUsage = 1 before summing tokens or CostUsd. Duration is in nanoseconds.',
  input: z.object({
    query: z.string().max(SQL_BOUNDS.query),
    ...windowInput,
    limit: z.int().min(1).max(SQL_BOUNDS.rows).default(100),
  }),
  routes: ['executeSql'],
  effect: 'read',
  async run(call, input) {
    const answer = listed(await call('executeSql', { body: defined(input) }));
    return { ...answer, table: answer.data as SqlResult };
  },
});
