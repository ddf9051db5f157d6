import { parseFilterOrFail } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BASE_MS, contextOf, openQueryBench, type QueryBench, span } from '../core/testing.ts';
import { FIGURES } from './figures.ts';
import { allOf, ARRIVING, LISTS } from './lists.ts';
import { PAGES } from './pages.ts';
import { type Ground, groundOf } from './question.ts';
import { Random } from './random.ts';
import { send, sendPoints, SHAPES } from './traffic.ts';

/**
 * Random traffic, random questions, and what the rows themselves answer, worked out one by one. `DIFFERENTIAL_SEED` runs a
 * seed that failed, `DIFFERENTIAL_SEEDS` and `DIFFERENTIAL_ROUNDS` make it long.
 */
const SEED = Number(process.env['DIFFERENTIAL_SEED'] ?? 1);
const SEEDS = Number(process.env['DIFFERENTIAL_SEEDS'] ?? 1);
const ROUNDS = Number(process.env['DIFFERENTIAL_ROUNDS'] ?? 8);
const QUESTIONS = { ...LISTS, ...FIGURES, ...PAGES };

// Sums of doubles depend on their order in the last digits.
expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    typeof a === 'number' && typeof b === 'number' && !(Number.isInteger(a) && Number.isInteger(b))
      ? Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))
      : undefined,
]);

let bench: QueryBench;
beforeAll(async () => {
  // As a platform reads by default.
  bench = await openQueryBench({ textIndex: true });
  for (const table of ['otel_traces', 'otel_logs']) {
    await vi.waitUntil(async () => (await bench.store.snapshot?.())?.indexesItems(table) === true, 30_000);
  }
});
afterAll(() => bench.close());

describe.each(Array.from({ length: SEEDS }, (_, n) => SEED + n))('seed %i', (seed) => {
  let ground: Ground;
  beforeAll(async () => {
    const project = `seed ${seed}`;
    await send(bench, new Random(project), project, {
      spans: 1_200,
      logs: 500,
      shape: SHAPES[seed % SHAPES.length] ?? 'dense',
    });
    const points = await sendPoints(bench, new Random(project), project);
    ground = await groundOf(bench, project, points);
    expect([ground.spans.length >= 1_200, ground.logs.length]).toEqual([true, 500]);
  });

  it.each(Object.entries(QUESTIONS))('%s', { timeout: 3_600_000 }, async (name, ask) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const random = new Random(`${seed} ${name} ${round}`);
      const { asked, got, want } = await ask(ground, random);
      const said = JSON.stringify(asked, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      expect(got, `seed ${seed}, ${name}, round ${round}: ${said}`).toEqual(want);
    }
  });
});

describe('lists while rows arrive', () => {
  const project = `arriving ${SEED}`;
  const context = contextOf(project);
  let sent = 0;
  const traffic = async (random: Random, spans: number, logs: number): Promise<void> => {
    await send(bench, random, project, { spans, logs, offset: sent });
    sent += 10_000;
  };
  beforeAll(() => traffic(new Random(project), 600, 300));

  it.each(ARRIVING)('%s', { timeout: 3_600_000 }, async (name, ask) => {
    for (let round = 0; round < ROUNDS / 3; round += 1) {
      const random = new Random(`${SEED} arriving ${name} ${round}`);
      const page = ask(bench, context, random);
      const before = await allOf(page);
      let pages = 0;
      const during = await allOf(async (cursor) => {
        // Old rows and new ones come between the pages.
        if (pages > 0 && pages < 3) await traffic(random, 20, 10);
        pages += 1;
        return page(cursor);
      });
      const known = new Set(before);
      const what = `seed ${SEED}, ${name}, round ${round}`;
      expect(
        during.filter((row) => known.has(row)),
        what,
      ).toEqual(before);
      expect(new Set(during).size, what).toBe(during.length);
    }
  });
});

describe('once wrong', () => {
  const context = contextOf('once wrong');
  const countOf = async (q: string): Promise<number | null | undefined> => {
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 1_000) * 1_000_000n };
    const { rows } = await bench.queries.aggregate(context, {
      window,
      filter: parseFilterOrFail(q, 'spans'),
      groupBy: [],
      measures: ['count'],
      bucketSeconds: undefined,
      limit: 1,
    });
    return rows[0]?.values[0];
  };
  beforeAll(() => {
    const message = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }]);
    const asked = span(1, 1, 0, { attributes: { 'gen_ai.input.messages': message } });
    const answered = span(1, 2, 1, { attributes: { 'gen_ai.output.messages': message } });
    const plain = span(1, 3, 2);
    const ended = (after: bigint) => ({
      ...plain,
      endTimeUnixNano: (plain.startTimeUnixNano as bigint) + after,
    });
    return bench.put([asked, answered, ended(1_001_000n)], { project: 'once wrong' });
  });

  it.each([
    ['a duration in milliseconds that times a million is no whole number', 'duration:1.001ms', 1],
    ['the same in seconds', 'duration:0.001001s', 1],
    ['at least that long', 'duration>=1.001ms duration<=1.001ms', 1],
    ['a prompt is no completion', 'completion:*', 1],
    ['a completion is no prompt', 'prompt:*', 1],
    ['no completion', '-completion:*', 2],
    ['any text', 'text:*', 2],
  ])('%s: %s', async (_, q, count) => {
    expect(await countOf(q)).toBe(count);
  });

  it('lists of traces by a figure hold those of the next century', async () => {
    const far = BigInt(Date.UTC(2150, 0, 1)) * 1_000_000n;
    const late = { startTimeUnixNano: far, endTimeUnixNano: far + 5_000_000n };
    await bench.put([span(2, 4, 0, late)], { project: 'once wrong' });
    const window = { from: far - 1_000_000_000n, to: far + 1_000_000_000n };
    const asked = { window, filter: undefined, limit: 10, cursor: undefined };
    for (const sort of ['-start', '-duration', 'cost'] as const) {
      const { data } = await bench.queries.searchTraces(context, { ...asked, sort });
      expect(data.map(({ spanCount }) => spanCount)).toEqual([1]);
    }
  });
});
