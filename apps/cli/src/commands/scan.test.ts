import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../command.ts';
import { scan } from './scan.ts';

const folder = mkdtempSync(join(tmpdir(), 'candela-scan-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]) {
  const lines: string[] = [];
  const code = await scan.run(args, { env: {}, cwd: folder, program: [], say: (line) => lines.push(line) });
  return { code, text: lines.join('\n') };
}

describe('candela scan', () => {
  it('says what it finds, writes the reports and tells a pipeline by its exit code', async () => {
    writeFileSync(join(folder, 'a\u001b[31m.py'), 'import pickle\nx = pickle.load(f)\n');
    const found = await run(
      '.',
      '--json',
      'out.json',
      '--sarif',
      'out.sarif',
      '--junit',
      'out.xml',
      '--bom',
      'bom.json',
    );
    expect(found.code).toBe(1);
    expect(found.text).toContain('high     a?[31m.py:2  pickle loads data that can run code (pickle-load)');
    expect(found.text).toMatch(/1 high in 1 files that were read/);
    expect(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))).toMatchObject({
      vulnerabilityData: { state: 'none' },
    });
    expect(JSON.parse(readFileSync(join(folder, 'out.sarif'), 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toContain('failures="1"');
    expect((await run('.', '--fail-on', 'critical')).code).toBe(0);
    expect((await run('.', '--detectors', 'secrets')).code).toBe(0);
  });

  it.each([[[]], [['nowhere']], [['.', '--detectors', 'x']], [['.', '--fail-on', 'x']], [['.', '--bogus']]])(
    'refuses %j with a sentence',
    async (args) => {
      await expect(run(...args)).rejects.toThrow(UsageError);
    },
  );
});
