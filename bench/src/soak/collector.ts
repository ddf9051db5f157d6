import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GPU_PROCESSES, gpuHost, GPUS } from '../collector/gpu-host.ts';
import { type Program, programs } from '../collector/programs.ts';
import { type Running, startAgent } from '../collector/running.ts';
import { cpuSeconds, type Memory, memory, openFiles, threads } from '../lib/proc.ts';
import { writeSection } from '../lib/report.ts';
import { type Figure, type Findings, markdownTable, mebibytes, thousands } from '../lib/table.ts';
import { sleep } from '../lib/temp.ts';
import { FLAT_BYTES_PER_HOUR, slope } from './steady.ts';

const EVERY_SECONDS = 30;

interface Sample extends Memory {
  readonly atSeconds: number;
  readonly files: number;
  readonly threads: number;
}

function sampleOf(pid: number, atSeconds: number): Sample {
  return { atSeconds, ...memory(pid), files: openFiles(pid), threads: threads(pid) };
}

/** The slope of what is left when the first third, in which caches fill, is taken away. */
function growth(samples: readonly Sample[], name: string, of: (sample: Sample) => number): Figure {
  const settled = samples.slice(Math.floor(samples.length / 3));
  const perHour = slope(settled.map((each) => [each.atSeconds, of(each)])) * 3_600;
  const ends = [settled[0], settled.at(-1)].map((each) => (each === undefined ? '-' : mebibytes(of(each))));
  return {
    what: `${name}, after a third / at the end, growth an hour`,
    value: `${ends.join(' / ')}, ${mebibytes(perHour)}`,
    against:
      perHour <= FLAT_BYTES_PER_HOUR / 10 ? 'flat' : `more than ${mebibytes(FLAT_BYTES_PER_HOUR / 10)}`,
  };
}

async function watch(agent: Running, minutes: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  while (performance.now() - began < minutes * 60_000) {
    await sleep(EVERY_SECONDS * 1_000);
    const one = sampleOf(agent.pid, (performance.now() - began) / 1_000);
    samples.push(one);
    if (samples.length % 10 === 0) {
      console.log(
        `minute ${Math.round(one.atSeconds / 60)}: ${mebibytes(one.rss)}, private ${mebibytes(one.anonymous)}, ${one.files} files, ${one.threads} threads`,
      );
    }
  }
  return samples;
}

/** An agent with all default sources for a long time: memory, files and threads must stay where they are. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      interval: { type: 'string', default: '10000' },
      /** On a made-up machine with GPUs and processes on them, instead of this one. */
      gpus: { type: 'boolean', default: false },
      /** A released binary to run instead of one built anew. */
      binary: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'candela-soak-'));
  try {
    const program: Program | undefined =
      values.binary === undefined
        ? programs(folder)[0]
        : { name: 'binary', command: [values.binary], goals: true };
    if (program === undefined) throw new Error('there is no agent to run');
    const env = values.gpus ? gpuHost(join(folder, 'machine')).env : {};
    const agent = await startAgent(program, Number(values.interval), env);
    try {
      const samples = await watch(agent, Number(values.minutes));
      const last = samples.at(-1);
      if (last === undefined) throw new Error('the run was too short to say anything');
      const cpu = (cpuSeconds(agent.pid) / last.atSeconds) * 100;
      const findings: Findings = {
        bench: values.gpus ? 'collector-soak-gpus' : 'collector-soak',
        command: `npm run soak -- collector --minutes ${values.minutes}${values.gpus ? ' --gpus' : ''}`,
        figures: [
          growth(samples, `resident memory of the agent (${program.name})`, ({ rss }) => rss),
          growth(samples, 'of it private', ({ anonymous }) => anonymous),
          { what: 'open files, first / last', value: `${samples[0]?.files} / ${last.files}`, against: '' },
          { what: 'threads, first / last', value: `${samples[0]?.threads} / ${last.threads}`, against: '' },
          { what: 'CPU of one core, all of the time', value: `${thousands(cpu, 2)} %`, against: '' },
        ],
        notes: [
          ...(values.gpus
            ? [`${GPUS} GPUs and ${GPU_PROCESSES} processes on them, by the library for tests.`]
            : []),
          `All default sources at an interval of ${Number(values.interval) / 1_000} s, sent over gRPC. Growth is the slope of a line through a sample every ${EVERY_SECONDS} seconds, without the first third of the run.`,
        ],
      };
      console.log(markdownTable(findings.figures));
      if (values.write) writeSection(findings);
    } finally {
      await agent.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
