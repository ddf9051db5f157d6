import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench } from '../lib/bench.ts';
import { Latencies } from '../lib/latency.ts';
import { cpuSeconds, memory } from '../lib/proc.ts';
import { type Figure, type Findings, mebibytes, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';
import { type GpuHost, GPU_PROCESSES, gpuHost, GPUS } from './gpu-host.ts';
import { otelCollector, startOtelCollector } from './hostmetrics.ts';
import { largeHost, MOUNTS, PROCESSES } from './large-host.ts';
import { nodeExporter, type Program, programs } from './programs.ts';
import { startAgent, startTimes } from './running.ts';

const INTERVAL_MS = 10_000;
/** Engines warm up and the first, larger collections of garbage pass. */
const SETTLE_MS = 15_000;
const STARTS = 9;
const EXPORTER_PORT = 19_100;
const LARGE_INTERVAL_MS = 1_000;
const LARGE_TICKS = 20;
const SCRAPE_TRIES = 100;
const GPU_TICKS = 30;
const PROBE_EVERY_MS = 5;

/** A process that is measured, whatever it is. */
interface Measured {
  readonly name: string;
  readonly pid: number;
  readonly goals: boolean;
  /** Empty: it does not tell. */
  tickMs(): number[];
  stop(): Promise<void>;
}

async function startExporter(file: string): Promise<Measured> {
  const address = `127.0.0.1:${EXPORTER_PORT}`;
  const child = spawn(file, [`--web.listen-address=${address}`], { stdio: 'ignore' });
  const took: number[] = [];
  const scrape = async () => {
    const began = performance.now();
    const answer = await fetch(`http://${address}/metrics`);
    await answer.text();
    took.push(performance.now() - began);
  };
  for (let tries = 0; took.length === 0; tries += 1) {
    await scrape().catch(async (error: unknown) => {
      if (tries >= SCRAPE_TRIES || child.exitCode !== null) throw error;
      await sleep(50);
    });
  }
  const timer = setInterval(() => void scrape().catch(() => undefined), INTERVAL_MS);
  return {
    name: 'node_exporter',
    pid: child.pid ?? 0,
    goals: false,
    tickMs: () => took,
    async stop() {
      clearInterval(timer);
      const closed = once(child, 'close');
      child.kill();
      await closed;
    },
  };
}

/** All of them side by side, so that each has the same machine at the same time. */
async function steady(measured: readonly Measured[], seconds: number): Promise<Figure[]> {
  await sleep(SETTLE_MS);
  const before = measured.map(({ pid, tickMs }) => ({ cpu: cpuSeconds(pid), ticks: tickMs().length }));
  const began = performance.now();
  await sleep(seconds * 1_000);
  const passed = (performance.now() - began) / 1_000;
  return measured.flatMap(({ name, pid, goals, tickMs }, index) => {
    const cpu = cpuSeconds(pid) - (before[index]?.cpu ?? 0);
    const ticks = new Latencies();
    for (const took of tickMs().slice(before[index]?.ticks)) ticks.add(took);
    const held = memory(pid);
    const against = (goal: string) => (goals ? `goal ${goal}` : '');
    return [
      {
        what: `${name}: share of one core`,
        value: `${thousands((cpu / passed) * 100, 2)} %`,
        against: against('below 0.3 %'),
      },
      {
        what: `${name}: CPU per interval`,
        value: `${thousands((cpu / passed) * INTERVAL_MS, 1)} ms`,
        against: '',
      },
      ...(tickMs().length === 0
        ? []
        : [
            {
              what: `${name}: a ${name === 'node_exporter' ? 'scrape' : 'tick'}, p50 / max`,
              value: `${thousands(ticks.quantile(0.5), 1)} / ${thousands(ticks.max, 1)} ms`,
              against: against('below 20 ms'),
            },
          ]),
      { what: `${name}: resident memory`, value: mebibytes(held.rss), against: against('below 90 MiB') },
      { what: `${name}: of it private`, value: mebibytes(held.anonymous), against: against('below 40 MiB') },
    ];
  });
}

async function starts(program: Program): Promise<Figure[]> {
  const [runs, serves] = [new Latencies(), new Latencies()];
  for (let round = 0; round < STARTS; round += 1) {
    const took = await startTimes(program);
    runs.add(took.runs);
    serves.add(took.serves);
  }
  const both = (times: Latencies) => `${thousands(times.quantile(0.5))} / ${thousands(times.max)} ms`;
  return [
    {
      what: `${program.name}: start until it runs, p50 / max`,
      value: both(runs),
      against: program.goals ? 'goal below 300 ms' : '',
    },
    {
      what: `${program.name}: start until the first metrics are served, p50 / max`,
      value: both(serves),
      against: '',
    },
  ];
}

async function large(program: Program, env: Readonly<Record<string, string>>): Promise<Figure> {
  const agent = await startAgent(program, LARGE_INTERVAL_MS, env);
  await sleep(LARGE_TICKS * LARGE_INTERVAL_MS);
  const ticks = new Latencies();
  for (const took of agent.tickMs()) ticks.add(took);
  await agent.stop();
  return {
    what: `${program.name}: a tick with ${thousands(PROCESSES)} processes and ${MOUNTS} mounts, p50 / max`,
    value: `${thousands(ticks.quantile(0.5), 1)} / ${thousands(ticks.max, 1)} ms`,
    against: program.goals ? 'goal below 60 ms' : '',
  };
}

/** The longest answer of the control API while the agent works: what its event loop stood still, and a little more. */
async function longestAnswer(control: string, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds;
  let longest = 0;
  while (performance.now() < until) {
    const began = performance.now();
    await (await fetch(`${control}/v1/version`)).text();
    longest = Math.max(longest, performance.now() - began);
    await sleep(PROBE_EVERY_MS);
  }
  return longest;
}

async function gpus(program: Program, host: GpuHost): Promise<Figure[]> {
  const agent = await startAgent(program, LARGE_INTERVAL_MS, {
    ...host.env,
    OTEL_GPU_COLLECTOR_MODE: 'deep',
  });
  try {
    await sleep(SETTLE_MS);
    const found = agent.points('process.gpu.memory.usage');
    if (found !== GPU_PROCESSES)
      throw new Error(`${found} processes on GPUs were sent, not ${GPU_PROCESSES}`);
    const before = { cpu: cpuSeconds(agent.pid), ticks: agent.tickMs().length };
    await sleep(GPU_TICKS * LARGE_INTERVAL_MS);
    const done = agent.tickMs().length - before.ticks;
    const perTick = ((cpuSeconds(agent.pid) - before.cpu) / done) * 1_000;
    const quiet = new Latencies();
    for (const took of agent.tickMs().slice(before.ticks)) quiet.add(took);
    const longest = await longestAnswer(agent.control, GPU_TICKS * LARGE_INTERVAL_MS);
    const { rss } = memory(agent.pid);
    host.hang();
    const healthy = agent.tickMs().length;
    await sleep(GPU_TICKS * LARGE_INTERVAL_MS);
    const sick = new Latencies();
    for (const took of agent.tickMs().slice(healthy)) sick.add(took);
    const left = agent.points('hw.gpu.memory.limit');
    const what = (text: string) =>
      `${program.name}, ${GPUS} GPUs, ${GPU_PROCESSES} processes on them: ${text}`;
    const both = (times: Latencies) => `${thousands(times.quantile(0.5), 1)} / ${thousands(times.max, 1)} ms`;
    const goal = (text: string) => (program.goals ? `goal ${text}` : '');
    return [
      { what: what('a tick, p50 / max'), value: both(quiet), against: '' },
      {
        what: what('CPU a tick, with its export'),
        value: `${thousands(perTick, 1)} ms`,
        against: goal('below 50 ms'),
      },
      {
        what: what('longest answer of the control API'),
        value: `${thousands(longest, 1)} ms`,
        against: goal('below 20 ms'),
      },
      { what: what('resident memory'), value: mebibytes(rss), against: '' },
      {
        what: what(`one of them hangs: a tick, p50 / max, GPUs told`),
        value: `${both(sick)}, ${left}`,
        against: goal(`${GPUS - 1} GPUs`),
      },
    ];
  } finally {
    await agent.stop();
  }
}

export const collector: Bench = {
  async run(args): Promise<Findings | undefined> {
    const { values } = parseArgs({
      args: [...args],
      options: { seconds: { type: 'string', default: '180' } },
    });
    if (process.platform !== 'linux') {
      console.log('SKIPPED: the figures of processes are read from /proc, which only Linux has.');
      return undefined;
    }
    return withTempDir(async (folder) => {
      const agents = programs(folder);
      const figures: Figure[] = [];
      for (const program of agents) figures.push(...(await starts(program)));
      const exporter = nodeExporter();
      const otelcol = otelCollector();
      const measured: Measured[] = [];
      try {
        for (const program of agents) {
          const running = await startAgent(program, INTERVAL_MS);
          measured.push({ ...running, name: program.name, goals: program.goals });
        }
        if (exporter !== undefined) measured.push(await startExporter(exporter));
        if (otelcol !== undefined) {
          const running = await startOtelCollector(otelcol, folder, INTERVAL_MS);
          measured.push({ ...running, name: 'OpenTelemetry Collector', goals: false, tickMs: () => [] });
        }
        figures.push(...(await steady(measured, Number(values.seconds))));
      } finally {
        await Promise.all(measured.map((one) => one.stop()));
      }
      const env = largeHost(join(folder, 'host'));
      for (const program of agents) figures.push(await large(program, env));
      for (const program of agents) {
        try {
          figures.push(
            ...(await gpus(program, gpuHost(join(folder, `gpus-${program.name.replaceAll(' ', '-')}`)))),
          );
        } catch (error) {
          console.log(`SKIPPED: the GPUs: ${error instanceof Error ? error.message : error}`);
        }
      }
      return {
        bench: 'collector',
        command: 'npm run bench -- collector',
        figures,
        notes: [
          `Default sources and settings (mode all, with its CPU ring of 100 ms), an export over gRPC every ${INTERVAL_MS / 1_000} s to a receiver of its own; node_exporter with its defaults scraped as often; the OpenTelemetry Collector with all scrapers of host_metrics, where OTELCOL_BINARY names it. Side by side for ${values.seconds} s, ${SETTLE_MS / 1_000} s after the start.`,
          'CPU is of the whole process: ticks, ring, encoding and sending. The tick is by the agent’s own account, the scrape by the clock of who scrapes.',
          'Private memory is heap and stacks. The rest are pages of the program’s own file: the kernel drops them when it needs the room, and several processes share them.',
          'The first export follows a start by a second on purpose: shares of time need two readings.',
        ],
      };
    });
  },
};
