import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NODE_BINARY, startOtlpRecorder } from '@candela/testkit';
import { decodeMetrics } from '@candela/otlp';
import type { Bench } from '../lib/bench.ts';
import { cpuSeconds } from '../lib/proc.ts';
import { type Findings, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';

const COLLECTOR = join(import.meta.dirname, '../../../apps/collector/src');
/** Libraries of CUDA without a GPU, and a program that calls them: those of the agent's own tests. */
const FIXTURES = join(COLLECTOR, 'ebpf/fixtures');
const BURST = 100;
const PAUSE_US = 10_000;
const SETTLE_MS = 8_000;

/** What tracing CUDA costs a program that launches kernels, and what it costs the agent. */
export const cuda: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: { seconds: { type: 'string', default: '20' }, binary: { type: 'string' } },
    });
    const { binary } = values;
    const command = binary === undefined ? [NODE_BINARY, join(COLLECTOR, 'main.ts')] : [resolve(binary)];
    const bursts = Math.round((Number(values.seconds) * 1e6) / PAUSE_US);
    return withTempDir(async (folder) => {
      compile(folder);
      const alone = await burstsOf(folder, bursts);
      const free = await launchTime(folder, 2_000_000);
      const traced = await withAgent(command, folder, '0.02', async (agent) => {
        const before = cpuSeconds(agent.pid ?? 0);
        const began = performance.now();
        const inLaunches = await burstsOf(folder, bursts);
        const cpu = (cpuSeconds(agent.pid ?? 0) - before) / ((performance.now() - began) / 1_000);
        return { inLaunches, cpu, full: await launchTime(folder, 2_000_000) };
      });
      const whole = await withAgent(command, folder, '1', async () => ({
        inLaunches: await burstsOf(folder, bursts),
        full: await launchTime(folder, 200_000),
      }));
      const after = await launchTime(folder, 2_000_000);
      const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
      const nanoseconds = (seconds: number) => `${thousands(seconds * 1e9, 1)} ns`;
      const rate = Math.round(alone.launches / alone.seconds);
      return {
        bench: 'cuda',
        command: `npm run bench -- cuda --seconds ${values.seconds}${binary === undefined ? '' : ' --binary <released binary>'}`,
        figures: [
          {
            what: `time of the program that ${thousands(rate)} launches a second take, default budget`,
            value: percent(traced.inLaunches.busy / traced.inLaunches.seconds),
            against: `goal 2 %; ${percent(alone.busy / alone.seconds)} without the agent`,
          },
          {
            what: 'the same, everything traced (PLATFORM_GPU_EBPF_BUDGET=1)',
            value: percent(whole.inLaunches.busy / whole.inLaunches.seconds),
            against: '',
          },
          {
            what: 'the agent meanwhile',
            value: `${percent(traced.cpu)} of a core`,
            against: 'goal 2 %, with all its other sources',
          },
          {
            what: 'a launch in a loop that does nothing else, default budget',
            value: nanoseconds(traced.full),
            against: `${nanoseconds(free)} without the agent, ${nanoseconds(whole.full)} when all is traced`,
          },
          {
            what: 'a launch after the agent has ended',
            value: nanoseconds(after),
            against: `${nanoseconds(free)} before`,
          },
        ],
        notes: [
          `Libraries that do nothing stand for CUDA's, so that all that is measured is the probes. ${BURST} launches every ${PAUSE_US / 1_000} ms, each seen by the runtime and by the driver.`,
        ],
      };
    });
  },
};

