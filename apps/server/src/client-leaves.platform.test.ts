import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@candela/kernel';
import { openTelemetryStore } from '@candela/telemetry-store';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let dataDir: string;
let platform: PlatformProcess;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'candela-leaves-'));
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir: join(dataDir, 'telemetry'),
    logger: silentLogger,
  });
  // Long messages that compress to nothing: quickly stored, slow to search for a part of a word.
  await store.command(`INSERT INTO otel_traces (ProjectId, Environment, TraceId, SpanId, SpanName, ContentAttributes, Timestamp, ReceivedAt, RetentionDays)
SELECT 'default', 'production', leftPad(hex(number), 32, '0'), leftPad(hex(number), 16, '0'), 'chat',
  map('gen_ai.prompt', repeat('é', 6000)), now64(9) - toIntervalMinute(30), now64(3), 30 FROM numbers(150000)
  SETTINGS max_block_size = 8192, min_insert_block_size_rows = 8192, max_insert_threads = 1`);
  await store.close();
  platform = await startPlatform({ dataDir });
}, 120_000);
afterAll(async () => {
  await platform.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Milliseconds of processor time that the engine has used. */
function engineMs(): number {
  const fields = readFileSync(`/proc/${platform.enginePid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

describe('a client that leaves', () => {
  it('takes its query with it: the engine stops working on it', { timeout: 60_000 }, async () => {
    const ask = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${platform.http}/api/telemetry/spans/search`, {
        method: 'POST',
        body: JSON.stringify({ filter: { field: 'prompt', op: 'contains', value: 'nowhere in it' } }),
        ...(signal === undefined ? {} : { signal }),
      });
    const before = engineMs();
    expect((await ask()).status).toBe(200);
    const whole = engineMs() - before;
    expect(whole).toBeGreaterThan(1_500);

    const start = engineMs();
    const leave = new AbortController();
    const outcome = ask(leave.signal).catch((thrown: unknown) => thrown);
    while (engineMs() - start < 200) await sleep(10);
    leave.abort();
    expect(await outcome).toBeInstanceOf(Error);
    // What it works on at that moment it may finish; then it rests.
    await sleep(1_000);
    const left = engineMs();
    await sleep(1_000);
    expect(engineMs() - left).toBeLessThan(300);
    expect(left - start).toBeLessThan(whole);
    expect((await fetch(`${platform.http}/api/v1/ready`)).status).toBe(200);
  });
});
