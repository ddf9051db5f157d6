import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import { openKernel } from '../loader/native.ts';
import { unpackObject } from '../loader/packed.ts';
import { refusalOf } from '../loader/refusal.ts';
import { OBJECTS } from './llm.gen.ts';
import { SpanSender } from './spans.ts';
import { type Connect, LlmTap, type Target } from './tap.ts';

const TICK_MS = 50;
const LOOK_TICKS = 10;
const BUSY_RECORDS = 500;
const SEND_TICKS = 20;
const MAX_TARGETS = 2_000;
/** The newest are told again and again: whoever reads the file misses none. */
const MAX_CONNECTS = 500;
const CONNECT_MS = 30_000;

/** Targets of the file that `candela controller` writes; undefined while it cannot be read. */
function readTargets(file: string): readonly Target[] | undefined {
  try {
    const { targets } = JSON.parse(readFileSync(file, 'utf8')) as { targets?: unknown };
    if (!Array.isArray(targets)) return undefined;
    return (targets as Record<string, unknown>[]).slice(0, MAX_TARGETS).flatMap((one) => {
      const { pid, start, workload, service, content } = one;
      if (!Number.isSafeInteger(pid) || !Number.isSafeInteger(start)) return [];
      if (typeof workload !== 'string' || typeof service !== 'string') return [];
      return [{ pid: Number(pid), start: Number(start), workload, service, content: content === true }];
    });
  } catch {
    return undefined;
  }
}

/** Connections of all processes: without them the controller sees new ones a little later, at its next look. */
function listen(tap: LlmTap): string {
  try {
    tap.listen();
    return 'listens';
  } catch (thrown) {
    return `unavailable: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

/** Watches the processes of a file of targets, and writes beside it how that goes, until `signal`. */
export async function runTap(file: string, config: Config, log: Log, signal: AbortSignal): Promise<void> {
  const { endpoint, headers } = config.otlp;
  const sender = new SpanSender(endpoint ?? 'http://127.0.0.1:4318', Object.fromEntries(headers), hostname());
  const spans = new Map<string, number>();
  let engine = 'runs';
  const write = (status: unknown): void => {
    writeFileSync(`${file}.status.new`, JSON.stringify(status), { mode: 0o600 });
    renameSync(`${file}.status.new`, `${file}.status`);
  };
  let tap: LlmTap | undefined;
  let listening = 'unavailable';
  const connects: (Connect & { readonly at: number })[] = [];
  try {
    tap = new LlmTap(openKernel(), unpackObject(OBJECTS), config.paths, (target, span) => {
      spans.set(target.workload, (spans.get(target.workload) ?? 0) + 1);
      sender.add(target, span);
    });
    listening = listen(tap);
  } catch (thrown) {
    engine = `unavailable: ${refusalOf(thrown, config.paths)}`;
    log.info('the tap is unavailable', { reason: engine });
  }
  for (let tick = 0; !signal.aborted; tick += 1) {
    // What comes fast is read fast: the ring is not large.
    while ((tap?.drain() ?? 0) > BUSY_RECORDS && !signal.aborted) await sleep(1);
    if (tick % LOOK_TICKS === 0) {
      const targets = readTargets(file);
      if (targets !== undefined) tap?.watch(targets);
      const now = Date.now();
      connects.push(...(tap?.connects() ?? []).map((one) => ({ ...one, at: now })));
      // A number of a process that ended long ago may be another one's.
      const old = connects.findIndex(({ at }) => at > now - CONNECT_MS);
      connects.splice(0, Math.max(0, connects.length - MAX_CONNECTS, old === -1 ? connects.length : old));
      const lost = tap?.lost() ?? { ring: 0, long: 0 };
      const states =
        tap?.status() ??
        new Map(
          (targets ?? []).map(({ workload, content }) => [
            workload,
            { state: 'unavailable', detail: engine, content },
          ]),
        );
      write({
        engine: sender.problem === '' ? engine : `${engine}; ${sender.problem}`,
        lost,
        dropped: sender.dropped,
        listening,
        connects,
        workloads: Object.fromEntries(
          Array.from(states, ([workload, state]) => [
            workload,
            {
              ...state,
              spans: spans.get(workload) ?? 0,
              lost: lost.ring,
              hosts: tap?.hostsOf(workload) ?? [],
            },
          ]),
        ),
      });
    }
    if (tick % SEND_TICKS === 0) void sender.flush();
    await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
  }
  tap?.drain();
  tap?.close();
  await sender.flush();
}
