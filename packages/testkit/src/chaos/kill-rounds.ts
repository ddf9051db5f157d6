import { type PlatformProcess, startPlatform } from '../platform-process.ts';
import { type AckLoad, startAckLoad } from './ack-load.ts';

export interface KillRoundsOptions {
  readonly dataDir: string;
  readonly rounds: number;
  readonly clients: number;
  readonly service: string;
  /** Bounds of the time under load before the blow falls, milliseconds. */
  readonly calmMs?: readonly [number, number];
  /**
   * Each so many rounds the blow waits until something was acknowledged since the last time: killed sooner than it can store what
   * waits, a busy machine gets no further, and the rounds that follow strike at nothing.
   */
  readonly growsEvery?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly thinkMs?: number;
  readonly onRound?: (round: KillRound) => void;
  /** What else is done to the platform meanwhile; undefined while there is none. Stopped before the platform is. */
  readonly beside?: (platform: () => PlatformProcess | undefined) => { stop(): Promise<void> };
  /** Asked of the last process, before it is asked to go. */
  readonly atTheEnd?: (platform: PlatformProcess) => Promise<void>;
}

export type Blow = 'server' | 'engine' | 'both';

export interface KillRound {
  readonly round: number;
  readonly blow: Blow;
  readonly acknowledged: number;
  /** Start of the platform after the blow before, milliseconds; only where it was started. */
  readonly readyAfterMs: number | undefined;
}

export interface KillReport {
  readonly load: AckLoad;
  readonly rounds: readonly KillRound[];
  readonly slowestStartMs: number;
  /** Exit of the last process, which was asked to go. */
  readonly exitCode: number | null;
  readonly output: readonly string[];
}

const GROW_MS = 120_000;
const LOOK_MS = 100;

const BLOWS: readonly Blow[] = ['server', 'engine', 'both'];

/**
 * Strikes the platform down again and again while clients send: SIGKILL to the server, to the engine host, or to
 * both. Ends with a clean stop. What is in the store afterwards is for the caller to read and compare.
 */
export async function killRounds(options: KillRoundsOptions): Promise<KillReport> {
  const [calmFrom, calmTo] = options.calmMs ?? [500, 2_500];
  const rounds: KillRound[] = [];
  let platform: PlatformProcess | undefined;
  let slowestStartMs = 0;
  let before = 0;
  const start = (): Promise<PlatformProcess> =>
    startPlatform({ dataDir: options.dataDir, ...(options.env === undefined ? {} : { env: options.env }) });
  const load = startAckLoad({
    endpoint: () => platform?.otlpHttp,
    clients: options.clients,
    service: options.service,
    ...(options.thinkMs === undefined ? {} : { thinkMs: options.thinkMs }),
  });
  const beside = options.beside?.(() => platform);
  try {
    for (let round = 1; round <= options.rounds; round += 1) {
      let readyAfterMs: number | undefined;
      if (platform === undefined) {
        platform = await start();
        ({ readyAfterMs } = platform);
        slowestStartMs = Math.max(slowestStartMs, readyAfterMs);
      }
      await new Promise((resolve) => setTimeout(resolve, calmFrom + Math.random() * (calmTo - calmFrom)));
      if (options.growsEvery !== undefined && round % options.growsEvery === 0) {
        for (const until = Date.now() + GROW_MS; load.acknowledged.size <= before; ) {
          if (Date.now() > until) throw new Error(`nothing was acknowledged in ${GROW_MS / 1_000} s`);
          await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        }
        before = load.acknowledged.size;
      }
      const blow = BLOWS[Math.floor(Math.random() * BLOWS.length)] ?? 'server';
      const { enginePid } = platform;
      if (blow !== 'server' && enginePid !== undefined) kill(enginePid);
      if (blow !== 'engine') {
        const struck: PlatformProcess = platform;
        platform = undefined;
        await struck.kill();
      }
      const entry = { round, blow, acknowledged: load.acknowledged.size, readyAfterMs };
      rounds.push(entry);
      options.onRound?.(entry);
    }
    if (platform === undefined) {
      platform = await start();
      slowestStartMs = Math.max(slowestStartMs, platform.readyAfterMs);
    }
    // What was refused or cut must still find its way in.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  } finally {
    await Promise.all([load.stop(), beside?.stop()]);
  }
  const last = platform;
  await options.atTheEnd?.(last);
  const { code } = await last.stop();
  return { load, rounds, slowestStartMs, exitCode: code, output: last.output() };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself a moment before.
  }
}
