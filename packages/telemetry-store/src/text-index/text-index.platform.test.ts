import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MigrationTarget } from '../migrations/template.ts';
import { Params } from '../queries/core/params.ts';
import { BASE_MS, openQueryBench, type QueryBench } from '../queries/core/testing.ts';
import { wordsAnywhere } from '../queries/spans/span-words.ts';
import { TEXT_INDEXES, TextIndex, type TextIndexParts } from './text-index.ts';

const TARGET: MigrationTarget = { database: 'candela', cluster: undefined, storage: 'embedded' };
const ROWS = 20_000;

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
  await stored('before');
});
afterAll(() => bench.close());

/** Spans as an insert leaves them, every tenth of which has a word. */
const stored = (word: string): Promise<void> =>
  bench.store.command(
    `INSERT INTO otel_traces (ProjectId, TraceId, SpanName, ContentAttributes, ReceivedAt, Timestamp, RetentionDays)
      SELECT 'default', hex(number), 'chat', map('gen_ai.prompt', if(number % 10 = 0, 'say ${word}, please', 'say nothing')),
        now64(3), fromUnixTimestamp64Milli({at:Int64} + number), 30 FROM numbers(${ROWS})
      SETTINGS exclude_materialize_skip_indexes_on_insert = '${TEXT_INDEXES.join(',')}'`,
    { at: BASE_MS },
  );

const opened = (wanted: boolean, parts: Partial<TextIndexParts> = {}): TextIndex => {
  const index = new TextIndex({
    store: bench.store,
    target: TARGET,
    wanted,
    logger: silentLogger,
    fewRows: 0,
    ...parts,
  });
  index.keep();
  return index;
};
const present = async (): Promise<string[]> => {
  const rows = await bench.store.select<{ table: string }>(
    `SELECT DISTINCT table FROM system.data_skipping_indices WHERE database = currentDatabase() AND startsWith(name, 'idx_text') ORDER BY table`,
  );
  return rows.map(({ table }) => table);
};

interface Asked {
  readonly sql: string;
  readonly params: Params;
}

const asked = (word: string, index: TextIndex): Asked => {
  const params = new Params({
    store: {
      columnOf: () => undefined,
      indexesWords: (table) => index.tells(table),
      indexesItems: () => false,
    },
  });
  const sql = `SELECT count() AS Rows FROM otel_traces WHERE ProjectId = 'default' AND ${wordsAnywhere('any', word, params)}`;
  return { sql, params };
};
const count = async ({ sql, params }: Asked): Promise<number> =>
  Number((await bench.store.select<{ Rows: number }>(sql, params.values))[0]?.Rows);

describe('a text index', () => {
  it('is built for what is stored, and tells words then', async () => {
    const index = opened(true);
    expect(asked('before', index).sql).toContain('identity(');
    await vi.waitUntil(
      () => index.tells('otel_traces') && index.tells('otel_logs') && index.tells('otel_traces', 'items'),
      30_000,
    );
    expect(await present()).toEqual(['otel_logs', 'otel_traces']);
    const told = asked('before', index);
    expect(told.sql).not.toContain('identity(');
    expect(await count(told)).toBe(ROWS / 10);
    const plan = await bench.store.select<{ explain: string }>(
      `EXPLAIN actions = 1 ${told.sql}`,
      told.params.values,
    );
    // The texts are not read at all.
    expect(plan.map(({ explain }) => explain).join('\n')).toMatch(/Output: (?!.*ContentAttributes)/);
    await index.close();
  });

  it('tells words of rows that came since, before their first merge and after it', async () => {
    await stored('since');
    const index = opened(true);
    await vi.waitUntil(() => index.tells('otel_traces'), 30_000);
    for (const word of ['since', 'before']) {
      expect(await count(asked(word, index))).toBe(ROWS / 10);
    }
    await stored('later');
    const later = asked('later', index);
    expect(await count(later)).toBe(ROWS / 10);
    await bench.store.command('OPTIMIZE TABLE otel_traces FINAL');
    expect(await count(later)).toBe(ROWS / 10);
    await index.close();
  });

  it('is dropped where it is not wanted, and words are read from texts', async () => {
    const index = opened(false);
    await vi.waitUntil(async () => (await present()).length === 0, 30_000);
    expect(index.tells('otel_traces')).toBe(false);
    expect(await count(asked('since', index))).toBe(ROWS / 10);
    await index.close();
  });

  it('that cannot be made is done without', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...said: unknown[]) => void warnings.push(said) };
    const store = {
      select: bench.store.select.bind(bench.store),
      command: () => Promise.reject(new Error('Unknown index type')),
    };
    const index = new TextIndex({ store, target: TARGET, wanted: true, logger });
    index.keep();
    await vi.waitUntil(() => warnings.length > 0);
    expect(index.tells('otel_traces')).toBe(false);
    await index.close();
  });
});
