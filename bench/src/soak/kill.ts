import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killRounds, percentile } from '@candela/testkit';
import { compareWithData } from './compare.ts';

const MAX_START_MS = 10_000;

/**
 * `npm run soak -- kill [rounds] [clients]`: SIGKILL to server, engine host or both at random moments under load
 * (default 20 rounds, 50 clients). Throws unless every acknowledged span is stored exactly once and every start took
 * less than ten seconds.
 */
export async function run(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 20);
  const clients = Number(args[1] ?? 50);
  const dataDir = await mkdtemp(join(tmpdir(), 'candela-soak-kill-'));
  try {
    const report = await killRounds({
      dataDir,
      rounds,
      clients,
      service: 'soak-kill',
      // Segments of 2 MiB, so that blows also fall between two of them.
      env: { PLATFORM_LOG_CAP_BYTES: '16MiB' },
      onRound: ({ round, blow, acknowledged, readyAfterMs }) => {
        const start = readyAfterMs === undefined ? '' : `, started in ${Math.round(readyAfterMs)} ms`;
        console.log(`round ${round}: killed ${blow}; ${acknowledged} requests acknowledged so far${start}`);
      },
    });
    const { load } = report;
    const result = await compareWithData(dataDir, load, 'soak-kill');
    const statuses = [...load.statuses]
      .map(([status, count]) => `${status || 'broken'}: ${count}`)
      .join(', ');
    console.log(
      `${result.acknowledged} acknowledged, ${result.lost.length} lost, ${result.doubled.length} doubled, ${result.unknown.length} unknown; ` +
        `answers ${statuses}; ack p50 ${percentile(load.latencies, 0.5).toFixed(1)} ms, p99 ${percentile(load.latencies, 0.99).toFixed(1)} ms; ` +
        `slowest start ${Math.round(report.slowestStartMs)} ms; exit code ${report.exitCode}`,
    );
    if (result.lost.length + result.doubled.length + result.unknown.length > 0) {
      throw new Error('acknowledged spans were lost or doubled');
    }
    if (report.slowestStartMs >= MAX_START_MS) throw new Error('a start took ten seconds or more');
    if (report.exitCode !== 0) throw new Error('the last stop was not clean');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
