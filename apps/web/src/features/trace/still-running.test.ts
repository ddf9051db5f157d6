import { expect, it } from 'vitest';
import { testSpan } from './light-span.fixture.ts';
import { mayGrow } from './still-running.ts';

const BEGAN = Date.parse('2026-11-22T12:00:00.000Z');
const MINUTE = 60_000;
const at = (minutes: number, unfinished: boolean, parent = '') =>
  testSpan('a', parent, 'llm', 0, {
    startTime: new Date(BEGAN + minutes * MINUTE).toISOString(),
    unfinished,
    durationMs: 0,
  }).light;

it('expects more while a span has no end and something began within the hour', () => {
  expect(mayGrow([[at(0, true)]], BEGAN + MINUTE)).toBe(true);
  expect(mayGrow([[at(0, true)]], BEGAN + 61 * MINUTE)).toBe(false);
  expect(mayGrow([[at(0, true)], [at(50, false)]], BEGAN + 61 * MINUTE)).toBe(true);
  expect(mayGrow([[at(0, false)]], BEGAN + MINUTE)).toBe(false);
  expect(mayGrow([[at(0, true)], [], []], BEGAN + MINUTE)).toBe(false);
});

it('expects a parent that is not here while what is below it ends', () => {
  const below = at(0, false, 'running');
  expect(mayGrow([[below]], BEGAN + MINUTE)).toBe(true);
  expect(mayGrow([[below]], BEGAN + 11 * MINUTE)).toBe(false);
  expect(mayGrow([[below, { ...at(10, false, 'running'), spanId: 'b' }]], BEGAN + 11 * MINUTE)).toBe(true);
  expect(mayGrow([[below], [{ ...at(0, false), spanId: 'running' }]], BEGAN + MINUTE)).toBe(false);
  expect(mayGrow([], BEGAN)).toBe(false);
  expect(mayGrow([[at(60, false, 'running')]], BEGAN)).toBe(false);
});
