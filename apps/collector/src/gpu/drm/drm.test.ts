import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileTree } from '../../fixtures/source-run.ts';
import { addProcess } from '../fixtures/drm-tree.ts';
import { DrmClients } from './clients.ts';
import { parseFdinfo } from './fdinfo.ts';
import { HeldSum } from './held-sum.ts';
import { Hwmon } from './hwmon.ts';
import { amdName, pciName } from './names.ts';

let tree: FileTree;
beforeEach(() => {
  tree = new FileTree();
});
afterEach(() => tree.remove());

const pathsOf = ({ path }: FileTree) => ({
  proc: `${path}/proc`,
  sys: `${path}/sys`,
  etc: `${path}/etc`,
  root: path,
});

const XE = `pos:	0
flags:	02100002
drm-driver:	xe
drm-client-id:	7
drm-pdev:	0000:03:00.0
drm-total-vram0:	2048 KiB
drm-shared-vram0:	0
drm-active-vram0:	0
drm-resident-vram0:	1 MiB
drm-purgeable-vram0:	0
drm-total-system:	4096
drm-cycles-rcs:	28257900
drm-total-cycles-rcs:	7655183225
drm-cycles-vcs:	0
drm-total-cycles-vcs:	7655183225
drm-engine-capacity-vcs:	2
`;

test('fdinfo of xe: cycles of cycles, memory in use before memory asked for', () => {
  expect(parseFdinfo(XE)).toEqual({
    driver: 'xe',
    address: '0000:03:00.0',
    client: '7',
    engines: [
      { name: 'rcs', busy: 28_257_900n, total: 7_655_183_225n, capacity: 1 },
      { name: 'vcs', busy: 0n, total: 7_655_183_225n, capacity: 2 },
    ],
    memory: new Map([
      ['vram0', 1_048_576],
      ['system', 4_096],
    ]),
  });
});

