import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { openTelemetryStore, type TelemetryStore } from '@candela/telemetry-store';

/** Opens the embedded store of a platform that is not running, below its data folder. */
export function openStoreOf(dataDir: string): Promise<TelemetryStore> {
  return openTelemetryStore({ kind: 'embedded', dataDir: join(dataDir, 'telemetry'), logger: silentLogger });
}
