import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BPF_PROGRAMS, compileBpf, compilerVersion, sourceHash } from './bpf.ts';

const version = compilerVersion();

describe.each(BPF_PROGRAMS)('BPF programs of $name', (program) => {
  const text = readFileSync(join(program.folder, `${program.name}.gen.ts`), 'utf8');

  test('were made of the sources as they are: else run `npm run generate:bpf`', () => {
    expect(/^\/\/ sources (.*)$/m.exec(text)?.[1]).toBe(sourceHash(program));
  });

  test('are what clang makes of them', (context) => {
    const made = /^\/\/ clang (.*)$/m.exec(text)?.[1];
    if (version !== made) {
      const found = version === undefined ? 'there is no clang' : `clang is ${version}, not ${made}`;
      process.stderr.write(`BPF is not compiled again: ${found}\n`);
      return context.skip();
    }
    for (const architecture of ['x64', 'arm64'] as const) {
      const packed = new RegExp(`${architecture}: '(.*)'`).exec(text)?.[1] ?? '';
      const committed = brotliDecompressSync(Buffer.from(packed, 'base64'));
      expect(compileBpf(program, architecture).equals(committed)).toBe(true);
    }
  });
});
