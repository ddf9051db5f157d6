import { brotliDecompressSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BPF_PROGRAMS, compileBpf, compilerVersion, sourceHash } from './bpf.ts';

interface Generated {
  readonly SOURCE_HASH: string;
  readonly CLANG: string;
  readonly OBJECTS: Readonly<Record<string, string>>;
}

const version = compilerVersion();

describe.each(BPF_PROGRAMS)('BPF programs of $name', (program) => {
  const load = async (): Promise<Generated> =>
    (await import(join(program.folder, `${program.name}.gen.ts`))) as Generated;

  test('were made of the sources as they are: else run `npm run generate:bpf`', async () => {
    expect((await load()).SOURCE_HASH).toBe(sourceHash(program));
  });

  test('are what clang makes of them', async (context) => {
    const { CLANG, OBJECTS } = await load();
    if (version !== CLANG) {
      const found = version === undefined ? 'there is no clang' : `clang is ${version}, not ${CLANG}`;
      process.stderr.write(`BPF is not compiled again: ${found}\n`);
      return context.skip();
    }
    for (const architecture of ['x64', 'arm64'] as const) {
      const committed = brotliDecompressSync(Buffer.from(OBJECTS[architecture] ?? '', 'base64'));
      expect(compileBpf(program, architecture).equals(committed)).toBe(true);
    }
  });
});
