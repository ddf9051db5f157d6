import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kernelName } from './demangle.ts';
import { DRIVER_FUNCTIONS, RUNTIME_FUNCTIONS } from './symbols.ts';

/** What stood on a machine with an H200: see `docs/collector/hardware.md`. */
const recorded = (file: string): string[] =>
  readFileSync(new URL(`../fixtures/recorded/${file}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

/** The launches, allocations, copies and waits of libcuda 580.159.04 and libcudart 13.0. */
const exported = recorded('cuda-13.symbols');
const traced = new Set([...RUNTIME_FUNCTIONS, ...DRIVER_FUNCTIONS].flatMap(({ names }) => names));

test('every function that is traced is one of the libraries of CUDA 13', () => {
  expect([...traced].filter((name) => !exported.includes(name))).toEqual([]);
});

test('what is not traced is not by choice: a new version of a call, as _v2 of CUDA 13, does not slip through', () => {
  const chosen = [
    // Copies that have a shape, an array, a symbol, another device, or come in batches.
    /2D|3D|Array|Ato[ADH]|[HD]toA|Symbol|Peer|Batch/,
    // Memory of the host, and memory with a pitch.
    /AllocHost|MallocHost|Pitch/,
    // 32-bit addresses, and launches of before CUDA 4.
    /^cuMemAlloc$|^cuMemcpy[HD]to[HD](Async)?$|^cuLaunch$|^cuLaunchGrid/,
    // The driver sees these launches.
    /^__cudaLaunchKernel|MultiDevice$/,
    // Nothing that is counted.
    /HostFunc|Count$|Flags$|^cuda(Library)?GetKernel$/,
  ];
  const left = exported.filter((name) => !traced.has(name) && !chosen.some((one) => one.test(name)));
  expect(left).toEqual([]);
});

test('kernels of PyTorch 2.11 are named as binutils names them, without template arguments and parameters', () => {
  const pairs = recorded('pytorch-kernels.tsv').map((line) => line.split('\t'));
  expect(pairs).toHaveLength(200);
  for (const [symbol = '', name] of pairs) expect(kernelName(symbol)).toBe(name);
});
