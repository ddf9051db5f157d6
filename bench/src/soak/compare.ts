import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { openIngestLog, openTelemetryStore } from '@candela/telemetry-store';
import { type AckLoad, type AckReport, type AckSignal, compareWithStore } from '@candela/testkit';

/** Where what `startAckLoad` sends of each signal is, and what names request and record there. */
const ROWS: Readonly<Record<AckSignal, string>> = {
  traces: 'TraceId AS trace, SpanId AS span FROM otel_traces',
  logs: 'TraceId AS trace, SpanId AS span FROM otel_logs',
  metrics: "Attributes['trace'] AS trace, Attributes['span'] AS span FROM otel_metrics_gauge",
};

/** Opens log and store of a stopped platform, lets the log empty, and holds the clients' memory against the rows. */
export async function compareWithData(
  dataDir: string,
  loads: Partial<Readonly<Record<AckSignal, AckLoad>>>,
  service: string,
): Promise<Map<AckSignal, AckReport>> {
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir: join(dataDir, 'telemetry'),
    logger: silentLogger,
  });
  const log = await openIngestLog({
    dir: join(dataDir, 'ingest-log'),
    store,
    logger: silentLogger,
    capBytes: 2 ** 33,
    minFreeDiskPercent: 0,
  });
  try {
    if (!(await log.flush(300_000))) throw new Error('the log did not empty within five minutes');
    const reports = new Map<AckSignal, AckReport>();
    for (const [signal, load] of Object.entries(loads) as [AckSignal, AckLoad][]) {
      const rows = await store.select<{ traceId: string; spans: string; distinctSpans: string }>(
        `SELECT trace AS traceId, count() AS spans, uniqExact(span) AS distinctSpans
         FROM (SELECT ${ROWS[signal]} WHERE ServiceName = {service:String}) GROUP BY trace`,
        { service },
        { timeoutMs: 300_000, maxRowsToRead: 1_000_000_000, maxResultRows: 50_000_000 },
      );
      const stored = rows.map((row) => ({
        ...row,
        spans: Number(row.spans),
        distinctSpans: Number(row.distinctSpans),
      }));
      reports.set(signal, compareWithStore(load, stored));
    }
    return reports;
  } finally {
    await log.close();
    await store.close();
  }
}
