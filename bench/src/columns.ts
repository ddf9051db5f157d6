import { parseArgs } from 'node:util';
import { prepareBlocks } from './ingest/ceilings.ts';
import type { Bench } from './lib/bench.ts';
import { cpuSeconds } from './lib/proc.ts';
import { openStoreOf } from './lib/store.ts';
import { type Figure, thousands } from './lib/table.ts';
import { withTempDir } from './lib/temp.ts';

/** Attributes of the bench's spans that have no column, of few and of thousands of values. */
const KEYS = [
  'url.path',
  'url.scheme',
  'server.port',
  'network.protocol.version',
  'user_agent.original',
  'thread.id',
  'db.namespace',
  'db.query.text',
  'db.query.summary',
  'network.peer.address',
  'network.peer.port',
  'db.response.returned_rows',
];
const BATCHES_AN_INSERT = 70;
const INSERTS = 6;
const REPEATS = 4;

/** Milliseconds of the engine's CPU. */
async function cpuOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = cpuSeconds(pid);
  await work();
  return (cpuSeconds(pid) - before) * 1_000;
}

interface Cost {
  readonly insertMs: number;
  readonly mergeMs: number;
  readonly fillMs: number;
  readonly bytesPerSpan: number;
}

/** What spans cost in a table with so many columns of attributes besides its own. */
async function costOf(columns: number, parts: readonly Uint8Array[]): Promise<Cost> {
  return withTempDir(async (folder) => {
    const store = await openStoreOf(folder);
    const { pid = 0 } = store.health();
    const rows = BATCHES_AN_INSERT * 1_000;
    const names = Array.from({ length: columns }, (_, index) => `Bench${index}`);
    const added = names.map(
      (name, index) =>
        `ADD COLUMN ${name} LowCardinality(String) MATERIALIZED SpanAttributes['${KEYS[index % KEYS.length] ?? ''}']`,
    );
    const insert = (token: string) => store.insertNative('otel_traces', parts, token);
    try {
      await store.command('SYSTEM STOP MERGES');
      await insert('before');
      if (names.length > 0) await store.command(`ALTER TABLE otel_traces ${added.join(', ')}`);
      await insert('warm');
      let insertMs = Infinity;
      for (let turn = 0; turn < INSERTS; turn++) {
        insertMs = Math.min(insertMs, await cpuOf(pid, () => insert(`insert ${turn}`)));
      }
      await store.command('SYSTEM START MERGES');
      const mergeMs = await cpuOf(pid, () => store.command('OPTIMIZE TABLE otel_traces FINAL'));
      const [size] = await store.select<{ bytes: number }>(
        "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = 'candela' AND table = 'otel_traces'",
      );
      const fill = names.map((name) => `MATERIALIZE COLUMN ${name}`).join(', ');
      const fillMs =
        names.length === 0
          ? 0
          : await cpuOf(pid, () =>
              store.command(`ALTER TABLE otel_traces ${fill} SETTINGS mutations_sync = 1`),
            );
      return { insertMs, mergeMs, fillMs, bytesPerSpan: Number(size?.bytes ?? 0) / (rows * (INSERTS + 2)) };
    } finally {
      await store.close();
    }
  });
}

/** What columns of attributes cost when spans are inserted, merged and filled afterwards. */
export const columns: Bench = {
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: { columns: { type: 'string', default: '0,12,24,100' } },
    });
    const parts = prepareBlocks(BATCHES_AN_INSERT).map(({ bytes }) => bytes);
    const costs = new Map<string, Cost[]>(values.columns.split(',').map((name) => [name, []]));
    // In turns, so that a machine that is busy for a while is so for all of them.
    for (let turn = 0; turn < REPEATS; turn++) {
      for (const [name, all] of costs) {
        all.push(await costOf(Number(name), parts));
      }
    }
    const figures = [...costs].map(([name, all]): Figure => {
      const least = (of: (cost: Cost) => number) => Math.min(...all.map(of));
      return {
        what: `${name} columns: inserting ${thousands(BATCHES_AN_INSERT * 1_000)} spans, CPU of the engine`,
        value: `${thousands(least((cost) => cost.insertMs))} ms`,
        against: `merging ${thousands(BATCHES_AN_INSERT * 1_000 * (INSERTS + 2))}: ${thousands(least((cost) => cost.mergeMs))} ms; filling them: ${thousands(least((cost) => cost.fillMs))} ms; ${thousands(
          least((cost) => cost.bytesPerSpan),
          1,
        )} B/span`,
      };
    });
    return {
      bench: 'columns',
      command: `npm run bench -- columns ${args.join(' ')}`.trimEnd(),
      figures,
      notes: [
        `The least of ${REPEATS} turns; the rows with their rollups, merges stopped while inserting. Columns of ${KEYS.length} keys, some of them several times.`,
      ],
    };
  },
};
