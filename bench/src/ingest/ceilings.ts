import { mkdirSync, openSync, closeSync, fdatasync, writev } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger } from '@candela/kernel';
import { DEFAULT_LIMITS } from '@candela/otlp';
import { encodeRequest, openTelemetryStore } from '@candela/telemetry-store';
import { prepareBatch, type Texts } from '../data/spans.ts';
import { BenchRandom } from '../lib/random.ts';
import { mergedSize } from '../lib/store.ts';

const writevAsync = promisify(writev);
const syncAsync = promisify(fdatasync);

export interface Ceiling {
  readonly spansPerSecond: number;
  readonly megabytesPerSecond: number;
}

/** `count` batches, beginning with number `from`, as the `Native` blocks that the platform would make of them. */
export function prepareBlocks(
  count: number,
  texts: Texts = 'conversation',
  from = 0,
): { bytes: Uint8Array; rows: number }[] {
  const random = new BenchRandom(4_242 + from);
  return Array.from({ length: count }, (_, index) => {
    const batch = prepareBatch(from + index, 1_000, texts);
    batch.renew(random, BigInt(Date.now()) * 1_000_000n);
    const { blocks } = encodeRequest('traces', 'protobuf', batch.body, {
      projectId: 'default',
      environment: undefined,
      defaultEnvironment: 'production',
      receivedAtMs: Date.now(),
      retentionDays: 30,
      limits: DEFAULT_LIMITS,
    });
    const block = blocks[0];
    if (block === undefined) throw new Error('the encoder made no block');
    return { bytes: block.bytes, rows: block.rows };
  });
}

/** Ceiling (a): nothing but prepared blocks into the engine, `rowsPerInsert` at a time, for some seconds. */
export async function nativeCeiling(
  folder: string,
  blocks: readonly { bytes: Uint8Array; rows: number }[],
  options: { seconds: number; batchesPerInsert: number },
): Promise<Ceiling> {
  const dataDir = join(folder, 'ceiling');
  mkdirSync(dataDir, { recursive: true });
  const store = await openTelemetryStore({ kind: 'embedded', dataDir, logger: silentLogger });
  try {
    let [rows, bytes, number] = [0, 0, 0];
    const startedAt = performance.now();
    while (performance.now() - startedAt < options.seconds * 1_000) {
      const parts = Array.from(
        { length: options.batchesPerInsert },
        (_, index) => blocks[(number * options.batchesPerInsert + index) % blocks.length],
      ).filter((block) => block !== undefined);
      await store.insertNative(
        'otel_traces',
        parts.map((block) => block.bytes),
        `ceiling-${number++}`,
      );
      for (const block of parts) {
        rows += block.rows;
        bytes += block.bytes.length;
      }
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    return { spansPerSecond: rows / seconds, megabytesPerSecond: bytes / seconds / 1e6 };
  } finally {
    await store.close();
  }
}

/** Ceiling (b): the same blocks appended to a file, with an fdatasync for every group of requests. */
export async function fsyncCeiling(
  folder: string,
  blocks: readonly { bytes: Uint8Array; rows: number }[],
  options: { seconds: number; requestsPerSync: number },
): Promise<Ceiling> {
  const file = openSync(join(folder, 'fsync-only.log'), 'w');
  try {
    let [rows, bytes, number] = [0, 0, 0];
    const startedAt = performance.now();
    while (performance.now() - startedAt < options.seconds * 1_000) {
      const parts: Uint8Array[] = [];
      for (let index = 0; index < options.requestsPerSync; index++) {
        const block = blocks[number++ % blocks.length];
        if (block === undefined) break;
        parts.push(block.bytes);
        rows += block.rows;
        bytes += block.bytes.length;
      }
      // Overwrite after a while: the point is the syncs, not to fill the disk.
      await writevAsync(file, parts, bytes % 2_000_000_000);
      await syncAsync(file);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    return { spansPerSecond: rows / seconds, megabytesPerSecond: bytes / seconds / 1e6 };
  } finally {
    closeSync(file);
  }
}

/** Bytes a span on disk after merging, of `batches` batches inserted directly. */
export async function mergedBytesPerSpan(folder: string, batches: number, texts: Texts): Promise<number> {
  const dataDir = join(folder, `size-${texts}`);
  mkdirSync(dataDir, { recursive: true });
  const store = await openTelemetryStore({ kind: 'embedded', dataDir, logger: silentLogger });
  try {
    for (let from = 0; from < batches; from += 20) {
      const parts = prepareBlocks(20, texts, from).map((block) => block.bytes);
      await store.insertNative('otel_traces', parts, `size-${from}`);
    }
    return (await mergedSize(store)).bytesPerSpan;
  } finally {
    await store.close();
  }
}
