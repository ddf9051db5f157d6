import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { decodeMetrics } from '@candela/otlp';
import { type OtlpRecorder, startOtlpRecorder } from '@candela/testkit';
import { sleep } from '../lib/temp.ts';
import type { Program } from './programs.ts';

/** Nothing fixed that two agents on one machine would share, and nobody asked who this machine is. */
const ALONE = { PLATFORM_CLOUD_DETECT: 'false', OTEL_GPU_CONTROL_ADDR: '127.0.0.1:0' };
const START_DEADLINE_MS = 30_000;

export interface Running {
  readonly pid: number;
  /** Where its control API listens. */
  readonly control: string;
  /** Points of a metric in the last export. */
  points(metric: string): number;
  /** Milliseconds that each tick took so far, by the agent's own account. */
  tickMs(): number[];
  stop(): Promise<void>;
}

/** An agent that sends to a receiver of its own. */
export async function startAgent(
  program: Program,
  intervalMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const receiver = await startOtlpRecorder();
  const child = launch(program, {
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${receiver.grpc}`,
    OTEL_METRIC_EXPORT_INTERVAL: String(intervalMs),
  });
  const [, control = ''] = await said(child, /gpu-collector runs.* control=(\S+)/);
  return {
    pid: child.pid ?? 0,
    control,
    points: (metric) => lastPoints(receiver, metric),
    tickMs: () => ticks(receiver),
    async stop() {
      await end(child);
      await receiver.close();
    },
  };
}

/** Milliseconds from the start of the process until it runs, and until it has served a first metric. */
export async function startTimes(program: Program): Promise<{ runs: number; serves: number }> {
  const began = performance.now();
  const child = launch(program, { OTEL_GPU_PROMETHEUS_ADDR: '127.0.0.1:0' });
  try {
    const [, base] = await said(child, /gpu-collector runs.* prometheus=(http:\S+)/);
    const runs = performance.now() - began;
    const text = await (await fetch(`${base}/metrics`)).text();
    if (!text.includes('system_memory_usage_bytes')) throw new Error('the first scrape has no metric');
    return { runs, serves: performance.now() - began };
  } finally {
    await end(child);
  }
}

function launch({ command: [file, ...args] }: Program, env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(file, args, { env: { ...ALONE, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function said(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  const found = Promise.withResolvers<RegExpExecArray>();
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += String(chunk);
    const match = pattern.exec(text);
    if (match !== null) found.resolve(match);
  });
  child.once('close', () => found.reject(new Error(`the agent ended:\n${text}`)));
  const late = sleep(START_DEADLINE_MS).then(() => {
    throw new Error(`the agent did not say ${pattern}:\n${text}`);
  });
  late.catch(() => undefined);
  return Promise.race([found.promise, late]);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

function ticks({ requests }: OtlpRecorder): number[] {
  const found: number[] = [];
  for (const { body } of requests) {
    for (const { scopeMetrics = [] } of decodeMetrics(body, 'protobuf').resourceMetrics ?? []) {
      for (const { metrics = [] } of scopeMetrics) {
        for (const { name, gauge } of metrics) {
          if (name !== 'platform.collector.tick.duration') continue;
          for (const { asDouble = 0 } of gauge?.dataPoints ?? []) found.push(asDouble * 1_000);
        }
      }
    }
  }
  return found;
}

function lastPoints({ requests }: OtlpRecorder, wanted: string): number {
  const last = requests.at(-1);
  if (last === undefined) return 0;
  let count = 0;
  for (const { scopeMetrics = [] } of decodeMetrics(last.body, 'protobuf').resourceMetrics ?? []) {
    for (const { metrics = [] } of scopeMetrics) {
      for (const { name, gauge, sum } of metrics) {
        if (name === wanted) count += (gauge?.dataPoints ?? sum?.dataPoints ?? []).length;
      }
    }
  }
  return count;
}
