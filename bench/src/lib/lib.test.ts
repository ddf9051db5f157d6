import { expect, test } from 'vitest';
import { slope } from '../soak/steady.ts';
import { Latencies } from './latency.ts';
import { memoryLatency } from './memory-latency.ts';
import { replaceSection } from './report.ts';
import { Scrape } from './scrape.ts';
import { markdownTable } from './table.ts';

test('a section is replaced between its markers and nothing else', () => {
  const text = 'a\n<!-- bench:x -->\nold\n<!-- /bench:x -->\nb\n<!-- bench:y -->\nkept\n<!-- /bench:y -->\n';
  expect(replaceSection(text, 'x', 'new')).toBe(
    'a\n<!-- bench:x -->\nnew\n<!-- /bench:x -->\nb\n<!-- bench:y -->\nkept\n<!-- /bench:y -->\n',
  );
  expect(() => replaceSection(text, 'z', 'new')).toThrow('bench:z');
});

test('quantiles are exact', () => {
  const latencies = new Latencies();
  for (let value = 100; value >= 1; value--) latencies.add(value);
  expect(latencies.quantile(0.5)).toBe(51);
  expect(latencies.quantile(0.99)).toBe(100);
  expect(latencies.max).toBe(100);
});

test('reading from memory takes nanoseconds', () => {
  expect(memoryLatency(10_000)).toBeGreaterThan(0.1);
  expect(memoryLatency(10_000)).toBeLessThan(100_000);
});

test('a scrape sums the series of one name and no other', () => {
  const scrape = new Scrape('# HELP x\nx{a="1",b="2"} 3\nx{a="2"} 4\nx_total 100\n');
  expect(scrape.sum('x')).toBe(7);
  expect(scrape.sum('x', { a: '1' })).toBe(3);
  expect(scrape.sum('absent')).toBe(0);
});

test('the slope of a line is found, noise around it or not', () => {
  expect(
    slope([
      [0, 1],
      [1, 3],
      [2, 5],
    ]),
  ).toBeCloseTo(2);
  expect(
    slope([
      [0, 5],
      [10, 5],
    ]),
  ).toBe(0);
});

test('tables are aligned', () => {
  const table = markdownTable([{ what: 'long name', value: '1', against: '' }]);
  expect(new Set(table.split('\n').map((line) => line.length)).size).toBe(1);
});
