import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importFiles } from './import.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'candela-import-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number | void; said: string[] }> {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const code = await importFiles.run([...args, '--dry-run'], { env: {}, cwd, program: [], say });
  return { code, said };
}

it('says that a folder or a file has nothing in it', async () => {
  mkdirSync(join(cwd, 'none'));
  await expect(run('none')).rejects.toThrow('There are no files in none.');
  writeFileSync(join(cwd, 'list.json'), '[]');
  const { code, said } = await run('list.json', '--format', 'langfuse');
  expect([code, said.at(-1)]).toEqual([0, 'There is nothing in it to import.']);
});

it('knows before it sends that its report cannot be written', async () => {
  writeFileSync(join(cwd, 'a.jsonl'), '{"resourceSpans":[]}\n');
  const said: string[] = [];
  const options = { env: {}, cwd, program: [], say: (line: string) => void said.push(line) };
  const done = importFiles.run(['a.jsonl', '--dry-run', '--report', 'none/report.json'], options);
  await expect(done).rejects.toThrow('ENOENT');
  expect(said).toEqual([]);
  await run('a.jsonl', '--report', 'report.json');
  expect(existsSync(join(cwd, 'report.json'))).toBe(true);
});

it('says where the first line stands that it left out', async () => {
  writeFileSync(join(cwd, 'a.jsonl'), '{"resourceSpans":[]}\n\n{"a":1}\n{"b":2}\n{"resourceSpans":7}\n');
  writeFileSync(join(cwd, 'b.json'), '{"resourceSpans":[{"scopeSpans":5}]}\n');
  const { code, said } = await run('a.jsonl', 'b.json', '--report', 'report.json');
  const place = `${join(cwd, 'a.jsonl')}, line 3`;
  expect(code).toBe(1);
  expect(said).toContain(`left out: 3 (a line is no OTLP request; first in ${place})`);
  expect(said.at(-1)).toMatch(new RegExp(`; in ${join(cwd, 'b.json')}, line 1\\)$`));
  const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'));
  expect(report.troubles[0]).toMatchObject({ count: 3, first: place });
});
