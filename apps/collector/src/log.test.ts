import { expect, it } from 'vitest';
import { createLog, errorText, logLine } from './log.ts';

const at = new Date('2026-11-20T10:00:00Z');

it('keeps whatever it is told in one line', () => {
  const line = logLine(at, 'info', 'mounted\nERROR forged', {
    path: '/mnt/a b\u001b[2J"\\',
    count: 3,
    missing: undefined,
    turned: 'a\u202eb',
  });
  expect(line).toBe(
    '2026-11-20T10:00:00.000Z info  mounted\\nERROR forged path="/mnt/a b\\\\u001b[2J\\"\\\\" count=3 turned="a\\\\u202eb"',
  );
});

it('cuts what is long', () => {
  expect(logLine(at, 'warn', 'x'.repeat(5_000)).length).toBeLessThan(2_100);
});

it('leaves out what is less important than wanted', () => {
  const lines: string[] = [];
  const log = createLog('warn', (text) => lines.push(text));
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(lines.map((line) => line.trim().slice(-1))).toEqual(['c', 'd']);
  createLog('none', (text) => lines.push(text)).error('e');
  expect(lines).toHaveLength(2);
});

it('finds words for what was thrown', () => {
  expect(errorText(new Error('a'))).toBe('a');
  expect(errorText('b')).toBe('b');
  expect(errorText(new AggregateError([new Error('c'), new Error('d')]))).toBe('c; d');
});
