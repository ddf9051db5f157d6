import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { FileTooLongError, readHead, readLine, readLink, readNames, readNumber, readText } from './files.ts';
import { inRoot } from './host-paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'candela-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

it('reads a file whole, to its bound and never beyond', () => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 200_000]) {
    const path = file('sized', 'x'.repeat(size));
    expect(readText(path)?.length).toBe(size);
    expect(readText(path, size)?.length).toBe(size);
    if (size > 0) expect(() => readText(path, size - 1)).toThrow(FileTooLongError);
    expect(readHead(path, 100)?.length).toBe(Math.min(size, 100));
  }
});

it('reads what the kernel hands out in pieces', () => {
  const status = readText('/proc/self/status');
  expect(status).toMatch(/^Name:/);
  expect(readText('/proc/self/smaps', 16_777_216)?.length).toBeGreaterThan(4_096);
});

it('takes what is not there, or is no file, for undefined', () => {
  expect(readText(join(folder, 'none'))).toBeUndefined();
  expect(readText(join(file('plain', 'x'), 'below'))).toBeUndefined();
  expect(readText(folder)).toBeUndefined();
  expect(readNames(join(folder, 'none'))).toBeUndefined();
  expect(readLink(join(folder, 'plain'))).toBeUndefined();
  expect(readText(`/proc/${2 ** 22 + 1}/stat`)).toBeUndefined();
});

it('is not held up by a pipe that nobody writes to', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(readText(pipe)).toBe('');
  expect(readLine(pipe)).toBeUndefined();
});

it('reads numbers that are numbers', () => {
  expect(readNumber(file('n', '42\n'))).toBe(42);
  expect(readNumber(file('n', ' -1.5 '))).toBe(-1.5);
  for (const text of ['', '\n', '4 2', '0x10', 'N/A (no PMA)', '1e3', 'NaN', 'Infinity', '9'.repeat(100)]) {
    expect(readNumber(file('n', text)), text).toBeUndefined();
  }
});

it('reads a line of anything', () => {
  expect(readLine(file('l', '  up \n'))).toBe('up');
  expect(readLine(file('l', ' \n'))).toBeUndefined();
  expect(readLine(file('l', new Uint8Array([0x61, 0xff, 0x62])))).toBe('a\ufffdb');
});

it('lists a directory up to its bound', () => {
  const many = join(folder, 'many');
  mkdirSync(many);
  for (let index = 0; index < 50; index += 1) writeFileSync(join(many, `f${index}`), '');
  expect(readNames(many)).toHaveLength(50);
  expect(readNames(many, 7)).toHaveLength(7);
});

it('reads links as they are', () => {
  const link = join(folder, 'link');
  symlinkSync('../up/there', link);
  expect(readLink(link)).toBe('../up/there');
});

it('finds paths of the host below its root', () => {
  const at = (root: string) => ({ proc: '/proc', sys: '/sys', etc: '/etc', root });
  expect(inRoot(at('/'), '/var')).toBe('/var');
  expect(inRoot(at('/host'), '/')).toBe('/host');
  expect(inRoot(at('/host'), '/var')).toBe('/host/var');
});
