import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile, startAckLoad, startPlatform } from '@candela/testkit';
import { compareWithData } from './compare.ts';

const BEFORE_MS = 3_000;
const AFTER_MS = 5_000;

/**
 * `npm run soak -- freeze [seconds]`: the engine host stands still (SIGSTOP, default 30 s) under load. Throws unless
 * requests went on being acknowledged (or were told to come back) and everything acknowledged is stored once.
 */
export async function run(args: readonly string[]): Promise<void> {
  const seconds = Number(args[0] ?? 30);
  const dataDir = await mkdtemp(join(tmpdir(), 'candela-soak-freeze-'));
  try {
    const platform = await startPlatform({ dataDir });
    const load = startAckLoad({
      endpoint: () => platform.otlpHttp,
      clients: 50,
      service: 'soak-freeze',
      spansPerRequest: 50,
    });
    await pause(BEFORE_MS);
    const engine = platform.enginePid;
    if (engine === undefined) throw new Error('there is no engine host');
    const before = load.acknowledged.size;
    process.kill(engine, 'SIGSTOP');
    await pause(seconds * 1_000);
    const during = load.acknowledged.size - before;
    try {
      process.kill(engine, 'SIGCONT');
    } catch {
      // The watchdog replaced it meanwhile.
    }
    await pause(AFTER_MS);
    await load.stop();
    const { code } = await platform.stop();
    const result = (await compareWithData(dataDir, { traces: load }, 'soak-freeze')).get('traces');
    if (result === undefined) throw new Error('nothing was compared');
    console.log(
      `${during} requests acknowledged in ${seconds} s without the engine; ${result.acknowledged} in all, ${result.lost.length} lost, ` +
        `${result.doubled.length} doubled; ack p99 ${percentile(load.latencies, 0.99).toFixed(1)} ms; exit code ${code}`,
    );
    const unhandled = platform.output().filter((line) => /an error was not (handled|caught)/.test(line));
    if (unhandled.length > 0) throw new Error(`errors nobody handled: ${unhandled[0]}`);
    if (result.lost.length + result.doubled.length > 0)
      throw new Error('acknowledged spans were lost or doubled');
    if (during === 0) throw new Error('nothing was acknowledged while the engine stood still');
    if (code !== 0) throw new Error('the stop was not clean');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
