import { startPlatform } from '@candela/testkit';
import { Api } from '../lib/api.ts';
import { openStoreOf } from '../lib/store.ts';
import { sleep } from '../lib/temp.ts';
import { put, type Result } from './put.ts';
import { type Question, REPEATS } from './question.ts';

const TABLES = ['otel_traces', 'otel_logs'];

export interface WithTextIndex {
  readonly results: readonly Result[];
  /** Seconds in which it was built for what is stored, with nothing else to do. */
  readonly builtSeconds: number;
  /** By table. */
  readonly bytesPerRow: ReadonlyMap<string, number>;
}

/** Asks the questions of words once more of a store that has an index of all words; it is dropped afterwards. */
export async function withTextIndex(
  questions: readonly Question[],
  { dataDir, env }: { readonly dataDir: string; readonly env: Readonly<Record<string, string>> },
): Promise<WithTextIndex | undefined> {
  const ofWords = questions.filter(({ name }) => /\bwords?\b/.test(name) && !name.endsWith('estimated'));
  if (ofWords.length === 0) return undefined;
  const store = await openStoreOf(dataDir, { textIndex: true });
  const began = performance.now();
  const isBuilt = async () => {
    const snapshot = await store.snapshot?.();
    return TABLES.every((table) => snapshot?.indexesWords(table) === true);
  };
  while (!(await isBuilt())) await sleep(200);
  const builtSeconds = (performance.now() - began) / 1_000;
  const sizes = await store.select<{ Name: string; Bytes: number }>(
    `SELECT table AS Name, any(data_compressed_bytes) / sum(rows) AS Bytes FROM system.data_skipping_indices
     INNER JOIN (SELECT table, rows FROM system.parts WHERE active) AS parts USING (table) WHERE startsWith(name, 'idx_text') GROUP BY table`,
  );
  await store.close();
  const platform = await startPlatform({
    dataDir,
    env: { ...env, PLATFORM_ATTRIBUTE_COLUMNS: '0', PLATFORM_TEXT_INDEX: 'true' },
  });
  const api = new Api(platform.http);
  const results: Result[] = [];
  for (const question of ofWords) {
    const name = `${question.name}, with a text index`;
    // What took seconds without it is asked as often as everything else.
    results.push(await put({ ...question, name, repeats: REPEATS }, api));
  }
  await platform.stop();
  await dropped(dataDir);
  return {
    results,
    builtSeconds,
    bytesPerRow: new Map(sizes.map(({ Name, Bytes }) => [Name, Number(Bytes)])),
  };
}

async function dropped(dataDir: string): Promise<void> {
  const store = await openStoreOf(dataDir);
  const left = async () => {
    const [row] = await store.select<{ n: number }>(
      "SELECT count() AS n FROM system.data_skipping_indices WHERE startsWith(name, 'idx_text')",
    );
    return row?.n;
  };
  while ((await left()) !== 0) await sleep(200);
  await store.close();
}

/** A sentence about what it costs. */
export const costOf = ({ builtSeconds, bytesPerRow }: WithTextIndex): string =>
  `The text index was built in ${Math.round(builtSeconds)} s and takes ${[...bytesPerRow].map(([table, bytes]) => `${bytes.toFixed(1)} B a row of ${table}`).join(', ')}; it was dropped again.`;
