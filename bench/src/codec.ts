import { DEFAULT_LIMITS } from '@candela/otlp';
import { encodeRequest } from '@candela/telemetry-store';
import { traceBatches } from './codec-batches.ts';

const SPANS = 1000;

/**
 * How fast one thread turns protobuf trace requests into `Native` blocks: the processor's share of ingest.
 * `args`: seconds to measure (default 5).
 */
export async function run(args: readonly string[]): Promise<void> {
  const seconds = Number(args[0] ?? 5);
  const batches = traceBatches(40, SPANS);
  const bodyBytes = batches.reduce((sum, batch) => sum + batch.length, 0) / batches.length;
  const context = {
    projectId: 'default',
    environment: undefined,
    defaultEnvironment: 'production',
    receivedAtMs: 1_760_000_000_000,
    retentionDays: 30,
    limits: DEFAULT_LIMITS,
  };
  let spans = 0;
  let blockBytes = 0;
  const encodeAll = (): void => {
    for (const batch of batches) {
      const result = encodeRequest('traces', 'protobuf', batch, context);
      spans += result.accepted;
      blockBytes += result.blocks[0]?.bytes.length ?? 0;
    }
  };
  const warmUntil = performance.now() + 1000;
  while (performance.now() < warmUntil) encodeAll();
  spans = 0;
  blockBytes = 0;
  const started = performance.now();
  const cpu = process.cpuUsage();
  while (performance.now() - started < seconds * 1000) encodeAll();
  const used = process.cpuUsage(cpu);
  const elapsed = (performance.now() - started) / 1000;
  const line = {
    bench: 'codec',
    spansPerSecond: Math.round(spans / elapsed),
    spansPerCpuSecond: Math.round((spans * 1e6) / (used.user + used.system)),
    bodyBytesPerSpan: Math.round(bodyBytes / SPANS),
    blockBytesPerSpan: Math.round(blockBytes / spans),
    megabytesPerSecond: Math.round(((spans / SPANS) * bodyBytes) / elapsed / 1e6),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
