/**
 * Compiles the programs that the collector puts in the kernel and writes them beside their sources, with the hash of
 * these: `npm run generate:bpf`. Needs clang; nothing else does, since what it writes is committed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BPF_PROGRAMS, compileBpf, compilerVersion, generatedBpf, sourceHash } from './testing/bpf.ts';

const version = compilerVersion();
if (version === undefined) {
  console.error('clang is needed to compile BPF: install it (Debian: apt-get install clang)');
  process.exit(1);
}
for (const program of BPF_PROGRAMS) {
  const objects = { x64: compileBpf(program, 'x64'), arm64: compileBpf(program, 'arm64') };
  const file = join(program.folder, `${program.name}.gen.ts`);
  writeFileSync(file, generatedBpf(sourceHash(program), version, objects));
  console.log(`wrote ${file}`);
}
