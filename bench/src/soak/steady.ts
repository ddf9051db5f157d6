import { parseArgs } from 'node:util';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { LoadClient } from '../ingest/client.ts';
import { drained } from '../ingest/drained.ts';
import type { PhaseResult } from '../ingest/protocol.ts';
import { family, memory, openFiles } from '../lib/proc.ts';
import { writeSection } from '../lib/report.ts';
import { Scrape } from '../lib/scrape.ts';
import { type Figure, type Findings, markdownTable, mebibytes, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';

/** Memory that a process may seem to grow by an hour: noise of collectors and caches, not a leak. */
export const FLAT_BYTES_PER_HOUR = 60 * 1024 ** 2;
const GOAL_P99_MS = 250;

interface Sample {
  /** Seconds since the start of the run. */
  readonly atSeconds: number;
  readonly rss: ReadonlyMap<string, number>;
  readonly files: number;
  readonly eventLoopMaxMs: number;
  readonly backlog: number;
}

async function sample(platform: PlatformProcess, atSeconds: number): Promise<Sample> {
  const rss = new Map<string, number>();
  let files = 0;
  for (const { pid, name } of family(platform.pid)) {
    rss.set(name, (rss.get(name) ?? 0) + memory(pid).rss);
    files += openFiles(pid);
  }
  const scrape = await Scrape.of(platform.http);
  return {
    atSeconds,
    rss,
    files,
    eventLoopMaxMs: scrape.sum('candela_event_loop_delay_seconds', { quantile: '1' }) * 1_000,
    backlog: scrape.sum('candela_ingest_backlog_requests'),
  };
}

/** Least-squares slope of `y` over `x`. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const n = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / n;
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

function figuresOf(samples: readonly Sample[], phases: readonly PhaseResult[], rate: number): Figure[] {
  // The first third warms up: caches fill, the compiler settles, merges find their rhythm.
  const settled = samples.slice(Math.floor(samples.length / 3));
  const first = settled[0];
  const last = settled.at(-1);
  if (first === undefined || last === undefined) throw new Error('the run was too short to say anything');
  const names = [...last.rss.keys()];
  const growth = names.map((name): Figure => {
    const perHour = slope(settled.map(({ atSeconds, rss }) => [atSeconds, rss.get(name) ?? 0])) * 3_600;
    return {
      what: `memory of the ${name}, first / last, growth an hour`,
      value: `${mebibytes(first.rss.get(name) ?? 0)} / ${mebibytes(last.rss.get(name) ?? 0)}, ${mebibytes(perHour)}`,
      against: perHour <= FLAT_BYTES_PER_HOUR ? 'flat' : `more than ${mebibytes(FLAT_BYTES_PER_HOUR)}`,
    };
  });
  const spans = phases.reduce((sum, phase) => sum + phase.acknowledgedSpans, 0);
  const retries = phases.reduce((sum, phase) => sum + phase.retries, 0);
  const p99 = (phase: PhaseResult | undefined) => `${thousands(phase?.p99 ?? Number.NaN, 1)} ms`;
  return [
    {
      what: `sent at ${thousands(rate)} spans/s and acknowledged`,
      value: `${thousands(spans)} spans`,
      against: `${retries} requests asked to wait`,
    },
    ...growth,
    { what: 'open files, first / last', value: `${first.files} / ${last.files}`, against: '' },
    {
      what: 'longest stall of the event loop',
      value: `${thousands(Math.max(...settled.map((each) => each.eventLoopMaxMs)), 0)} ms`,
      against: '',
    },
    {
      what: 'requests waiting for the store, most',
      value: thousands(Math.max(...settled.map((each) => each.backlog))),
      against: '',
    },
    {
      what: 'p99 of the answer, first / last minute',
      value: `${p99(phases[0])} / ${p99(phases.at(-1))}`,
      against: `goal ${GOAL_P99_MS} ms`,
    },
  ];
}

/** Half of the goal rate for a long time: memory, files and latencies must stay where they are. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '30' },
      rate: { type: 'string', default: '40000' },
      write: { type: 'boolean', default: false },
    },
  });
  const minutes = Number(values.minutes);
  const rate = Number(values.rate);
  await withTempDir(async (dataDir) => {
    const platform = await startPlatform({ dataDir });
    const client = await LoadClient.start();
    const samples: Sample[] = [];
    const phases: PhaseResult[] = [];
    const startedAt = performance.now();
    const timer = setInterval(() => {
      sample(platform, (performance.now() - startedAt) / 1_000).then(
        (one) => samples.push(one),
        (error: unknown) => console.error(`no sample: ${String(error)}`),
      );
    }, 5_000);
    try {
      for (let minute = 0; minute < minutes; minute++) {
        const phase = await client.run({
          endpoint: platform.otlpHttp,
          connections: 48,
          seconds: 60,
          spansPerSecond: rate,
          seed: 1_000 + minute,
        });
        phases.push(phase);
        const latest = samples.at(-1);
        const rss = [...(latest?.rss ?? [])].map(([name, bytes]) => `${name} ${mebibytes(bytes)}`).join(', ');
        console.log(
          `minute ${minute + 1}: ${thousands(phase.acknowledgedSpans / phase.seconds)} spans/s, p99 ${thousands(phase.p99, 1)} ms, ${rss}, ${latest?.files ?? 0} files`,
        );
      }
    } finally {
      clearInterval(timer);
      await client.stop();
    }
    if (!(await drained(platform))) throw new Error('the backlog did not empty');
    const exit = await platform.stop();
    if (exit.code !== 0) throw new Error(`the platform ended with code ${exit.code}`);
    const failures = phases.map((phase) => phase.failures).filter((each) => Object.keys(each).length > 0);
    if (failures.length > 0) throw new Error(`refused requests: ${JSON.stringify(failures)}`);
    const findings: Findings = {
      bench: 'steady',
      command: `npm run soak -- steady --minutes ${values.minutes}`,
      figures: figuresOf(samples, phases, rate),
      notes: [
        'Growth is the slope of a line through one sample every five seconds, without the first third of the run.',
      ],
    };
    console.log(markdownTable(findings.figures));
    if (values.write) writeSection(findings);
  });
}
