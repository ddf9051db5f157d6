import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { startEmbeddedEngine } from '@candela/telemetry-store';
import {
  compareWithStore,
  openClickHouseProxy,
  type PlatformProcess,
  startAckLoad,
  startPlatform,
  startPostgres,
} from '@candela/testkit';
import { sleep } from '../lib/temp.ts';

const PHASE_MS = 4_000;
const LOOKS = 300;
const LOOK_MS = 200;

/**
 * `npm run soak -- rolling <checkout of an earlier version>`: two replicas of it on one PostgreSQL and one ClickHouse are replaced by
 * two of this version, one after the other, under load. Throws unless both versions answered side by side and everything
 * acknowledged is stored.
 */
export async function run(args: readonly string[]): Promise<void> {
  const [checkout] = args;
  if (checkout === undefined)
    throw new Error('Name a checkout of the earlier version, with its packages installed.');
  const postgres = await startPostgres();
  if (postgres === undefined) throw new Error('It needs PostgreSQL.');
  const dir = mkdtempSync(join(tmpdir(), 'candela-soak-rolling-'));
  const engine = await startEmbeddedEngine({ dataDir: join(dir, 'engine'), logger: silentLogger });
  const clickhouse = await openClickHouseProxy({
    socketPath: engine.socketPath,
    username: 'candela',
    password: 'pw',
  });
  const env = {
    PLATFORM_DATABASE_URL: await postgres.createDatabase(),
    PLATFORM_CLICKHOUSE_URL: `http://candela:pw@${new URL(clickhouse.url).host}/candela`,
    PLATFORM_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const start = (name: string, root?: string): Promise<PlatformProcess> => {
    const dataDir = join(dir, name);
    mkdirSync(dataDir, { recursive: true });
    return startPlatform({ dataDir, env, ...(root === undefined ? {} : { root }) });
  };
  const running: (PlatformProcess | undefined)[] = [];
  try {
    running[0] = await start('one', resolve(checkout));
    running[1] = await start('two', resolve(checkout));
    let turn = 0;
    const load = startAckLoad({
      endpoint: () => {
        turn += 1;
        return running[turn % 2]?.otlpHttp;
      },
      clients: 6,
      service: 'soak-rolling',
    });
    const answers: string[] = [];
    const ask = async (when: string) => {
      for (const [place, replica] of running.entries()) {
        const response = await fetch(`${replica?.http}/api/telemetry/aggregate`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ from: '-1h', measures: ['count'] }),
        });
        if (!response.ok) throw new Error(`${when}: replica ${place + 1} answered ${response.status}`);
        const { data } = (await response.json()) as { data: { rows: { values: number[] }[] } };
        answers.push(`${when}, replica ${place + 1}: ${data.rows[0]?.values[0] ?? 0} spans`);
      }
    };
    await sleep(PHASE_MS);
    await ask('both of the earlier version');
    for (const [place, name] of ['one', 'two'].entries()) {
      const old = running[place];
      running[place] = undefined;
      const { code } = (await old?.stop()) ?? {};
      if (code !== 0) throw new Error(`The earlier version ended with code ${code}`);
      running[place] = await start(name);
      await sleep(PHASE_MS);
      await ask(place === 0 ? 'one of each' : 'both of this version');
    }
    await load.stop();
    for (const replica of running) await replica?.stop();
    const store = await engine.open('candela');
    const stored = () =>
      store.select<{ traceId: string; spans: number; distinctSpans: number }>(
        `SELECT TraceId AS traceId, toUInt32(count()) AS spans, toUInt32(uniqExact(SpanId)) AS distinctSpans
         FROM otel_traces WHERE ServiceName = 'soak-rolling' GROUP BY TraceId`,
        {},
        { maxResultRows: 10_000_000 },
      );
    let report = compareWithStore(load, await stored());
    for (let look = 0; look < LOOKS && report.lost.length > 0; look += 1) {
      await sleep(LOOK_MS);
      report = compareWithStore(load, await stored());
    }
    await store.close();
    for (const answer of answers) console.log(answer);
    console.log(
      `${report.acknowledged} requests acknowledged, ${report.lost.length} lost, ${report.unknown.length} unknown`,
    );
    if (report.lost.length > 0) throw new Error('acknowledged spans were lost');
  } finally {
    for (const replica of running) await replica?.stop();
    await clickhouse.close();
    await engine.close();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
