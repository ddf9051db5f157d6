import { afterEach, describe, expect, test } from 'vitest';
import { NO_LIBRARIES, TestLibrary } from '../../fixtures/library.ts';
import { FIELD, readField, wantedFields } from './fields.ts';
import { VALUE_BYTES } from './layout.ts';
import { loadDcgm } from './native.ts';
import { type DcgmSettings, DcgmSession } from './session.ts';

const opened: { close: () => void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

const FIELDS = '50,100,155,203,204,1001,1002,1003,1004,1005,1006,1007,1008,1009,1010,1011,1012'.split(',');
const SETTINGS: DcgmSettings = { address: undefined, intervalSeconds: 10, fields: FIELDS };

/** One H100 under load. */
const gpu = (number: number): string[] => [
  `gpu ${number}`,
  `field ${number} 50 s NVIDIA H100 80GB HBM3`,
  `field ${number} 54 s GPU-0000000${number}`,
  `field ${number} 100 i 1755`,
  `field ${number} 155 d 412.5`,
  `field ${number} 203 i 97`,
  `field ${number} 204 i 41`,
  `field ${number} 1001 d 0.91`,
  `field ${number} 1002 d 0.84`,
  `field ${number} 1003 d 0.33`,
  `field ${number} 1004 d 0.62`,
  `field ${number} 1005 d 0.48`,
  `field ${number} 1006 d 0`,
  `field ${number} 1007 d 0.02`,
  `field ${number} 1008 d 0.11`,
  `field ${number} 1009 i 1000000`,
  `field ${number} 1010 i 2000000`,
  `field ${number} 1011 i 30000000`,
  `field ${number} 1012 i 40000000`,
];

function session(profile: readonly string[], settings: Partial<DcgmSettings> = {}) {
  const library = new TestLibrary('dcgm', 'libdcgm.so.4', profile);
  const made = new DcgmSession(loadDcgm(['/nowhere/libdcgm.so', library.path]), { ...SETTINGS, ...settings });
  opened.push({
    close: () => {
      made.close();
      library.remove();
    },
  });
  return { library, session: made };
}

describe.skipIf(NO_LIBRARIES !== undefined)('a session', () => {
  test('starts the engine here, watches the fields at the interval and tells a sample by UUID', () => {
    const { library, session: dcgm } = session([...gpu(0), ...gpu(3)]);
    dcgm.open();
    expect(library.calls()).toEqual([
      'dcgmInit',
      'dcgmStartEmbedded mode=1',
      'dcgmGetAllSupportedDevices',
      'dcgmGroupCreate type=1 opentelemetry-gpu-collector',
      'dcgmGroupAddEntity group=11 kind=1 id=0',
      'dcgmGroupAddEntity group=11 kind=1 id=3',
      'dcgmGetGpuInstanceHierarchy version=2011f08',
      'dcgmFieldGroupCreate opentelemetry-gpu-collector 50,54,100,155,203,204',
      'dcgmFieldGroupCreate opentelemetry-gpu-collector-profiling 1001,1002,1003,1004,1005,1006,1007,1008,1009,1010,1011,1012',
      'dcgmWatchFields group=11 fields=21 us=10000000 age=30 samples=0',
      'dcgmWatchFields group=11 fields=22 us=10000000 age=30 samples=0',
      'dcgmUpdateAllFields wait=1',
    ]);
    const { samples, errors } = dcgm.read();
    expect(errors).toEqual([]);
    expect(samples.map(({ device }) => device)).toEqual([{ uuid: 'GPU-00000000' }, { uuid: 'GPU-00000003' }]);
    expect(samples[0]).toMatchObject({
      blank: false,
      activity: {
        graphicsEngine: 0.91,
        sm: 0.84,
        occupancy: 0.33,
        memoryBandwidth: 0.48,
        pipes: { tensor: 0.62, fp64: 0, fp32: 0.02, fp16: 0.11 },
      },
      overlap: {
        utilization: 0.97,
        memoryControllerUtilization: 0.41,
        powerW: 412.5,
        smClockHz: 1_755e6,
        pcie: { transmit: 1e6, receive: 2e6 },
        links: { transmit: 3e7, receive: 4e7 },
      },
    });
  });

  test('an engine elsewhere is connected to, by host or by socket, and left as it was found', () => {
    const { library, session: dcgm } = session(gpu(0), { address: '10.0.0.1:5555' });
    dcgm.open();
    dcgm.close();
    const calls = library.calls();
    expect(calls).toContain('dcgmConnect_v2 10.0.0.1:5555 version=2000010 timeout=5000 unix=0');
    expect(calls.slice(calls.indexOf('dcgmUpdateAllFields wait=1') + 1)).toEqual([
      'dcgmUnwatchFields group=11 fields=21',
      'dcgmFieldGroupDestroy 21',
      'dcgmUnwatchFields group=11 fields=22',
      'dcgmFieldGroupDestroy 22',
      'dcgmGroupDestroy 11',
      'dcgmDisconnect 7f0000000002',
      'dcgmShutdown',
    ]);

    const local = session(gpu(0), { address: '/tmp/nv-hostengine' });
    local.session.open();
    expect(local.library.calls()).toContain(
      'dcgmConnect_v2 /tmp/nv-hostengine version=2000010 timeout=5000 unix=1',
    );
  });

  test('what this GPU does not have is left out; what it should have said makes the sample blank', () => {
    const { library, session: dcgm } = session([
      ...gpu(0),
      'field 0 1006 d notsupported',
      'status 0 1007 -36',
    ]);
    dcgm.open();
    expect(dcgm.read().samples[0]).toMatchObject({ blank: false });
    expect(dcgm.read().samples[0]?.activity.pipes).toEqual({ tensor: 0.62, fp16: 0.11 });

    for (const blank of ['field 0 203 i blank', 'field 0 1005 d notfound', 'field 0 155 d notpermitted']) {
      library.profile([...gpu(0), blank]);
      const [sample] = dcgm.read().samples;
      expect(sample?.blank, blank).toBe(true);
      // The rest of it is as good as ever.
      expect(sample?.activity.sm).toBe(0.84);
    }
    library.profile([...gpu(0), 'status 0 1002 -14']);
    expect(dcgm.read().samples[0]).toMatchObject({ blank: true });
    library.profile([...gpu(0), 'age 0 31000']);
    expect(dcgm.read().samples[0]).toMatchObject({ blank: true, overlap: {}, activity: { pipes: {} } });
  });

  test('a GPU that fails takes no other with it; an engine that is gone is opened anew', () => {
    const { library, session: dcgm } = session([...gpu(0), ...gpu(1), ...gpu(2)]);
    dcgm.open();
    library.profile([...gpu(0), ...gpu(1), ...gpu(2), 'rcgpu 1 -18']);
    const { samples, errors } = dcgm.read();
    expect(samples.map(({ device }) => device)).toEqual([{ uuid: 'GPU-00000000' }, { uuid: 'GPU-00000002' }]);
    expect(errors).toEqual(['dcgmEntityGetLatestValues of GPU 1: the GPU is lost (-18)']);
    library.profile([...gpu(0), 'rcgpu 0 -21']);
    expect(() => dcgm.read()).toThrow('no connection to the host engine (-21)');
  });

  test('counters that stopped while the GPU works are not believed', () => {
    const { library, session: dcgm } = session(gpu(0));
    dcgm.open();
    library.profile([...gpu(0), ...[1001, 1002, 1003].map((id) => `field 0 ${id} d 0`)]);
    expect(dcgm.read().samples[0]).toMatchObject({ blank: true, activity: { pipes: {} } });
    expect(dcgm.read().samples[0]?.overlap).not.toHaveProperty('pcie');
    library.profile([...gpu(0), 'field 0 203 i 0', ...[1001, 1002].map((id) => `field 0 ${id} d 0`)]);
    expect(dcgm.read().samples[0]).toMatchObject({ blank: false, activity: { sm: 0 } });
  });

  test('without the profiling module the plain fields still come, and profiling is tried again', () => {
    const { library, session: dcgm } = session([...gpu(0), 'rcfield -33']);
    dcgm.open();
    expect(dcgm.read().samples[0]).toMatchObject({
      blank: false,
      activity: { pipes: {} },
      overlap: { powerW: 412.5 },
    });
    library.profile(gpu(0));
    const found = Array.from({ length: 6 }, () => dcgm.read().samples[0]?.activity.sm);
    expect(found).toContain(0.84);
  });

  test('instances of a GPU that is cut are told apart; one that is made later is found', () => {
    const fields = (id: number, busy: number) => [
      `field ${id} 1001 d ${busy}`,
      ...[1002, 1003, 1004, 1005, 1006, 1007, 1008].map((field) => `field ${id} ${field} d 0.25`),
    ];
    const cut = [...gpu(0), 'instance 7 GPU-00000000 2', ...fields(107, 0.5)];
    const { library, session: dcgm } = session(cut);
    dcgm.open();
    expect(library.calls()).toContain('dcgmGroupAddEntity group=11 kind=4 id=7');
    const [whole, part, ...more] = dcgm.read().samples;
    expect(more).toEqual([]);
    expect(whole).toMatchObject({ device: { uuid: 'GPU-00000000' }, blank: false });
    expect(part).toMatchObject({
      device: { uuid: 'GPU-00000000', instance: 2 },
      blank: false,
      activity: { graphicsEngine: 0.5, sm: 0.25, pipes: { tensor: 0.25 } },
      overlap: { utilization: 0.5 },
    });
    library.profile([...cut, 'instance 9 GPU-00000000 3', ...fields(109, 0.75)]);
    const found = Array.from({ length: 6 }, () => dcgm.read().samples.map(({ device }) => device));
    expect(found.at(-1)).toContainEqual({ uuid: 'GPU-00000000', instance: 3 });
    library.profile([...gpu(0), 'rc dcgmGetGpuInstanceHierarchy -12']);
    const after = Array.from({ length: 6 }, () => dcgm.read().samples.length);
    expect(after.at(-1)).toBe(1);
  });

  test.each([
    ['rc dcgmInit -7', 'dcgmInit: failed (-7)'],
    ['rc dcgmStartEmbedded -29', 'dcgmStartEmbedded: needs root (-29)'],
    ['rc dcgmGetAllSupportedDevices -8', 'NVML failed'],
    ['rc dcgmWatchFields -37', 'another process holds the profiling counters'],
  ])('%s: it says why, and closes what it opened', (line, reason) => {
    const { library, session: dcgm } = session([...gpu(0), line]);
    expect(() => dcgm.open()).toThrow(reason);
    if (!line.includes('dcgmInit')) expect(library.calls().at(-1)).toBe('dcgmShutdown');
  });

  test('no GPU that it supports, and no library, are reasons', () => {
    expect(() => session(['# none']).session.open()).toThrow('supports none of the GPUs');
    expect(() => loadDcgm(['/nowhere/libdcgm.so.4'])).toThrow('OTEL_GPU_DCGM_LIB_PATH');
  });

  test('it pauses and resumes, and says when it cannot', () => {
    const { library, session: dcgm } = session(gpu(0));
    dcgm.open();
    expect(dcgm.pause()).toBeUndefined();
    expect(dcgm.resume()).toBeUndefined();
    library.profile([...gpu(0), 'rc dcgmProfPause -36']);
    expect(dcgm.pause()).toBe('dcgmProfPause: this GPU or driver has no profiling (-36)');
  });
});

test('fields that are asked for: numbers only, name and UUID always', () => {
  expect(wantedFields(['1002', 'x', '-1', '99999', '203', '203', ''])).toEqual([50, 54, 203, 1002]);
});

test('blanks of every kind are told from values', () => {
  const value = (type: string, write: (bytes: Buffer) => void, status = 0) => {
    const bytes = Buffer.alloc(VALUE_BYTES);
    bytes.writeUInt16LE(FIELD.power, 4);
    bytes.writeUInt16LE(type.charCodeAt(0), 6);
    bytes.writeInt32LE(status, 8);
    write(bytes);
    return readField(bytes, 0);
  };
  const integer = (number: bigint) => value('i', (bytes) => bytes.writeBigInt64LE(number, 24));
  const double = (number: number) => value('d', (bytes) => bytes.writeDoubleLE(number, 24));
  expect(integer(0x7ffffffffffffff0n)).toEqual({ kind: 'blank' });
  expect(integer(0x7ffffffffffffff2n)).toEqual({ kind: 'unsupported' });
  expect(integer(0x7ffffff3n)).toEqual({ kind: 'blank' });
  // A counter of bytes may well be larger than what 32 bits hold.
  expect(integer(0x1_0000_0000n)).toMatchObject({ kind: 'number', value: 0x1_0000_0000 });
  expect(double(140_737_488_355_330)).toEqual({ kind: 'unsupported' });
  expect(double(Number.NaN)).toEqual({ kind: 'blank' });
  expect(double(0.5)).toMatchObject({ kind: 'number', value: 0.5 });
  expect(value('s', (bytes) => bytes.write('<<<NULL>>>', 24))).toEqual({ kind: 'blank' });
  expect(value('s', (bytes) => bytes.fill('x', 24))).toMatchObject({ text: 'x'.repeat(256) });
  expect(value('i', () => undefined, -16)).toEqual({ kind: 'blank' });
  expect(value('b', () => undefined)).toEqual({ kind: 'blank' });
});
