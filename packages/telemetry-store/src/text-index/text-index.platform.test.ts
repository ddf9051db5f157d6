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

const opened = (wanted: boolean | 'auto', parts: Partial<TextIndexParts> = {}): TextIndex => {
  const index = new TextIndex({
    store: bench.store,
    target: TARGET,
    wanted,
    logger: silentLogger,
    tuning: { fewRows: 0, slowMs: 0, soonMs: 10 },
    ...parts,
  });
  index.keep();
  return index;
};

const present = async (): Promise<string[]> => {
  const rows = await bench.store.select<{ table: string }>(
    `SELECT table FROM system.data_skipping_indices WHERE database = currentDatabase() AND startsWith(name, 'idx_text') ORDER BY table`,
  );
  return rows.map(({ table }) => table);
};

interface Asked {
  readonly sql: string;
  readonly params: Params;
}

const asked = (word: string): Asked => {
  const params = new Params();
  const sql = `SELECT count() AS Rows FROM otel_traces WHERE ProjectId = 'default' AND ${wordsAnywhere('any', word, params)}`;
  return { sql, params };
};

const count = async (sql: string, { values }: Params): Promise<number> =>
  Number((await bench.store.select<{ Rows: number }>(sql, values))[0]?.Rows);

describe('a text index', () => {
  it('is built for what is stored, and tells words then', async () => {
    const { sql, params } = asked('before');
    const index = opened(true);
    expect(index.written(sql, params.words)).toBe(sql);
    await vi.waitUntil(() => index.tells('otel_traces') && index.tells('otel_logs'), 30_000);
    expect(await present()).toEqual(['otel_logs', 'otel_traces']);
    const written = index.written(sql, params.words);
    expect(written).not.toContain('identity(');
    expect(await count(written, params)).toBe(ROWS / 10);
    const plan = await bench.store.select<{ explain: string }>(
      `EXPLAIN actions = 1 ${written}`,
      params.values,
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
      const { sql, params } = asked(word);
      expect(await count(index.written(sql, params.words), params)).toBe(ROWS / 10);
    }
    await stored('later');
    const later = asked('later');
    expect(await count(index.written(later.sql, later.params.words), later.params)).toBe(ROWS / 10);
    await bench.store.command('OPTIMIZE TABLE otel_traces FINAL');
    expect(await count(index.written(later.sql, later.params.words), later.params)).toBe(ROWS / 10);
    await index.close();
  });

  it('goes on telling words where nothing can be written any more', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...said: unknown[]) => void warnings.push(said) };
    let full = false;
    const store: TextIndexParts['store'] = {
      select: bench.store.select.bind(bench.store),
      command: (...asks) =>
        full ? Promise.reject(new Error('No space left')) : bench.store.command(...asks),
    };
    const tuning = { fewRows: 0, slowMs: 0, soonMs: 10, watchMs: 20 };
    const index = opened(true, { store, logger, tuning });
    await vi.waitUntil(() => index.tells('otel_traces'), 30_000);
    full = true;
    const { sql, params } = asked('before');
    expect(await index.read(sql, params.words, (text) => count(text, params))).toBe(ROWS / 10);
    await vi.waitUntil(() => warnings.length > 0, 30_000);
    expect(JSON.stringify(warnings)).toContain('it tells words all the same');
    expect(index.tells('otel_traces')).toBe(true);
    await index.close();
  });

  it('is dropped where it is not wanted, and words are read from texts', async () => {
    const index = opened(false);
    await vi.waitUntil(async () => (await present()).length === 0, 30_000);
    const { sql, params } = asked('since');
    expect(index.tells('otel_traces')).toBe(false);
    expect(index.written(sql, params.words)).toBe(sql);
    expect(await count(sql, params)).toBe(ROWS / 10);
    await index.close();
  });

  it('comes by itself where words are looked for again and again, and goes where nobody looks for any', async () => {
    const ask = (index: TextIndex, word: string): Promise<number> => {
      const { sql, params } = asked(word);
      return index.read(sql, params.words, (text) => count(text, params));
    };
    await bench.store.command('TRUNCATE TABLE attribute_use');
    const [one, other] = [opened('auto'), opened('auto')];
    for (const index of [one, other]) {
      for (let times = 0; times < 2; times += 1) expect(await ask(index, 'before')).toBe(ROWS / 10);
    }
    const asks = async () => {
      const rows = await bench.store.select<{ Asks: number }>(
        "SELECT sum(Asks) AS Asks FROM attribute_use WHERE Kind = 'words'",
      );
      return Number(rows[0]?.Asks);
    };
    await vi.waitUntil(async () => (await asks()) === 4, 30_000);
    expect(await present()).toEqual([]);
    await ask(other, 'before');
    await vi.waitUntil(() => other.tells('otel_traces'), 30_000);
    // Nobody looked for words of log records.
    expect(await present()).toEqual(['otel_traces']);
    expect(await ask(other, 'before')).toBe(ROWS / 10);
    await Promise.all([one.close(), other.close()]);

    const later = opened('auto');
    await vi.waitUntil(() => later.tells('otel_traces'), 30_000);
    await later.close();
    // What was noted is older than what counts.
    await bench.store.command('TRUNCATE TABLE attribute_use');
    const last = opened('auto');
    await vi.waitUntil(async () => (await present()).length === 0, 30_000);
    expect(last.tells('otel_traces')).toBe(false);
    await last.close();
  });

  it('comes by itself to no disk that it would fill, and to no server that nobody wants it on', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (...said: unknown[]) => void warnings.push(said) };
    await bench.store.command('TRUNCATE TABLE attribute_use');
    await bench.store.command(
      "INSERT INTO attribute_use (Kind, TableName, Asks) SELECT 'words', 'otel_traces', 100",
    );
    const store: TextIndexParts['store'] = {
      select: (sql, ...rest) =>
        bench.store.select(sql.replace('FROM system.disks', 'FROM (SELECT 1 AS unreserved_space)'), ...rest),
      command: bench.store.command.bind(bench.store),
    };
    const full = opened('auto', { store, logger });
    await vi.waitUntil(() => warnings.length > 0, 30_000);
    expect(JSON.stringify(warnings)).toContain('the text index cannot be made');
    await full.close();
    const server = opened('auto', { target: { ...TARGET, storage: 'server' } });
    await server.close();
    expect(await present()).toEqual([]);
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
