import { parseArgs } from 'node:util';
import { RARE_KEY } from './data/spans.ts';
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
/** Those that a look leaves in the rest of the map: of the bench's spans, one attribute a span. */
const IN_REST = ['db.namespace', 'network.peer.port', 'db.response.returned_rows', RARE_KEY];
const LEFT_OUT = [
  ...KEYS,
  'url.path',
  'client.address',
  'server.address',
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'db.system.name',
  'db.collection.name',
  'db.operation.name',
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.response.id',
  'user.id',
  'gen_ai.conversation.id',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
].filter((key) => !IN_REST.includes(key));
const IS_REST = `(k NOT IN (${LEFT_OUT.map((key) => `'${key}'`).join(', ')}))`;
const REST = [
  `ADD COLUMN BenchRestKeys Array(LowCardinality(String)) MATERIALIZED
    arrayFilter(k -> ${IS_REST}, mapKeys(SpanAttributes)) CODEC(LZ4HC(3))`,
  `ADD COLUMN BenchRestValues Array(String) MATERIALIZED
    arrayFilter((v, k) -> ${IS_REST}, mapValues(SpanAttributes), mapKeys(SpanAttributes)) CODEC(LZ4HC(3))`,
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

/** Columns besides those of the table, and whether one of them holds the rest of the attributes. */
interface Variant {
  readonly columns: number;
  readonly rest: boolean;
}

/** What spans cost in a table with so many columns of attributes besides its own. */
async function costOf({ columns, rest }: Variant, parts: readonly Uint8Array[]): Promise<Cost> {
  return withTempDir(async (folder) => {
    const store = await openStoreOf(folder);
    const { pid = 0 } = store.health();
    const rows = BATCHES_AN_INSERT * 1_000;
    const keys = Array.from({ length: columns }, (_, index) => `Bench${index}`);
    const names = [...keys, ...(rest ? ['BenchRestKeys', 'BenchRestValues'] : [])];
    const added = [
      ...keys.map(
        (name, index) =>
          `ADD COLUMN ${name} LowCardinality(String) MATERIALIZED SpanAttributes['${KEYS[index % KEYS.length] ?? ''}']`,
      ),
      ...(rest ? REST : []),
    ];
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
      options: { columns: { type: 'string', default: '0,12,12+rest,24,100' } },
    });
    const parts = prepareBlocks(BATCHES_AN_INSERT).map(({ bytes }) => bytes);
    const costs = new Map<string, Cost[]>(values.columns.split(',').map((name) => [name, []]));
    // In turns, so that a machine that is busy for a while is so for all of them.
    for (let turn = 0; turn < REPEATS; turn++) {
      for (const [name, all] of costs) {
        const [columns = '', rest] = name.split('+');
        all.push(await costOf({ columns: Number(columns), rest: rest === 'rest' }, parts));
      }
    }
    const figures = [...costs].map(([name, all]): Figure => {
      const least = (of: (cost: Cost) => number) => Math.min(...all.map(of));
      return {
        what: `${name.replace('+', ' columns and the ').replace(/^\d+$/, '$& columns')}: inserting ${thousands(BATCHES_AN_INSERT * 1_000)} spans, CPU of the engine`,
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
        `The least of ${REPEATS} turns; the rows with their rollups, merges stopped while inserting. Columns of ${KEYS.length} keys, some of them several times; the rest is what a look leaves in it.`,
      ],
    };
  },
};
