import type { Gpu, HostSummary } from '@candela/contract';
import { expect, test } from 'vitest';
import { attentionOfGpu, attentionOfHost } from './attention.ts';
import { fleetRows, type FleetView, gpuNames, totalsOf } from './fleet.ts';

const gpu = (changes: Partial<Gpu> & { id: string }): Gpu => ({
  name: 'H100',
  vendor: 'nvidia',
  index: 0,
  pciAddress: null,
  driver: null,
  parentId: null,
  partition: null,
  lastSeen: null,
  stale: false,
  last: null,
  utilization: 0.5,
  memoryUsedBytes: 10,
  memoryLimitBytes: 80,
  powerWatts: 300,
  powerLimitWatts: 700,
  temperatureCelsius: 60,
  memoryTemperatureCelsius: null,
  status: 'ok',
  allocated: true,
  idle: false,
  errors: [],
  processes: 0,
  topProcess: null,
  ...changes,
});

const host = (name: string, gpus: Gpu[], changes: Partial<HostSummary> = {}): HostSummary => ({
  name,
  environment: 'production',
  id: null,
  type: null,
  arch: null,
  os: null,
  cloudProvider: null,
  cloudPlatform: null,
  cloudRegion: null,
  cloudZone: null,
  cloudAccount: null,
  cluster: null,
  node: null,
  last: null,
  agents: [],
  machines: [],
  lastSeen: null,
  freshSeconds: 180,
  stale: false,
  away: [],
  uptimeSeconds: null,
  cpuUtilization: 0.2,
  cpuCount: 8,
  memoryUsedBytes: 1,
  memoryTotalBytes: 10,
  filesystem: null,
  diskReadBytesPerSecond: null,
  diskWriteBytesPerSecond: null,
  networkReceiveBytesPerSecond: null,
  networkTransmitBytesPerSecond: null,
  gpus,
  ...changes,
});

const VIEW: FleetView = { q: '', sort: 'name', group: 'none', show: 'all' };
const FLEET = [
  host('node-10', [], { cloudZone: 'b' }),
  host(
    'node-2',
    [
      gpu({ id: 'a', utilization: 0.9, errors: [{ type: 'xid', count: 1 }] }),
      gpu({ id: 'b', index: 1, utilization: 0, idle: true }),
    ],
    {
      cloudZone: 'a',
    },
  ),
  host('mig', [
    gpu({ id: 'p', name: 'A100', utilization: null }),
    gpu({ id: 'm', name: 'A100 MIG', parentId: 'p', partition: '3g.40gb', allocated: false }),
  ]),
];
const outline = (view: Partial<FleetView>) =>
  fleetRows(FLEET, { ...VIEW, ...view }).map((row) =>
    row.kind === 'group'
      ? `# ${row.label}`
      : `${row.host.name}(${row.gpus.map(({ gpu: { id } }) => id).join(' ')})`,
  );

test('rows in the order of names as people count, partitions below their GPU', () => {
  expect(outline({})).toEqual(['mig(p)', 'node-2(a b)', 'node-10()']);
});

test('words: what the host does not answer one GPU must', () => {
  expect(outline({ q: 'NODE' })).toEqual(['node-2(a b)', 'node-10()']);
  expect(outline({ q: 'node-2 xid' })).toEqual(['node-2(a)']);
  expect(outline({ q: '3g.40gb' })).toEqual(['mig(p)']);
  expect(outline({ q: 'nothing' })).toEqual([]);
});

test('shows what needs a look, and what lies idle', () => {
  expect(outline({ show: 'attention' })).toEqual(['node-2(a)']);
  expect(outline({ show: 'idle' })).toEqual(['mig(p)', 'node-2(b)']);
  expect(outline({ show: 'gpus' })).toEqual(['mig(p)', 'node-2(a b)']);
});

test('a host that needs a look itself stands among the others, whether one of its GPUs does or not', () => {
  const full = { filesystem: { mountpoint: '/', utilization: 0.99 } };
  const hosts = [
    host('node-2', [gpu({ id: 'a', temperatureCelsius: 95 })]),
    host('node-1', [gpu({ id: 'b' })], full),
    host('node-0', [], full),
  ];
  const names = fleetRows(hosts, { ...VIEW, show: 'attention' }).map((row) =>
    row.kind === 'host' ? row.host.name : '',
  );
  expect(names).toEqual(['node-1', 'node-2', 'node-0']);
});

test('sorts by the highest, groups with the nameless last', () => {
  expect(outline({ sort: 'errors' })[0]).toBe('node-2(a b)');
  const up = [undefined, 900, undefined, 60].map((uptimeSeconds, index) =>
    host(`h-${index}`, [], uptimeSeconds === undefined ? {} : { uptimeSeconds }),
  );
  expect(
    fleetRows(up, { ...VIEW, sort: 'uptime' }).map((row) => (row.kind === 'host' ? row.host.name : '')),
  ).toEqual(['h-3', 'h-1', 'h-0', 'h-2']);
  expect(outline({ group: 'zone' })).toEqual([
    '# a',
    'node-2(a b)',
    '# b',
    'node-10()',
    '# No zone',
    'mig(p)',
  ]);
});

