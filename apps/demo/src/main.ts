import { findPlatform } from './config.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { Random } from './random.ts';
import { NotTakenError, pause, Sender } from './sender.ts';
import { Simulation } from './simulation.ts';

const BACKFILL_STEP_MS = 300_000;
const LONG_HISTORY_MS = 3 * 3_600_000;
const LIVE_STEP_MS = 1_000;
const PROGRESS_EVERY_MS = 10_000;
/** A run that ends by itself belongs to a script, which nobody watches. Longer than a platform takes to start again. */
const PATIENCE_MS = 60_000;

/** One line that overwrites itself on a terminal; a line every ten seconds elsewhere. */
class Progress {
  #lastMs = 0;
  #width = 0;
  readonly #terminal = process.stdout.isTTY === true;

  show(text: string, force = false): void {
    const now = Date.now();
    if (this.#terminal) {
      process.stdout.write(`\r${text.padEnd(this.#width)}`);
      this.#width = text.length;
    } else if (force || now - this.#lastMs >= PROGRESS_EVERY_MS) {
      process.stdout.write(`${text}\n`);
      this.#lastMs = now;
    }
  }

  line(text: string): void {
    if (this.#terminal && this.#width > 0) process.stdout.write(`\r${' '.repeat(this.#width)}\r`);
    process.stdout.write(`${text}\n`);
    this.#width = 0;
  }
}

async function run(options: Options, stop: AbortSignal): Promise<void> {
  const progress = new Progress();
  const sender = new Sender({
    endpoint: options.endpoint,
    key: options.key,
    signal: stop,
    notice: (text) => progress.line(text),
    ...(Number.isFinite(options.durationMs) || Number.isFinite(options.traces)
      ? { patienceMs: PATIENCE_MS }
      : {}),
  });
  const random = new Random(options.seed);
  const describe = (traces: number, what: string) => {
    const { counts } = sender;
    const extra = [
      counts.refused > 0 ? `${counts.refused} refused` : '',
      counts.retries > 0 ? `${counts.retries} retries` : '',
    ].filter(Boolean);
    return `${what}: ${traces} traces, ${counts.traces} spans, ${counts.logs} logs, ${counts.metrics} points sent${extra.length > 0 ? ` (${extra.join(', ')})` : ''}`;
  };
  progress.line(`Sending to ${options.endpoint}, seed ${options.seed}. Stop with Ctrl-C.`);

  const shiftMs = options.nowMs - Date.now();
  let begun = 0;
  if (options.backfillMs > 0) {
    const past = new Simulation(random.fork('past'), {
      startMs: options.nowMs - options.backfillMs,
      tracesPerSecond: options.backfillTracesPerSecond,
      // A day of points every 30 s would take longer to send than a person waits.
      metricsEveryMs: options.backfillMs > LONG_HISTORY_MS ? 120_000 : 30_000,
      presentMs: options.nowMs,
    });
    for (let at = options.nowMs - options.backfillMs; at < options.nowMs && !stop.aborted; ) {
      at = Math.min(at + BACKFILL_STEP_MS, options.nowMs);
      for (const batch of past.advanceTo(at, options.traces)) await sender.send(batch);
      const percent = Math.round((1 - (options.nowMs - at) / options.backfillMs) * 100);
      progress.show(describe(past.traces, `history ${percent} %`));
      if (past.traces >= options.traces) break;
    }
    for (const batch of past.flush(options.nowMs)) await sender.send(batch);
    begun = past.traces;
  }

  // Simulated time follows the wall clock from the start of the program on, so the live part goes on where the
  // history ended, however long that took to send.
  const live = new Simulation(random.fork('live'), {
    startMs: options.nowMs,
    tracesPerSecond: options.tracesPerSecond,
    metricsEveryMs: 10_000,
  });
  const endsAt = performance.now() + options.durationMs;
  while (!stop.aborted && performance.now() < endsAt && begun + live.traces < options.traces) {
    await pause(Math.min(LIVE_STEP_MS, endsAt - performance.now()), stop);
    for (const batch of live.advanceTo(Date.now() + shiftMs, options.traces - begun))
      await sender.send(batch);
    progress.show(describe(begun + live.traces, 'live'));
  }
  if (!stop.aborted) for (const batch of live.flush(Date.now() + shiftMs)) await sender.send(batch);
  progress.line(describe(begun + live.traces, stop.aborted ? 'Stopped' : 'Done'));
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
try {
  const options = readOptions(process.argv.slice(2), Date.now(), findPlatform());
  if (options.help) process.stdout.write(`${USAGE}\n`);
  else await run(options, stop.signal);
} catch (error) {
  const isUsage = !(error instanceof NotTakenError);
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}\n${isUsage ? `\n${USAGE}\n` : ''}`,
  );
  process.exitCode = isUsage ? 1 : 2;
}
