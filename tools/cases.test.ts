/** Every reported input has a test, and the table of them is true. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FIXTURES = join(ROOT, 'packages/semconv/src/conventions/fixtures/cases');
const ROW = /^\| (.+?) \| (.+?) \| `(.+?\.test\.ts)` \|$/;

const rows = readFileSync(join(ROOT, 'tools/testing/cases.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, name = '', words = '', file = ''] = ROW.exec(line) ?? [];
    return file === '' ? [] : [{ name, words, file }];
  });
const cases = readdirSync(FIXTURES).map((file) => file.replace(/\.json$/, ''));

it('every input has a row', () => {
  expect(rows.map(({ name }) => name).filter((name) => cases.includes(name))).toEqual(cases.toSorted());
  expect(rows.length).toBeGreaterThan(cases.length);
});

it.each(rows)('$name: its test is there', ({ name, words, file }) => {
  const wanted = cases.includes(name) ? `'${name}'` : words.slice(1, -1);
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(wanted);
});
