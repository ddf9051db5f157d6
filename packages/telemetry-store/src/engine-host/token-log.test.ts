import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgetUnusedTokens } from './token-log.ts';

let store: string;
let table: string;
let log: string;

beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'candela-tokens-'));
  table = join(store, 'store', 'abc', 'abcdef');
  log = join(table, 'deduplication_logs', 'deduplication_log_2.txt');
  mkdirSync(join(table, 'deduplication_logs'), { recursive: true });
  mkdirSync(join(table, 'all_0_0_0'));
  writeFileSync(join(table, 'deduplication_logs', 'deduplication_log_1.txt'), '1\tall_0_0_0\told\n');
});
afterEach(() => rmSync(store, { recursive: true, force: true }));

it('takes back only tokens whose part is neither there nor merged into another', () => {
  for (const part of ['30-20261120_1_5_1_9', '30-20261120_7_7_0', 'tmp_insert_30-20261120_8_8_0'])
    mkdirSync(join(table, part));
  const lines = [
    '1\t30-20261120_3_3_0\tmerged',
    '1\t30-20261120_7_7_0\tthere',
    '1\t30-20261121_7_7_0\tother day',
    '1\t30-20261120_6_6_0\ttaken back before',
    '2\t30-20261120_6_6_0\ttaken back before',
    '1\t30-20261120_8_8_0\tcut off',
    '',
  ].join('\n');
  writeFileSync(log, lines);
  expect(forgetUnusedTokens(store)).toBe(2);
  const added = '2\t30-20261121_7_7_0\tother day\n2\t30-20261120_8_8_0\tcut off\n';
  expect(readFileSync(log, 'utf8')).toBe(lines + added);
  expect(forgetUnusedTokens(store)).toBe(0);
});

it('cuts a torn last line, which would hide what is written after it', () => {
  mkdirSync(join(table, 'all_1_1_0'));
  writeFileSync(log, '1\tall_1_1_0\ta\n1\tall_2_2');
  expect(forgetUnusedTokens(store)).toBe(0);
  expect(readFileSync(log, 'utf8')).toBe('1\tall_1_1_0\ta\n');
});

it('does nothing in a new directory', () => {
  expect(forgetUnusedTokens(join(store, 'absent'))).toBe(0);
});