test('fdinfo of other descriptors, and any text: nothing, or what keeps to the rules', () => {
  expect(parseFdinfo('pos:\t0\nflags:\t0\n')).toBeUndefined();
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ maxLength: 30 }),
          fc
            .tuple(
              fc.constantFrom(
                'drm-engine-gfx',
                'drm-engine-capacity-gfx',
                'drm-cycles-rcs',
                'drm-memory-vram',
                'drm-total-',
              ),
              fc.string({ maxLength: 12 }),
            )
            .map(([key, value]) => `${key}: ${value}`),
        ),
      ),
      (lines) => {
        const client = parseFdinfo(['drm-driver: xe', 'drm-client-id: 1', ...lines].join('\n'));
        for (const { capacity } of client?.engines ?? []) expect(capacity).toBeGreaterThan(0);
        for (const bytes of client?.memory.values() ?? []) expect(bytes).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

test('use of engines over time; a client counts once, however many hold it', () => {
  let now = 100;
  const clients = new DrmClients(pathsOf(tree), () => now);
  const cycles = (busy: number, total: number): string =>
    XE.replace('28257900', String(busy)).replace('rcs:\t7655183225', `rcs:\t${total}`);
  addProcess(tree, 50, 'renderD128', { 3: cycles(100, 1_000), 4: cycles(100, 1_000) });
  addProcess(tree, 51, 'renderD128', { 3: cycles(100, 1_000) });
  expect(clients.use('0000:03:00.0').processes.map(({ pid, engines }) => [pid, engines.size])).toEqual([
    [50, 0],
  ]);
  addProcess(tree, 50, 'renderD128', { 3: cycles(350, 2_000), 4: cycles(350, 2_000) });
  addProcess(tree, 51, 'renderD128', { 3: cycles(350, 2_000) });
  now += 10;
  const { processes, complete } = clients.use('0000:03:00.0');
  expect(complete).toBe(true);
  expect(processes).toHaveLength(1);
  expect(processes[0]?.engines.get('rcs')).toBe(0.25);
  expect(processes[0]?.memory.get('vram0')).toBe(1_048_576);
  expect(clients.use('0000:09:00.0').processes).toEqual([]);
});

test('within a container what is seen is not all', () => {
  tree.link('proc/1/ns/pid', 'pid:[4026532001]');
  expect(new DrmClients(pathsOf(tree), () => 100).use('0000:03:00.0').complete).toBe(false);
});

test('a process that opens a device later is found when it is looked at again', () => {
  let now = 100;
  const clients = new DrmClients(pathsOf(tree), () => now);
  addProcess(tree, 50, 'null', {});
  expect(clients.use('0000:03:00.0').processes).toEqual([]);
  addProcess(tree, 50, 'renderD128', { 3: XE });
  now += 31;
  expect(clients.use('0000:03:00.0').processes).toHaveLength(1);
  // One that puts the device in the place of another file is found too, only later.
  addProcess(tree, 60, 'null', { 3: XE });
  now += 31;
  expect(clients.use('0000:03:00.0').processes).toHaveLength(1);
  addProcess(tree, 60, 'renderD128', { 3: XE.replace('client-id:\t7', 'client-id:\t8') });
  now += 31;
  expect(clients.use('0000:03:00.0').processes).toHaveLength(1);
  now += 601;
  expect(clients.use('0000:03:00.0').processes).toHaveLength(2);
});

test('a process that may not be looked at: what all did is not known', () => {
  let now = 100;
  const clients = new DrmClients(pathsOf(tree), () => now);
  addProcess(tree, 50, 'renderD128', { 3: XE });
  expect(clients.use('0000:03:00.0').complete).toBe(true);
  // A directory that is no list of descriptors, as of another user.
  tree.write({ 'proc/51/comm': 'theirs\n' });
  now += 1;
  expect(clients.use('0000:03:00.0').complete).toBe(false);
  tree.remove('proc/51');
  now += 1;
  expect(clients.use('0000:03:00.0').complete).toBe(true);
});

test('sensors that are not there or mad say nothing', () => {
  expect(Hwmon.find(tree.path, 'xe')).toBeUndefined();
  tree.write({
    'hwmon/hwmon2/name': 'xe_gt0\n',
    'hwmon/hwmon2/temp1_input': 99_000,
    'hwmon/hwmon3/name': 'xe\n',
    'hwmon/hwmon3/temp1_input': 45_500,
    'hwmon/hwmon3/temp2_input': 2_147_483_647,
    'hwmon/hwmon3/temp3_input': 'N/A\n',
    'hwmon/hwmon3/fan1_input': 900,
    'hwmon/hwmon3/fan2_input': 'x\n',
    'hwmon/hwmon3/power1_cap': -1,
  });
  const monitor = Hwmon.find(tree.path, 'xe');
  expect([1, 2, 3, 4].map((sensor) => monitor?.temperature(sensor))).toEqual([
    45.5,
    undefined,
    undefined,
    undefined,
  ]);
  expect(monitor?.fans()).toEqual([{ rpm: 900 }]);
  expect(monitor?.watts(1, 'cap')).toBeUndefined();
});

test('a sum never falls when one of its parts is away, nor counts it twice when it is back', () => {
  const sum = new HeldSum();
  const add = (parts: Readonly<Record<string, bigint>>) => sum.add(new Map(Object.entries(parts)));
  expect(add({})).toBeUndefined();
  expect(add({ a: 10n, b: 5n })).toBe(15n);
  expect(add({ a: 12n })).toBe(17n);
  expect(add({ a: 12n, b: 6n })).toBe(18n);
  expect(add({ a: 2n, b: 6n })).toBe(20n);
});

test('names from the lists of the distribution', () => {
  const paths = pathsOf(tree);
  expect(pciName(paths, 0x8086, 0x56a0)).toBeUndefined();
  tree.write({
    'usr/share/misc/pci.ids':
      '8085  Somebody\n\t56a0  Not this\n8086  Intel Corporation\n\t56a0  DG2 [Arc A770]\n\t\t1849 6001  A board\n\t56a1  DG2 [Arc A750]\n8087  Else\n\t0bd5  Not this either\n',
    'usr/share/libdrm/amdgpu.ids': '# list\n1.0.0\n744C,\tC8,\tAMD Radeon RX 7900 XTX\n',
  });
  expect(pciName(paths, 0x8086, 0x56a0)).toBe('DG2 [Arc A770]');
  expect(pciName(paths, 0x8086, 0x56a1)).toBe('DG2 [Arc A750]');
  expect(pciName(paths, 0x8086, 0x0bd5)).toBeUndefined();
  expect(amdName(paths, 0x744c, 0xc8)).toBe('AMD Radeon RX 7900 XTX');
  expect(amdName(paths, 0x744c, 0xcc)).toBeUndefined();
});
