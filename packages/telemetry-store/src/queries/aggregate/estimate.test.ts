import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimated, type Looked, shareOf } from './estimate.ts';
import { scalesOf } from './scales.ts';

const at = (bucket: number): string => new Date(bucket * 60_000).toISOString();
const RUN = 100;
/** Buckets of a thousand rows, of which so many are in the sample. */
const looked = (...taken: number[]): Looked[] =>
  taken.map((count, bucket) => ({ time: at(bucket), rows: 1_000, looked: count }));
const row = (bucket: number, group: string, ...values: (number | null)[]) => ({
  time: at(bucket),
  group: [group],
  values,
});

describe('figures of a sample', () => {
  it('grow by what was not looked at, but for those that do not grow', () => {
    const rows = [row(0, 'a', 20, 0.5, 0.25), row(1, 'a', 40, 1, 0.5)];
    expect(estimated(rows, looked(200, 250), ['whole', 'amount', 'stays'], { run: RUN })).toEqual([
      row(0, 'a', 100, 2.5, 0.25),
      row(1, 'a', 160, 4, 0.5),
    ]);
  });

  it('of a bucket that was passed by are those of its neighbours, and what does not grow is not known', () => {
    const rows = [row(0, 'a', 20, 7), row(2, 'a', 30, 9)];
    const told = estimated(rows, looked(200, 0, 300), ['whole', 'stays'], { run: RUN });
    expect(told).toEqual([row(0, 'a', 100, 7), row(1, 'a', 100, null), row(2, 'a', 100, 9)]);
  });

  it('of each group are its own', () => {
    const rows = [row(0, 'a', 20), row(0, 'b', 60), row(1, 'b', 10)];
    expect(estimated(rows, looked(200, 200), ['whole'], { run: RUN })).toEqual([
      row(0, 'a', 100),
      row(0, 'b', 300),
      row(1, 'b', 50),
    ]);
  });

  it('without buckets are those of all rows', () => {
    const rows = [{ time: null, group: ['a'], values: [5, null] }];
    const all: Looked[] = [{ time: null, rows: 10_000, looked: 500 }];
    expect(estimated(rows, all, ['whole', 'amount'], { run: RUN })).toEqual([
      { time: null, group: ['a'], values: [100, null] },
    ]);
    expect(shareOf(all)).toBe(0.05);
  });

  it('are none of a sample without rows, nor of buckets without any', () => {
    expect(estimated([], looked(200, 200), ['whole'], { run: RUN })).toEqual([]);
    expect(estimated([row(0, 'a', 1)], [], ['whole'], { run: RUN })).toEqual([]);
    const empty = [{ time: at(0), rows: 0, looked: 0 }, ...looked(0, 300).slice(1)];
    expect(estimated([row(1, 'a', 30)], empty, ['whole'], { run: RUN })).toEqual([row(1, 'a', 100)]);
    expect(shareOf([])).toBe(0);
  });

  it('are exact where all rows were looked at in buckets of many', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            rows: fc.integer({ min: 2 * RUN, max: 5_000 }),
            share: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          {
            minLength: 1,
            maxLength: 20,
          },
        ),
        (buckets) => {
          const all = buckets.map(({ rows }, bucket) => ({ time: at(bucket), rows, looked: rows }));
          const rows = buckets.map(({ rows: count, share }, bucket) =>
            row(bucket, 'a', Math.round(count * share)),
          );
          expect(estimated(rows, all, ['whole'], { run: RUN })).toEqual(rows);
        },
      ),
    );
  });

  it('never are of another bucket or group, more than its rows, or below none', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            rows: fc.integer({ min: 0, max: 5_000 }),
            part: fc.double({ min: 0, max: 1, noNaN: true }),
            hits: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          { maxLength: 30 },
        ),
        (buckets) => {
          const all = buckets.map(({ rows, part }, bucket) => ({
            time: at(bucket),
            rows,
            looked: Math.floor(rows * part),
          }));
          const rows = all.flatMap((one, bucket) => {
            const hits = Math.floor(one.looked * (buckets[bucket]?.hits ?? 0));
            return hits === 0 ? [] : [row(bucket, 'a', hits)];
          });
          const told = estimated(rows, all, ['whole'], { run: RUN });
          const times = told.map(({ time }) => time);
          expect(times).toEqual([...new Set(times)].sort());
          for (const { time, group, values } of told) {
            expect(group).toEqual(['a']);
            expect(values[0]).toBeGreaterThanOrEqual(0);
            expect(values[0]).toBeLessThanOrEqual(all.find((one) => one.time === time)?.rows ?? -1);
          }
        },
      ),
    );
  });
});

it('different things cannot be told from a sample', () => {
  expect(scalesOf(['count', 'cost', 'duration_p95'])).toEqual(['whole', 'amount', 'stays']);
  expect(scalesOf(['count', 'traces'])).toBeUndefined();
});
