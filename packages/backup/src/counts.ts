import type { TelemetryStore } from '@candela/telemetry-store';
import type { Count } from './manifest.ts';

/** Rows that records of telemetry are, and what tells one from another. */
const HASHED: readonly (readonly [table: string, columns: string])[] = [
  ['otel_traces', 'TraceId, SpanId, Timestamp, SpanName, ServiceName, CostUsd'],
  ['otel_logs', 'Timestamp, TraceId, ServiceName, Body'],
  ...['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'].map(
    (kind) => [`otel_metrics_${kind}`, 'TimeUnix, MetricName, ServiceName'] as const,
  ),
];

/** How many rows each project has, with a hash over what tells them apart. */
export async function countsOf(store: Pick<TelemetryStore, 'select'>): Promise<Count[]> {
  const counts: Count[] = [];
  for (const [table, columns] of HASHED) {
    const rows = await store.select<{ Project: string; Rows: string; Hash: string }>(
      `SELECT ProjectId AS Project, toString(count()) AS Rows, hex(groupBitXor(cityHash64(${columns}))) AS Hash
       FROM ${table} GROUP BY Project ORDER BY Project`,
      {},
      { timeoutMs: 600_000 },
    );
    for (const { Project, Rows, Hash } of rows) {
      counts.push({ table, project: Project, rows: Number(Rows), hash: Hash });
    }
  }
  return counts;
}

/** A line for each project and table that is not as it was. */
export function differences(then: readonly Count[], now: readonly Count[]): string[] {
  const key = ({ table, project }: Count): string => JSON.stringify([table, project]);
  const found = new Map(now.map((count) => [key(count), count]));
  const lines = then.flatMap((was) => {
    const is = found.get(key(was));
    found.delete(key(was));
    if (is?.rows === was.rows && is.hash === was.hash) return [];
    const what = is === undefined ? 'no rows' : `${is.rows} rows`;
    return [`${was.table} of project ${was.project}: ${what}, ${was.rows} were backed up`];
  });
  return [
    ...lines,
    ...[...found.values()].map(
      ({ table, project, rows }) => `${table} of project ${project}: ${rows} rows, none were backed up`,
    ),
  ];
}