function compile(folder: string): void {
  const cc = (...given: string[]) => execFileSync('cc', ['-O1', ...given], { cwd: folder, stdio: 'inherit' });
  const source = (name: string) => join(FIXTURES, name);
  cc('-shared', '-fPIC', '-Wl,-soname,libcuda.so.1', '-o', 'libcuda.so.1', source('libcuda.c'));
  cc('-shared', '-fPIC', '-o', 'libcudart.so.12', source('libcudart.c'), './libcuda.so.1');
  cc('-o', 'cuda-program', source('cuda-program.c'), '-ldl');
  cc('-shared', '-fPIC', '-o', 'libnvidia-ml.so.1', join(COLLECTOR, 'gpu/fixtures/libnvidia-ml.c'), '-ldl');
  const device = join(folder, 'sys/bus/pci/devices/0000:10:00.0');
  mkdirSync(device, { recursive: true });
  for (const [file, text] of [
    ['class', '0x030200'],
    ['vendor', '0x10de'],
    ['device', '0x2330'],
  ] as const)
    writeFileSync(join(device, file), `${text}\n`);
}

/** Runs the program and adds up what it says of its launches. */
async function launched(
  folder: string,
  steps: readonly string[],
): Promise<{ launches: number; busy: number }> {
  const child = spawn(join(folder, 'cuda-program'), steps, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      FAKE_CUDA: join(folder, 'libcuda.so.1'),
      FAKE_CUDART: join(folder, 'libcudart.so.12'),
      LD_LIBRARY_PATH: folder,
    },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the program ended with ${code}: ${output.slice(-500)}`);
  let [launches, busy] = [0, 0];
  for (const [, times = '', seconds = ''] of output.matchAll(/launched (\d+) in ([\d.]+) s/g)) {
    launches += Number(times);
    busy += Number(seconds);
  }
  return { launches, busy };
}

/** Seconds that a launch takes, once the agent has seen the program and keeps to its budget. */
async function launchTime(folder: string, times: number): Promise<number> {
  const { launches, busy } = await launched(folder, [
    'sleep:1500000',
    `launch:vecAdd:${times}:1,1,1:1,1,1:0:0x7`,
  ]);
  return busy / launches;
}

async function burstsOf(folder: string, bursts: number) {
  const began = performance.now();
  const steps = Array.from({ length: bursts }, () => [
    `launch:vecAdd:${BURST}:1,1,1:1,1,1:0:0x7`,
    `sleep:${PAUSE_US}`,
  ]);
  const { launches, busy } = await launched(folder, steps.flat());
  return { launches, busy, seconds: (performance.now() - began) / 1_000 };
}

async function withAgent<T>(
  [program = '', ...args]: readonly string[],
  folder: string,
  budget: string,
  body: (agent: ChildProcess) => Promise<T>,
): Promise<T> {
  const recorder = await startOtlpRecorder();
  const agent = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      LD_LIBRARY_PATH: folder,
      HOST_SYS: join(folder, 'sys'),
      OTEL_GPU_EBPF_ENABLED: 'true',
      PLATFORM_GPU_EBPF_BUDGET: budget,
      PLATFORM_CLOUD_DETECT: 'false',
      OTEL_GPU_CONTROL_ADDR: '127.0.0.1:0',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${recorder.grpc}`,
      OTEL_METRIC_EXPORT_INTERVAL: '2000',
      OTEL_LOG_LEVEL: 'error',
    },
  });
  try {
    const traces = () =>
      recorder.requests.some(({ body: bytes }) =>
        (decodeMetrics(bytes, 'protobuf').resourceMetrics ?? []).some(({ scopeMetrics = [] }) =>
          scopeMetrics.some(({ metrics = [] }) =>
            metrics.some(({ name }) => name === 'platform.collector.ebpf.probe.cost'),
          ),
        ),
      );
    for (const until = Date.now() + 30_000; !traces(); await sleep(200))
      if (Date.now() > until)
        throw new Error('the agent does not trace: see opentelemetry-gpu-collector --check');
    await sleep(SETTLE_MS / 4);
    const done = await body(agent);
    if (agent.exitCode !== null || agent.signalCode !== null)
      throw new Error(`the agent ended meanwhile: ${agent.signalCode ?? agent.exitCode}`);
    return done;
  } finally {
    if (agent.exitCode === null && agent.signalCode === null) {
      const ended = once(agent, 'close');
      agent.kill('SIGTERM');
      await ended;
    }
    await recorder.close();
  }
}
