import { expect, it } from 'vitest';
import { testSpan } from './light-span.fixture.ts';
import { mayGrow } from './still-running.ts';

const BEGAN = Date.parse('2026-11-22T12:00:00.000Z');
const MINUTE = 60_000;
const at = (minutes: number, unfinished: boolean) =>
  testSpan('a', '', 'llm', 0, {
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
