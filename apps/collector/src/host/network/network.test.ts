import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captured } from '../../fixtures/captured.ts';
import { FileTree, SourceRun, valuesBy } from '../../fixtures/source-run.ts';
import { readConfig } from '../../config.ts';
import { parseInterfaceList } from './darwin.ts';
import { countedByNic, network } from './index.ts';
import { MAX_INTERFACES } from './interfaces.ts';
import { parseNetDev } from './linux.ts';
import { parseIfTable } from './win32.ts';

const HEAD = 'Inter-|   Receive\n face |bytes\n';
const line = (name: string, from = 1) =>
  `${name.padStart(6)}: ${Array.from({ length: 16 }, (_, index) => from + index).join(' ')}\n`;
const OFF = { OTEL_HOST_NIC_ENABLED: 'false' };
const KEY = ['network.interface.name', 'network.io.direction'];

test('a real file', () => {
  const text = captured('vm', 'proc/net/dev');
  expect(parseNetDev(text).map(({ name }) => name)).toEqual(['lo', 'ifb0', 'ifb1', 'eth0']);
  const told = /eth0: *(\d+) +(\d+)/.exec(text);
  expect(parseNetDev(text).at(-1)?.receive).toMatchObject({
    bytes: BigInt(told?.[1] ?? 0),
    packets: BigInt(told?.[2] ?? 0),
  });
});

test('columns; numbers of 64 bits stay whole; names as wide as their column; a cut line is left out', () => {
  const readings = parseNetDev(
    `${HEAD}${line('eth0')}  \u001b[31mx: 18446744073709551615${' 0'.repeat(15)}\n${line('eth0', 50)}bad: 1 2 3\n${line('eth1').slice(0, -5)}`,
  );
  expect(readings).toEqual([
    {
      name: 'eth0',
      receive: { bytes: 1n, packets: 2n, errors: 3n, dropped: 4n },
      transmit: { bytes: 9n, packets: 10n, errors: 11n, dropped: 12n },
    },
    expect.objectContaining({
      name: '\u001b[31mx',
      receive: expect.objectContaining({ bytes: 2n ** 64n - 1n }),
    }),
  ]);
});

test('no text breaks the reading', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseNetDev(HEAD + text)));
});

describe('the source', () => {
  test('reads the network of the first process, else its own; loopback is never told of', async () => {
    const tree = new FileTree().write({ 'proc/net/dev': HEAD + line('lo') + line('own0') });
    const run = new SourceRun(network, tree, { ...OFF, OTEL_HOST_NET_INTERFACE_EXCLUDE: '' });
    await run.source.start();
    expect(Object.keys(valuesBy(await run.observe(), 'system.network.io', ...KEY))).toEqual([
      'own0/receive',
      'own0/transmit',
    ]);
    tree.write({ 'proc/1/net/dev': HEAD + line('lo') + line('host0') });
    const points = await run.observe();
    expect(valuesBy(points, 'system.network.io', ...KEY)).toEqual({
      'host0/receive': 1,
      'host0/transmit': 9,
    });
    expect(valuesBy(points, 'system.network.packet.dropped', ...KEY)).toEqual({
      'host0/receive': 4,
      'host0/transmit': 12,
    });
    tree.remove();
  });

  test('is told which interfaces by the settings, and is off beside the counters of cards', async () => {
    const tree = new FileTree().write({ 'proc/net/dev': HEAD + line('eth0') + line('eth1') + line('eth2') });
    const run = new SourceRun(network, tree, {
      ...OFF,
      OTEL_HOST_NET_INTERFACES: 'eth0,eth1',
      OTEL_HOST_NET_INTERFACE_EXCLUDE: 'eth1',
    });
    await run.source.start();
    expect(Object.keys(valuesBy(await run.observe(), 'system.network.io', 'network.interface.name'))).toEqual(
      ['eth0'],
    );
    expect(network.off(readConfig({}).config)).toContain('hw.network');
    expect(network.off(readConfig(OFF).config)).toBeUndefined();
    tree.remove();
  });

  test('an interface that is set up anew goes on from its sum; too many are cut and told of once', async () => {
    const many = Array.from({ length: MAX_INTERFACES + 5 }, (_, index) => line(`veth${index}`)).join('');
    const tree = new FileTree().write({ 'proc/net/dev': HEAD + line('eth0', 1_000) + many });
    const run = new SourceRun(network, tree, OFF);
    await run.source.start();
    await run.observe();
    tree.write({ 'proc/net/dev': HEAD + line('eth0', 5) + many });
    const io = valuesBy(await run.observe(), 'system.network.io', ...KEY);
    expect(io['eth0/receive']).toBe(1_005);
    expect(Object.keys(io)).toHaveLength(MAX_INTERFACES * 2);
    expect(run.logged.filter((told) => told.includes('OTEL_HOST_NET_INTERFACES'))).toHaveLength(1);
    tree.remove();
  });
});