test('totals count a partitioned GPU once', () => {
  expect(totalsOf(FLEET)).toEqual({
    hosts: 3,
    silent: 0,
    gpus: 3,
    idle: 2,
    attention: 1,
    utilization: 0.45,
    memoryUsed: 30,
    memoryLimit: 240,
    watts: 900,
  });
  expect(totalsOf([]).utilization).toBeNull();
});

test('totals: a silent host is one thing to look at, with all its GPUs', () => {
  const gone = [gpu({ id: 'a', stale: true }), gpu({ id: 'b', stale: true })];
  expect(totalsOf([host('silent', gone, { stale: true })])).toMatchObject({ silent: 1, attention: 1 });
  expect(totalsOf([host('there', gone)])).toMatchObject({ silent: 0, attention: 2 });
});

test('attention: bad errors are danger, mended ones a warning, heat by degrees, silence with its errors', () => {
  const texts = (one: Partial<Gpu>) =>
    attentionOfGpu(gpu({ id: 'x', ...one })).map(({ level, text }) => `${level} ${text}`);
  expect(
    texts({
      errors: [
        { type: 'corrected', count: 3 },
        { type: 'xid', count: 1 },
      ],
    }),
  ).toEqual(['danger 1 XID']);
  expect(texts({ errors: [{ type: 'corrected', count: 1_200 }] })).toEqual(['warn 1.2k ECC corrected']);
  expect(texts({ temperatureCelsius: 91.4, status: 'degraded' })).toEqual(['danger 91 °C', 'warn degraded']);
  expect(texts({ stale: true, temperatureCelsius: 99 })).toEqual(['danger Not reported']);
  expect(texts({ stale: true, errors: [{ type: 'xid', count: 1 }] })).toEqual([
    'danger Not reported',
    'danger 1 XID',
  ]);
  expect(attentionOfHost(host('h', [], { filesystem: { mountpoint: '/x', utilization: 0.95 } }))).toEqual([
    { level: 'danger', what: 'full', text: '/x is full' },
  ]);
  expect(attentionOfHost(host('h', [], { machines: ['m-1', 'm-2'] }))).toEqual([
    { level: 'warn', what: 'several', text: '2 machines of this name' },
  ]);
});

test('no two GPUs of a host have one name: partitions of one profile are told apart by the end of their id', () => {
  const part = (id: string, partition = '1g.10gb') => gpu({ id, parentId: 'GPU-1', index: 1, partition });
  const names = (...gpus: Gpu[]) => [...gpuNames(gpus).values()];
  expect(names(gpu({ id: 'GPU-0' }), gpu({ id: 'GPU-1', index: 1 }), part('MIG-1', '3g.40gb'))).toEqual([
    'GPU 0',
    'GPU 1',
    '3g.40gb',
  ]);
  expect(names(part('MIG-11aa'), part('MIG-22bb'))).toEqual(['1g.10gb …11aa', '1g.10gb …22bb']);
  // As older drivers wrote them: only the beginnings differ.
  expect(names(part('MIG-A/1/0'), part('MIG-B/1/0'))).toEqual(['1g.10gb …A/1/0', '1g.10gb …B/1/0']);
  expect(names(gpu({ id: 'x', index: null, name: 'NVIDIA H100 80GB HBM3' }))).toEqual(['H100 80GB']);
});

test('a host that was away and came back needs a look, and is found by that word', () => {
  const away = [
    { from: '2026-11-22T03:12:00.000Z', to: '2026-11-22T04:12:00.000Z' },
    { from: '2026-11-22T08:00:00.000Z', to: '2026-11-22T08:10:00.000Z' },
  ];
  const back = host('back', [gpu({ id: 'a' })], { away });
  expect(attentionOfHost(back)).toEqual([
    { level: 'warn', what: 'away', text: 'Away 2 times, 1h 10m', when: away },
  ]);
  const words = (times: typeof away) => attentionOfHost({ ...back, away: times })[0]?.text;
  expect(words(away.slice(0, 1))).toBe('Away for 1h 00m');
  // The longest five are told, not all there were.
  expect(words([...away, ...away, ...away])).toBe('Away 6 times or more');
  // One that is silent now is that first of all; of long ranges it is not known.
  expect(attentionOfHost({ ...back, stale: true }).map(({ what }) => what)).toEqual(['silent']);
  expect(attentionOfHost({ ...back, away: null })).toEqual([]);
  const fleet = [back, host('never', [gpu({ id: 'b' })])];
  for (const view of [
    { q: '', show: 'attention' },
    { q: 'away', show: 'all' },
  ] as const)
    expect(
      fleetRows(fleet, { sort: 'name', group: 'none', ...view }).map(
        (row) => row.kind === 'host' && row.host.name,
      ),
    ).toEqual(['back']);
});
