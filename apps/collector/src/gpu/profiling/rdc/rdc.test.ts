import { afterEach, describe, expect, test } from 'vitest';
import { FileTree } from '../../../fixtures/source-run.ts';
import { NO_LIBRARIES, TestLibrary } from '../../fixtures/library.ts';
import { createRdc } from './index.ts';
import { kfdAddresses } from './kfd.ts';
import { loadRdc } from './native.ts';
import { RdcSession } from './session.ts';

const opened: { close: () => void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** One MI300X under load. */
const gpu = (number: number, kfdId: number): string[] => [
  `gpu ${number}`,
  `field ${number} 800 d 37.5`,
  `field ${number} 804 d 61`,
  `field ${number} 812 d 92`,
  `field ${number} 815 d 48`,
  `field ${number} 816 d 5`,
  `field ${number} 817 d 0`,
  `field ${number} 853 d 0.44`,
  `field ${number} 854 i ${kfdId}`,
];
const ADDRESSES = new Map([
  [51_110, '0000:05:00.0'],
  [8_210, '0000:c6:00.0'],
]);

function session(profile: readonly string[]) {
  const library = new TestLibrary('rdc', 'librdc.so.1', profile);
  const made = new RdcSession(loadRdc([library.path]), (id) => ADDRESSES.get(id));
  opened.push({
    close: () => {
      made.close();
      library.remove();
    },
  });
  return { library, session: made };
}

describe.skipIf(NO_LIBRARIES !== undefined)('a session', () => {
  test('starts the engine here, watches the fields and tells samples by PCI address', () => {
    const { library, session: rdc } = session([...gpu(0, 51_110), ...gpu(1, 8_210)]);
    rdc.open();
    expect(library.calls()).toEqual([
      'rdc_init flags=0',
      'rdc_start_embedded mode=0',
      'rdc_device_get_all',
      'rdc_group_gpu_create type=1 opentelemetry-gpu-collector',
      'rdc_group_gpu_add group=5 gpu=0',
      'rdc_group_gpu_add group=5 gpu=1',
      'rdc_group_field_create opentelemetry-gpu-collector 800,804,812,815,816,817,853,854',
      'rdc_field_watch group=5 fields=6 us=10000000 age=30 samples=3',
    ]);
    const { samples, errors } = rdc.read();
    expect(errors).toEqual([]);
    expect(samples.map(({ device }) => device)).toEqual([{ pci: '0000:05:00.0' }, { pci: '0000:c6:00.0' }]);
    expect(samples[0]).toMatchObject({
      blank: false,
      overlap: {},
      activity: {
        sm: 0.92,
        occupancy: 0.375,
        simd: 0.44,
        pipes: { tensor: 0.61, fp64: 0, fp32: 0.05, fp16: 0.48 },
      },
    });
  });

  test('what there is not is left out, what fails is blank, and who it is about is never guessed', () => {
    const { library, session: rdc } = session(gpu(0, 51_110));
    rdc.open();
    library.profile([...gpu(0, 51_110), 'status 0 853 1', 'status 0 804 6']);
    const [sample] = rdc.read().samples;
    expect(sample).toMatchObject({ blank: false, activity: { pipes: { fp64: 0, fp32: 0.05, fp16: 0.48 } } });
    expect(sample?.activity).not.toHaveProperty('simd');
    for (const line of ['status 0 812 13', 'age 0 40000']) {
      library.profile([...gpu(0, 51_110), 'status 0 854 0', line]);
      const round = rdc.read();
      expect(round.samples[0]?.blank ?? round.errors.length > 0, line).toBe(true);
    }
    library.profile(gpu(0, 4_711));
    expect(rdc.read()).toEqual({ samples: [], errors: ['RDC does not tell which GPU its number 0 is'] });
  });

  test.each([
    ['rc rdc_start_embedded 3', 'rdc_start_embedded: a module could not be loaded (3)'],
    ['rc rdc_field_watch 14', 'rdc_field_watch: no permission (14)'],
  ])('%s: it says why, and closes what it opened', (line, reason) => {
    const { library, session: rdc } = session([...gpu(0, 51_110), line]);
    expect(() => rdc.open()).toThrow(reason);
    expect(library.calls().at(-1)).toBe('rdc_shutdown');
  });

  test('it is closed as it was opened, and cannot be paused', () => {
    const { library, session: rdc } = session(gpu(0, 51_110));
    rdc.open();
    expect(rdc.pause()).toContain('cannot be paused');
    rdc.close();
    expect(library.calls().slice(-5)).toEqual([
      'rdc_field_unwatch group=5 fields=6',
      'rdc_group_field_destroy 6',
      'rdc_group_gpu_destroy 5',
      'rdc_stop_embedded 0x7f0000000003',
      'rdc_shutdown',
    ]);
  });

  test('no library is a reason', () => {
    const paths = { proc: '', sys: '/nowhere', etc: '', root: '' };
    const dcgm = { address: undefined, intervalSeconds: 10, fields: [] };
    expect(() => createRdc({ paths, libraries: ['/nowhere/librdc.so'], dcgm })).toThrow(
      'OTEL_GPU_RDC_LIB_PATH',
    );
  });
});

test('addresses of GPUs by their number in the compute driver', () => {
  const tree = new FileTree();
  const nodes = 'class/kfd/kfd/topology/nodes';
  tree.write({
    [`${nodes}/0/gpu_id`]: 0,
    [`${nodes}/0/properties`]: 'cpu_cores_count 64\nlocation_id 0\n',
    [`${nodes}/1/gpu_id`]: 51_110,
    [`${nodes}/1/properties`]: 'simd_count 1216\nlocation_id 1280\ndomain 0\n',
    [`${nodes}/2/gpu_id`]: 8_210,
    [`${nodes}/2/properties`]: 'location_id 50697\ndomain 2\n',
    [`${nodes}/3/gpu_id`]: 9,
    [`${nodes}/3/properties`]: 'nothing of use\n',
  });
  expect(Object.fromEntries(kfdAddresses(tree.path))).toEqual({
    51110: '0000:05:00.0',
    8210: '0002:c6:01.1',
  });
  tree.remove();
});
