import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { openTelemetryStore, type TelemetryStore } from '@candela/telemetry-store';

/** Opens the embedded store of a platform that is not running, below its data folder. */
export function openStoreOf(
  dataDir: string,
  { textIndex = false }: { readonly textIndex?: boolean } = {},
): Promise<TelemetryStore> {
  return openTelemetryStore({
    kind: 'embedded',
    dataDir: join(dataDir, 'telemetry'),
    textIndex,
    logger: silentLogger,
  });
}

export interface MergedSize {
  readonly bytesPerSpan: number;
  /** The largest columns. */
  readonly columns: readonly { readonly name: string; readonly bytesPerSpan: number }[];
}

/** Merges the spans down to one part a partition and tells what they take on disk, indexes included. */
export async function mergedSize(store: TelemetryStore): Promise<MergedSize> {
  await store.command('OPTIMIZE TABLE otel_traces FINAL');
  const [parts] = await store.select<{ bytes: string; spans: string }>(
    "SELECT sum(bytes_on_disk) AS bytes, sum(rows) AS spans FROM system.parts WHERE active AND table = 'otel_traces'",
  );
  const spans = Number(parts?.spans ?? 0);
  const columns = await store.select<{ name: string; bytes: string }>(
    `SELECT column AS name, sum(column_data_compressed_bytes) AS bytes FROM system.parts_columns
     WHERE active AND table = 'otel_traces' GROUP BY name ORDER BY bytes DESC LIMIT 8`,
  );
  return {
    bytesPerSpan: Number(parts?.bytes ?? 0) / spans,
    columns: columns.map(({ name, bytes }) => ({ name, bytesPerSpan: Number(bytes) / spans })),
  };
}
