import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FileTree } from '../../fixtures/source-run.ts';
import { buildEvent, findUncoreEvents, parseFormat, parseTerms } from './uncore.ts';

const trees: FileTree[] = [];
const newTree = (): FileTree => {
  const tree = new FileTree();
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.remove();
});

const DEVICES = 'sys/bus/event_source/devices';
const INTEL_FORMAT = { 'format/event': 'config:0-7\n', 'format/umask': 'config:8-15\n' };
const at = (device: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${DEVICES}/${device}/${name}`, text]));
const find = (tree: FileTree) =>
  findUncoreEvents(`${tree.path}/sys`).map(({ device, direction, event, bytes, cpus }) => ({
    device,
    direction,
    config: `0x${event.config.toString(16)}`,
    type: event.type,
    bytes,
    cpus,
  }));

describe('terms and formats', () => {
  it('reads both as the kernel writes them', () => {
    expect([...(parseTerms('event=0x04,umask=0x03,edge\n') ?? [])]).toEqual([
      ['event', 4n],
      ['umask', 3n],
      ['edge', 1n],
    ]);
    expect(parseTerms('event=')).toBeUndefined();
    expect(parseTerms('')).toBeUndefined();
    expect(parseFormat('config:0-7')?.bits).toHaveLength(8);
    expect(parseFormat('config1:0-3,32-35')).toEqual({ word: 'config1', bits: [0, 1, 2, 3, 32, 33, 34, 35] });
    for (const none of ['', 'config', 'config:64', 'config3:0-1', 'config:0-7;x'])
      expect(parseFormat(none)).toBeUndefined();
  });

  it('spreads values over split fields and refuses what does not fit', () => {
    const split = parseFormat('config:0-7,32-35');
    expect(buildEvent(9, new Map([['event', 0xabcn]]), () => split)).toEqual({
      type: 9,
      config: 0xa_0000_00bcn,
      config1: 0n,
      config2: 0n,
    });
    expect(buildEvent(9, new Map([['event', 0x1000n]]), () => split)).toBeUndefined();
    expect(buildEvent(9, new Map([['event', 1n]]), () => undefined)).toBeUndefined();
    expect(buildEvent(9, new Map([['config1', 5n]]), () => undefined)?.config1).toBe(5n);
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        parseTerms(text);
        const format = parseFormat(`config:${text}`);
        for (const bit of format?.bits ?? []) expect(bit).toBeLessThan(64);
      }),
    );
  });
});

describe('findUncoreEvents', () => {
  it('reads the controllers of an Intel server, one CPU a socket', () => {
    const imc = (type: string) => ({
      ...INTEL_FORMAT,
      type,
      cpumask: '0,28\n',
      'events/cas_count_read': 'event=0x04,umask=0x03\n',
      'events/cas_count_read.scale': '6.103515625e-5\n',
      'events/cas_count_read.unit': 'MiB\n',
      'events/cas_count_write': 'event=0x04,umask=0x0c\n',
      'events/cas_count_write.scale': '6.103515625e-5\n',
      'events/cas_count_write.unit': 'MiB\n',
    });
    const tree = newTree().write({
      ...at('uncore_imc_0', imc('20')),
      ...at('uncore_imc_1', imc('21')),
      ...at('uncore_imc_free_running_0', { ...imc('30'), 'events/data_read': 'event=0xff,umask=0x20' }),
      ...at('uncore_cha_0', imc('40')),
    });
    const found = find(tree);
    expect(found.slice(0, 2)).toEqual([
      { device: 'uncore_imc_0', direction: 'receive', config: '0x304', type: 20, bytes: 64, cpus: [0, 28] },
      { device: 'uncore_imc_0', direction: 'transmit', config: '0xc04', type: 20, bytes: 64, cpus: [0, 28] },
    ]);
    expect(found.map(({ device }) => device)).toEqual([
      'uncore_imc_0',
      'uncore_imc_0',
      'uncore_imc_1',
      'uncore_imc_1',
    ]);
  });

  it('adds up the two halves of a controller that is split', () => {
    const files: Record<string, string> = { ...INTEL_FORMAT, type: '20', cpumask: '0' };
    for (const half of ['sch0', 'sch1']) {
      files[`events/cas_count_read_${half}`] = 'event=0x05,umask=0xcf';
      files[`events/cas_count_write_${half}`] = 'event=0x05,umask=0xf0';
    }
    const found = find(newTree().write(at('uncore_imc_0', files)));
    expect(found.map(({ direction }) => direction)).toEqual(['receive', 'transmit', 'receive', 'transmit']);
    expect(found.every(({ bytes }) => bytes === 64)).toBe(true);
  });

  it('reads free-running counters with their own scale, and not without one', () => {
    const files = {
      ...INTEL_FORMAT,
      type: '31',
      cpumask: '0',
      'events/data_read': 'event=0xff,umask=0x20',
      'events/data_read.scale': '6.103515625e-5',
      'events/data_read.unit': 'MiB',
      'events/data_write': 'event=0xff,umask=0x30',
    };
    const tree = newTree().write(at('uncore_imc_free_running_0', files));
    expect(find(tree)).toEqual([]);
    tree.write(
      at('uncore_imc_free_running_0', { 'events/data_write.scale': '1e-3', 'events/data_write.unit': 'KiB' }),
    );
    expect(find(tree).map(({ bytes }) => bytes)).toEqual([64, 1.024]);
    tree.write(at('uncore_imc_free_running_0', { 'events/data_write.unit': 'furlongs' }));
    expect(find(tree)).toEqual([]);
  });

  it('builds the events of AMD controllers from their formats', () => {
    const umc = { type: '17', cpumask: '0', 'format/event': 'config:0-7', 'format/rdwrmask': 'config:8-9' };
    expect(find(newTree().write(at('amd_umc_0', umc)))).toEqual([
      { device: 'amd_umc_0', direction: 'receive', config: '0x10a', type: 17, bytes: 64, cpus: [0] },
      { device: 'amd_umc_0', direction: 'transmit', config: '0x20a', type: 17, bytes: 64, cpus: [0] },
    ]);
  });

  it('finds nothing in what is broken', () => {
    expect(find(newTree())).toEqual([]);
    const broken = {
      type: 'x',
      cpumask: '0',
      'events/cas_count_read': '\u0000',
      'events/cas_count_write': 'event',
    };
    expect(find(newTree().write(at('uncore_imc_0', broken)))).toEqual([]);
    expect(find(newTree().write(at('uncore_imc_0', { type: '20', cpumask: 'none' })))).toEqual([]);
  });
});
