import { aggregate } from './aggregate.ts';
import { describe } from './describe.ts';
import { getPrompt } from './get-prompt.ts';
import { getSpan } from './get-span.ts';
import { getTrace } from './get-trace.ts';
import { listExceptions } from './list-exceptions.ts';
import { list } from './list.ts';
import { queryMetric } from './query-metric.ts';
import { runSql } from './run-sql.ts';
import { search } from './search.ts';
import type { Tool } from './tool.ts';

/** Every tool; the registry. */
export const TOOLS: readonly Tool[] = [
  describe,
  search,
  getTrace,
  getSpan,
  aggregate,
  queryMetric,
  runSql,
  listExceptions,
  list,
  getPrompt,
];
