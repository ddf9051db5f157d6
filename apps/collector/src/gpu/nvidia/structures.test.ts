import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pciAddress } from '../pci.ts';
import { codeText } from './codes.ts';
import { fieldValue } from './fields.ts';
import { libraryPaths } from './library.ts';
import { migProfile } from './mig.ts';

/** `nvmlFieldValue_t` with a value written by `write` at its place. */
function entry(type: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(40, 0xab);
  bytes.writeUInt32LE(type, 24);
  write(bytes);
  return bytes;
}

test('a field is read at the width of its type', () => {
  const long = entry(2, (bytes) => bytes.writeBigUInt64LE(5_000_000_000n, 32));
  expect(
    fieldValue(
      entry(0, (bytes) => bytes.writeDoubleLE(41.6, 32)),
      'linux',
    )?.value,
  ).toBe(42n);
  expect(
    fieldValue(
      entry(1, (bytes) => bytes.writeUInt32LE(7, 32)),
      'linux',
    ),
  ).toEqual({ value: 7n, bits: 32 });
  expect(fieldValue(long, 'linux')).toEqual({ value: 5_000_000_000n, bits: 64 });
  // `unsigned long` is four bytes there.
  expect(fieldValue(long, 'win32')).toEqual({ value: 705_032_704n, bits: 32 });
  expect(
    fieldValue(
      entry(3, (bytes) => bytes.writeBigUInt64LE(9n, 32)),
      'linux',
    )?.bits,
  ).toBe(64);
  expect(
    fieldValue(
      entry(4, (bytes) => bytes.writeBigInt64LE(-9n, 32)),
      'linux',
    ),
  ).toBeUndefined();
  expect(
    fieldValue(
      entry(5, (bytes) => bytes.writeInt32LE(-1, 32)),
      'linux',
    ),
  ).toBeUndefined();
  expect(
    fieldValue(
      entry(6, (bytes) => bytes.writeUInt16LE(65_535, 32)),
      'linux',
    )?.value,
  ).toBe(65_535n);
  expect(
    fieldValue(
      entry(9, () => undefined),
      'linux',
    ),
  ).toBeUndefined();
});

test('all ones are no value, whatever the width', () => {
  expect(
    fieldValue(
      entry(1, (bytes) => bytes.fill(0xff, 32)),
      'linux',
    ),
  ).toBeUndefined();
  expect(
    fieldValue(
      entry(2, (bytes) => bytes.fill(0xff, 32)),
      'linux',
    ),
  ).toBeUndefined();
  expect(
    fieldValue(
      entry(3, (bytes) => bytes.fill(0xff, 32)),
      'linux',
    ),
  ).toBeUndefined();
  expect(
    fieldValue(
      entry(0, (bytes) => bytes.fill(0xff, 32)),
      'linux',
    ),
  ).toBeUndefined();
});

test('no bytes of a field make it throw or give a number below nought', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 40, maxLength: 40 }), fc.nat(8), (bytes, type) => {
      const made = Buffer.from(bytes);
      made.writeUInt32LE(type, 24);
      expect(fieldValue(made, 'linux')?.value ?? 0n).toBeGreaterThanOrEqual(0n);
    }),
  );
});

test.each([
  // Slices of the GPU and of computing, MB of the part and MiB of the whole, as NVIDIA names the profile.
  [1, 1, 4_864, 40_960, '1g.5gb'],
  [3, 3, 20_096, 40_960, '3g.20gb'],
  [7, 7, 40_192, 40_960, '7g.40gb'],
  [1, 1, 9_856, 81_559, '1g.10gb'],
  [1, 1, 19_968, 81_559, '1g.20gb'],
  [2, 1, 19_968, 81_559, '1c.2g.20gb'],
  [1, 1, 16_384, 143_771, '1g.18gb'],
  [1, 1, 22_528, 183_359, '1g.23gb'],
] as const)(
  'a part of %i slices is named by what the whole is sold with',
  (gpu, compute, mb, whole, name) => {
    const attributes = Buffer.alloc(40);
    attributes.writeUInt32LE(gpu, 24);
    attributes.writeUInt32LE(compute, 28);
    attributes.writeBigUInt64LE(BigInt(mb), 32);
    expect(migProfile(attributes, whole * 1_048_576)).toBe(name);
    expect(migProfile(attributes, undefined)).toBeUndefined();
  },
);

test('addresses of NVML are those of the kernel', () => {
  expect(pciAddress('00000000:81:00.0')).toBe('0000:81:00.0');
  expect(pciAddress('0000:3B:00.0')).toBe('0000:3b:00.0');
  expect(pciAddress('00010002:3B:00.1')).toBe('10002:3b:00.1');
  expect(pciAddress('81:00.0')).toBeUndefined();
});

test('the library is looked for where the loader does, then in the usual folders, here and on the host', () => {
  const here = libraryPaths({ root: '/' }, 'linux');
  expect(here[0]).toBe('libnvidia-ml.so.1');
  expect(here).toContain('/usr/lib/wsl/lib/libnvidia-ml.so.1');
  expect(new Set(here).size).toBe(here.length);
  const contained = libraryPaths({ root: '/host' }, 'linux');
  expect(contained).toContain('/host/usr/lib64/libnvidia-ml.so.1');
  expect(contained.indexOf('/usr/lib64/libnvidia-ml.so.1')).toBeLessThan(
    contained.indexOf('/host/usr/lib64/libnvidia-ml.so.1'),
  );
  expect(libraryPaths({ root: '/' }, 'win32')[0]).toBe('C:\\Windows\\System32\\nvml.dll');
});

test('codes are told in words', () => {
  expect(codeText(18)).toContain('the driver was upgraded');
  expect(codeText(4_242)).toBe('NVML error (4242)');
});
