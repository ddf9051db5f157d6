import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { openIngestLog, openTelemetryStore } from '@candela/telemetry-store';
import { type AckLoad, type AckReport, compareWithStore } from '@candela/testkit';

/** Opens log and store of a stopped platform, lets the log empty, and holds the clients' memory against the rows. */
export async function compareWithData(dataDir: string, load: AckLoad, service: string): Promise<AckReport> {
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
    const rows = await store.select<{ traceId: string; spans: string; distinctSpans: string }>(
      'SELECT TraceId AS traceId, count() AS spans, uniqExact(SpanId) AS distinctSpans FROM otel_traces WHERE ServiceName = {service:String} GROUP BY TraceId',
      { service },
      { timeoutMs: 300_000, maxRowsToRead: 1_000_000_000, maxResultRows: 50_000_000 },
    );
    return compareWithStore(
      load,
      rows.map((row) => ({ ...row, spans: Number(row.spans), distinctSpans: Number(row.distinctSpans) })),
    );
  } finally {
    await log.close();
    await store.close();
  }
}
