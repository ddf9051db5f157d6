import { rmSync } from 'node:fs';
import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMBEDDED_DATABASE, startEmbeddedEngine } from '../client/open.ts';
import type { EmbeddedEngine, TelemetryStore } from '../client/types.ts';
import { scratchDir } from './harness.ts';
import { idTextBlock } from './native-block.ts';

let dir: string;
let engine: EmbeddedEngine;
beforeAll(async () => {
  dir = scratchDir();
  engine = await startEmbeddedEngine({ dataDir: dir, logger: silentLogger });
});
afterAll(async () => {
  await engine.close();
  rmSync(dir, { recursive: true, force: true });
});

const count = async (store: TelemetryStore): Promise<number> =>
  (await store.select<{ n: number }>('SELECT count() AS n FROM items'))[0]?.n ?? -1;

describe('databases of one engine', () => {
  it('tells what is missing before a database is made, and nothing afterwards', async () => {
    const before = await engine.inspect('candela_fresh');
    expect(before.schema).toMatchObject({ applied: 0 });
    expect(before.steps.map(({ what, ok }) => [what, ok])).toEqual([
      ['reach', true],
      ['sign_in', true],
      ['version', true],
      ['functions', true],
      ['schema', true],
    ]);
    await (await engine.open('candela_fresh')).close();
    const { schema } = await engine.inspect('candela_fresh');
    expect(schema?.applied).toBe(schema?.needed);
  });

  it('hold each their own rows, also of one token at the same time; one is closed without the other', async () => {
    const [first, second] = await Promise.all([
      engine.open(EMBEDDED_DATABASE),
      engine.open('candela_second'),
    ]);
    for (const store of [first, second]) {
      await store.command(
        'CREATE TABLE items (Id UInt64, Text String) ENGINE = MergeTree ORDER BY Id SETTINGS non_replicated_deduplication_window = 1000',
      );
    }
    const rows = (from: number, length: number) =>
      idTextBlock(Array.from({ length }, (_, index) => ({ id: from + index, text: `row ${from}` })));
    await Promise.all(
      [0, 1, 2, 3].flatMap((turn) => [
        first.insertNative('items', [rows(turn * 100, 3)], `token ${turn}`),
        second.insertNative('items', [rows(turn * 100, 5)], `token ${turn}`),
      ]),
    );
    expect([await count(first), await count(second)]).toEqual([12, 20]);
    await first.close();
    expect(await count(second)).toBe(20);
    expect(second.health().state).toBe('ready');
    const again = await engine.open(EMBEDDED_DATABASE);
    expect(await count(again)).toBe(12);
    await again.close();
    await second.close();
  });

  it('takes no name that could be more than a name', async () => {
    await expect(engine.open('a`; DROP DATABASE candela_second')).rejects.toThrow('is not a name');
  });
});