test('macOS: messages of interfaces among others', () => {
  const message = (name: string) => {
    const bytes = Buffer.alloc(180);
    bytes.writeUInt16LE(180, 0);
    bytes[3] = 0x12;
    for (const [offset, value] of [
      [24, 1n],
      [32, 2n],
      [40, 3n],
      [48, 4n],
      [64, 5n],
      [72, 6n],
      [96, 7n],
    ] as const) {
      bytes.writeBigUInt64LE(value, 32 + offset);
    }
    bytes[161] = 18;
    bytes[165] = name.length;
    bytes.write(name, 168);
    return bytes;
  };
  const other = Buffer.alloc(24);
  other.writeUInt16LE(24, 0);
  other[3] = 0x0c;
  const cut = message('en9').subarray(0, 100);
  expect(parseInterfaceList(Buffer.concat([message('lo0'), other, message('en0'), cut]))).toEqual([
    expect.objectContaining({ name: 'lo0' }),
    {
      name: 'en0',
      receive: { packets: 1n, errors: 2n, bytes: 5n, dropped: 7n },
      transmit: { packets: 3n, errors: 4n, bytes: 6n },
    },
  ]);
});

test('Windows: rows but loopback and filters', () => {
  const rowOf = (name: string, type: number, flags: number) => {
    const bytes = Buffer.alloc(1_352);
    bytes.write(name, 28, 'utf16le');
    bytes.writeUInt32LE(type, 1_128);
    bytes[1_152] = flags;
    for (const [offset, value] of [
      [1_208, 1n],
      [1_216, 2n],
      [1_224, 3n],
      [1_232, 4n],
      [1_240, 5n],
      [1_280, 6n],
      [1_288, 7n],
      [1_296, 8n],
      [1_304, 9n],
      [1_312, 10n],
    ] as const) {
      bytes.writeBigUInt64LE(value, offset);
    }
    return bytes;
  };
  const table = [
    rowOf('Loopback Pseudo-Interface 1', 24, 0),
    rowOf('Ethernet-WFP', 6, 2),
    rowOf('Ethernet', 6, 1),
    rowOf('Ethernet', 6, 1),
  ];
  expect(parseIfTable(Buffer.concat([...table, Buffer.alloc(100)]))).toEqual([
    {
      name: 'Ethernet',
      receive: { bytes: 1n, packets: 5n, dropped: 4n, errors: 5n },
      transmit: { bytes: 6n, packets: 15n, dropped: 9n, errors: 10n },
    },
  ]);
});

test('neither macOS nor Windows answers break the reading', () => {
  const bytes = fc.uint8Array({ maxLength: 3_000 }).map((array) => Buffer.from(array));
  fc.assert(
    fc.property(bytes, (one) => {
      parseInterfaceList(one);
      parseIfTable(one);
    }),
  );
});

test('steps back for hw.network.* only where that is made', () => {
  const { config } = readConfig({});
  expect(countedByNic(config, 'linux')).toContain('OTEL_HOST_NIC_ENABLED');
  expect(countedByNic(config, 'darwin')).toBeUndefined();
  expect(countedByNic(config, 'win32')).toBeUndefined();
  expect(countedByNic(readConfig(OFF).config, 'linux')).toBeUndefined();
});
