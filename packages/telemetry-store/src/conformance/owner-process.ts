/** Test process: opens a store on the directory given, tells the engine's pid, and waits to be killed. */
import { silentLogger } from '@candela/kernel';
import { openTelemetryStore } from '../client/open.ts';

const store = await openTelemetryStore({
  kind: 'embedded',
  dataDir: process.argv[2] ?? '',
  logger: silentLogger,
});
process.send?.(store.health().pid);
setInterval(() => {}, 1_000);
