import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AckLoad, killRounds, percentile, startAckLoad } from '@candela/testkit';
import { type ChangesReport, startChanges } from './changes.ts';
import { compareWithData } from './compare.ts';

const SERVICE = 'soak-kill';
const KEY = 'pk_soak_0123456789abcdef';
/** Clients of log records and of metrics beside those of spans. */
const OTHERS = 4;

/**
 * `npm run soak -- kill [rounds] [clients]`: SIGKILL to server, engine host or both at random moments (default 20 rounds), while
 * clients (default 50) send spans, others log records and metrics, and somebody makes and deletes what people make. Throws unless
 * every acknowledged span, record and point is stored exactly once, every acknowledged change holds, and the last stop was clean.
 */
export async function run(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 20);
  const clients = Number(args[1] ?? 50);
  const dataDir = await mkdtemp(join(tmpdir(), 'candela-soak-kill-'));
  try {
    let others: Record<'logs' | 'metrics', AckLoad> | undefined;
    let changes: ReturnType<typeof startChanges> | undefined;
    let changed: ChangesReport | undefined;
    const report = await killRounds({
      dataDir,
      rounds,
      clients,
      service: SERVICE,
      growsEvery: 3,
      // Segments of 2 MiB, so that blows also fall between two of them.
      env: { PLATFORM_LOG_CAP_BYTES: '16MiB', PLATFORM_BOOTSTRAP_API_KEY: KEY },
      onRound: ({ round, blow, acknowledged, readyAfterMs }) => {
        const start = readyAfterMs === undefined ? '' : `, started in ${Math.round(readyAfterMs)} ms`;
        console.log(`round ${round}: killed ${blow}; ${acknowledged} requests acknowledged so far${start}`);
      },
      beside(platform) {
        const endpoint = () => platform()?.otlpHttp;
        const begin = (signal: 'logs' | 'metrics') =>
          startAckLoad({ endpoint, signal, clients: OTHERS, service: SERVICE });
        const load = { logs: begin('logs'), metrics: begin('metrics') };
        const somebody = startChanges(() => platform()?.http, KEY);
        others = load;
        changes = somebody;
        return {
          async stop() {
            await Promise.all([load.logs.stop(), load.metrics.stop(), somebody.stop()]);
          },
        };
      },
      async atTheEnd({ http }) {
        changed = await changes?.check(http);
      },
    });
    const { load } = report;
    const results = await compareWithData(dataDir, { traces: load, ...others }, SERVICE);
    let amiss = 0;
    for (const [signal, { acknowledged, lost, doubled, unknown }] of results) {
      amiss += lost.length + doubled.length + unknown.length;
      console.log(
        `${signal}: ${acknowledged} requests acknowledged, ${lost.length} lost, ${doubled.length} doubled, ${unknown.length} unknown`,
      );
    }
    const { made = 0, deleted = 0, wrong = [] } = changed ?? {};
    console.log(`changes: ${made} things made, ${deleted} of them deleted, ${wrong.length} not as answered`);
    for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
    const statuses = [...load.statuses]
      .map(([status, count]) => `${status || 'broken'}: ${count}`)
      .join(', ');
    console.log(
      `answers to spans ${statuses}; ack p50 ${percentile(load.latencies, 0.5).toFixed(1)} ms, p99 ${percentile(load.latencies, 0.99).toFixed(1)} ms; ` +
        `slowest start ${Math.round(report.slowestStartMs)} ms, goal 10,000 ms; exit code ${report.exitCode}`,
    );
    if (amiss > 0) throw new Error('acknowledged telemetry was lost or doubled');
    if (made === 0 || wrong.length > 0) throw new Error('acknowledged changes do not hold');
    if (report.exitCode !== 0) throw new Error('the last stop was not clean');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
