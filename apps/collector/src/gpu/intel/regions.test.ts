import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { FileTree } from '../../fixtures/source-run.ts';
import { NO_LIBRARIES, TestLibrary } from '../fixtures/library.ts';
import { loadIoctl } from './native.ts';
import { cardMemory, parseI915Regions, parseXeRegions } from './regions.ts';

const GIB = 2 ** 30;
const tree = new FileTree().write({ card: '' });
const file = join(tree.path, 'card');
afterAll(() => tree.remove());

const libraries: TestLibrary[] = [];
afterEach(() => {
  for (const library of libraries.splice(0)) library.remove();
});

test('any answer is memory that adds up, or none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      for (const parse of [parseXeRegions, parseI915Regions]) {
        const memory = parse(Buffer.from(bytes));
        if (memory !== undefined) expect(memory.usage).toBeLessThanOrEqual(memory.limit);
      }
    }),
  );
});

test('a file that is no device, and none at all, tell nothing', () => {
  const ioctl = loadIoctl();
  for (const driver of ['xe', 'i915']) {
    expect(cardMemory(ioctl, driver, file)).toBeUndefined();
    expect(cardMemory(ioctl, driver, join(tree.path, 'gone'))).toBeUndefined();
  }
});

describe.skipIf(NO_LIBRARIES !== undefined)('the drivers’ answers', () => {
  const ask = (driver: string, ...regions: readonly (readonly [number, number, number])[]) => {
    const library = new TestLibrary(
      'drm_query',
      'libdrm_query.so',
      regions.map((numbers) => `region ${numbers.join(' ')}`),
    );
    libraries.push(library);
    return cardMemory(loadIoctl(library.path), driver, file);
  };

  test('memory of the card: all its regions, never that of the host', () => {
    expect(ask('xe', [0, 64 * GIB, GIB], [1, 8 * GIB, GIB], [1, 8 * GIB, 3 * GIB])).toEqual({
      limit: 16 * GIB,
      usage: 4 * GIB,
    });
    expect(ask('i915', [0, 64 * GIB, GIB], [1, 8 * GIB, 5 * GIB])).toEqual({
      limit: 8 * GIB,
      usage: 3 * GIB,
    });
  });

  test('who may not know is told nothing by us', () => {
    expect(ask('xe', [1, 8 * GIB, 0])).toBeUndefined();
    expect(ask('i915', [1, 8 * GIB, 8 * GIB])).toBeUndefined();
    expect(ask('xe', [0, 64 * GIB, GIB])).toBeUndefined();
  });
});
