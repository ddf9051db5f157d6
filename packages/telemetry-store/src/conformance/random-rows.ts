import type { ClickHouseClient } from '@clickhouse/client';
import type { Table } from '../schema/tables.ts';

/** Few values for the columns that rows are grouped by, so that groups meet; the rest is what the type can hold. */
const FEW: Readonly<Record<string, string>> = {
  ProjectId: `['p', 'q'][1 + rand(1) % 2]`,
  Environment: `['production', 'test'][1 + rand(2) % 2]`,
  ReceivedAt: 'now64(3) - toIntervalDay(rand(3) % 2)',
  RetentionDays: '[30, 90][1 + rand(3) % 2]',
  Timestamp: 'now64(9) - toIntervalSecond(rand(5) % 9000)',
  TimeUnix: 'now64(9) - toIntervalSecond(rand(5) % 9000)',
  TraceId: `leftPad(hex(rand(6) % 40), 32, '0')`,
  SpanId: `leftPad(hex(rand(7)), 16, '0')`,
  ParentSpanId: `if(rand(8) % 3 = 0, '', leftPad(hex(rand(9)), 16, '0'))`,
  ServiceName: `['a', 'b', ''][1 + rand(10) % 3]`,
  MetricName: `['m', 'hw.n', ''][1 + rand(10) % 3]`,
  ResourceAttributes: `map('host.name', ['', 'h', 'i'][1 + rand(28) % 3])`,
  SpanName: `['x', 'y'][1 + rand(11) % 2]`,
  StatusCode: `['Error', 'Ok', 'Unset'][1 + rand(12) % 3]`,
  SpanKind: `['Server', 'Client'][1 + rand(13) % 2]`,
  SessionId: `['', 's', 't'][1 + rand(14) % 3]`,
  UserId: `['', 'u'][1 + rand(15) % 2]`,
  CountsUsage: '[0, 1, 1, 0, 2, 4, 6][1 + rand(16) % 7]',
  // Binary fractions: their sums are exact in any order.
  CostUsd: 'if(rand(17) % 3 = 0, NULL, (rand(18) % 1024) / 1024)',
  Value: '(rand(19) % 1024) / 1024',
  Sum: '(rand(19) % 1024) / 1024',
  GenAiOperation: `['', 'chat'][1 + rand(20) % 2]`,
  AgentName: `['', 'agent'][1 + rand(21) % 2]`,
  ToolName: `['', 'tool'][1 + rand(22) % 2]`,
  ErrorType: `['', 'timeout'][1 + rand(23) % 2]`,
  SeverityText: `['', 'ERROR', 'info'][1 + rand(24) % 3]`,
  SeverityNumber: '[0, 9, 17][1 + rand(25) % 3]',
  EventName: `['', 'exception', 'gen_ai.evaluation.result'][1 + rand(26) % 3]`,
  LogAttributes: `map('gen_ai.evaluation.name', ['', 'a', 'b'][1 + rand(29) % 3], 'platform.evaluation.id', ['', 'i', 'j'][1 + rand(30) % 3],
    'gen_ai.evaluation.score.value', ['', 'NaN', '0.5', '1'][1 + rand(31) % 4])`,
  ScopeName: `['', 'scope'][1 + rand(27) % 2]`,
};

/** What only has to be taken without a complaint: any value at all outside of tenant and time of arrival. */
const HOSTILE = new Set(['ProjectId', 'Environment', 'ReceivedAt', 'RetentionDays']);

/** A `Native` block of `rows` random rows of a table. `hostile`: nearly every column is any value of its type. */
export async function randomRows(
  engine: ClickHouseClient,
  table: Table,
  rows: number,
  seed: number,
  hostile = false,
): Promise<Uint8Array> {
  const structure = table.columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', ');
  const columns = table.columns.map(({ name, type }) => {
    const few = hostile && !HOSTILE.has(name) ? undefined : FEW[name];
    return `${few === undefined ? `\`${name}\`` : `CAST(${few} AS ${type})`} AS \`${name}\``;
  });
  const { stream } = await engine.exec({
    query: `SELECT ${columns.join(', ')} FROM (SELECT * FROM generateRandom({structure:String}, {seed:UInt64}, 12, 3) LIMIT {rows:UInt32})
      SETTINGS max_threads = 1, max_block_size = 1000000 FORMAT Native`,
    query_params: { structure, seed, rows },
  });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
