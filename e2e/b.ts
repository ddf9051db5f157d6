import { mkdtempSync, rmSync } from 'node:fs';
import { execSync } from 'node:child_process';
import { openTelemetryStore } from '@candela/telemetry-store';
import { silentLogger } from '@candela/kernel';
const dir = mkdtempSync('/tmp/bk-');
const store = await openTelemetryStore({
  kind: 'embedded',
  dataDir: dir + '/telemetry',
  logger: silentLogger,
});
console.log(
  (
    await store.select<{ n: string }>(
      "SELECT concat(database,'.',name,' ',engine,' ',toString(uuid),' ',toString(data_paths)) n FROM system.tables WHERE database NOT IN ('system','INFORMATION_SCHEMA','information_schema')",
    )
  )
    .map((x) => x.n)
    .join('\n'),
);
await store.command(
  "INSERT INTO otel_logs (ProjectId, Environment, Body, Timestamp) VALUES ('default','x','hello',now64(9))",
);
await store.command("ALTER TABLE otel_logs FREEZE WITH NAME 'bk1'");
console.log(
  execSync(
    `cd ${dir}/telemetry && find . -maxdepth 6 | grep -v "store/.*/.*/.*/" | head -80; find . -path "*shadow*" | head -40; ls -la . *`,
  ).toString(),
);
await store.close();
rmSync(dir, { recursive: true });
