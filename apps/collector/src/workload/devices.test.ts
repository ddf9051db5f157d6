import { createServer } from 'node:net';
import { join } from 'node:path';
import type { KubeletAnswer } from '@candela/testkit/fake-cluster';
import { describe, expect, it } from 'vitest';
import {
  closers,
  cluster,
  directory,
  eventually,
  kubelet,
  lines,
  POD,
  state,
  TRAINER,
  workloads,
} from '../fixtures/node-world.ts';

const GPU = 'GPU-8f2a11c4-0000-1111-2222-333344445555';

describe('devices', () => {
  const holding = (pod: string, ...deviceIds: string[]) => ({
    name: pod,
    namespace: 'ml',
    containers: [
      {
        name: 'trainer',
        cpuIds: [0, 1, 2],
        devices: [
          { resourceName: 'nvidia.com/gpu', deviceIds },
          { resourceName: 'rdma/hca', deviceIds: ['mlx5_0'] },
        ],
      },
      { name: 'sidecar' },
    ],
  });

  it('are told by who holds them, each of those who share one', async () => {
    const { socket } = await kubelet(() => [
      holding('train-0', GPU, 'nvidia3'),
      holding('a', 'GPU-shared::0', 'GPU-shared::1'),
      holding('b', 'GPU-shared::2'),
    ]);
    const made = await workloads({ podResources: { socket } });
    const trainer = {
      'k8s.namespace.name': 'ml',
      'k8s.pod.name': 'train-0',
      'k8s.container.name': 'trainer',
    };
    expect(made.ofDevice(GPU)).toEqual([trainer]);
    expect(made.ofDevice(GPU.toLowerCase())).toEqual([trainer]);
    expect(made.ofDevice('nvidia3')).toEqual([trainer]);
    expect(made.ofDevice('GPU-shared').map((one) => one['k8s.pod.name'])).toEqual(['a', 'b']);
    expect(made.ofDevice('mlx5_0')).toEqual([]);
    expect(made.ofDevice('GPU-other')).toEqual([]);
    expect(state(made, 'pod resources')).toMatchObject({ state: 'found', detail: '3 devices in use' });
  });

  it('carry all of the pod when the API server knows it too', async () => {
    const server = await cluster(() => ({ items: [POD] }));
    const { socket } = await kubelet(() => [holding('train-0', GPU)]);
    const made = await workloads({ podResources: { socket }, pods: { access: server.access } });
    expect(made.ofDevice(GPU)).toEqual([TRAINER]);
  });

  it('that a claim was given are known by driver, pool and name, and by an id the runtime was told', async () => {
    const { socket } = await kubelet(() => [
      {
        name: 'train-0',
        namespace: 'ml',
        containers: [
          {
            name: 'trainer',
            dynamicResources: [
              {
                claimName: 'gpu',
                claimNamespace: 'ml',
                claimResources: [
                  {
                    driverName: 'gpu.nvidia.com',
                    poolName: 'node-1',
                    deviceName: 'gpu-0',
                    cdiDevices: [
                      { name: `nvidia.com/gpu=${GPU}` },
                      { name: 'k8s.gpu.nvidia.com/device=gpu-0' },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ]);
    const made = await workloads({ podResources: { socket } });
    expect(made.ofDevice('gpu.nvidia.com/node-1/gpu-0')).toHaveLength(1);
    expect(made.ofDevice(GPU)).toHaveLength(1);
    expect(made.ofDevice('gpu-0')).toEqual([]);
  });

  it('that a claim was given are found by what their driver says of them, from the versions a cluster has', async () => {
    const { socket } = await kubelet(() => [
      {
        name: 'train-0',
        namespace: 'ml',
        containers: [
          {
            name: 'trainer',
            dynamicResources: [
              {
                claimName: 'gpu',
                claimNamespace: 'ml',
                claimResources: [{ driverName: 'gpu.nvidia.com', poolName: 'node-1', deviceName: 'gpu-0' }],
              },
            ],
          },
        ],
      },
    ]);
    const attributes = { uuid: { string: GPU }, pcieBusID: { string: '0000:C3:00.0' } };
    const server = await cluster((url) =>
      url.pathname === '/apis/resource.k8s.io/v1beta1/resourceslices'
        ? {
            items: [
              {
                spec: {
                  driver: 'gpu.nvidia.com',
                  pool: { name: 'node-1' },
                  devices: [{ name: 'gpu-0', basic: { attributes } }],
                },
              },
            ],
          }
        : undefined,
    );
    const made = await workloads({
      podResources: { socket },
      pods: { off: 'not asked', access: server.access },
    });
    expect(made.ofDevice(GPU)[0]?.['k8s.pod.name']).toBe('train-0');
    expect(made.ofDevice('0000:c3:00.0')).toHaveLength(1);
    expect(state(made, 'device claims')).toMatchObject({ state: 'found', detail: '2 ids of devices' });
    expect(server.asked.map(({ path }) => path.split('?')[0])).toEqual([
      '/apis/resource.k8s.io/v1/resourceslices',
      '/apis/resource.k8s.io/v1beta2/resourceslices',
      '/apis/resource.k8s.io/v1beta1/resourceslices',
    ]);
  });

  it('follow what the kubelet says, through its failures', async () => {
    let answer: KubeletAnswer = [holding('train-0', GPU)];
    const { socket, calls } = await kubelet(() => answer);
    const made = await workloads({ podResources: { socket } });
    answer = { fails: 'rejected by rate limit' };
    await eventually(() => state(made, 'pod resources')?.state === 'failed');
    expect(state(made, 'pod resources')?.detail).toBe('rejected by rate limit');
    expect(made.ofDevice(GPU)).toHaveLength(1);
    answer = [holding('train-1', GPU)];
    await eventually(() => made.ofDevice(GPU)[0]?.['k8s.pod.name'] === 'train-1');
    expect(calls()).toBeGreaterThan(2);
    expect(lines.filter((line) => line.includes('rate limit'))).toHaveLength(1);
  });

  it('takes answers of dense nodes, beyond the usual limit of gRPC', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => ({
      ...holding(`pod-${at}`, `GPU-${at}`),
      containers: Array.from({ length: 40 }, (__, of) => ({
        name: `container-${of}-${'x'.repeat(40)}`,
        devices: of === 0 ? [{ resourceName: 'nvidia.com/gpu', deviceIds: [`GPU-${at}`] }] : [],
      })),
    }));
    const { socket } = await kubelet(() => many);
    const made = await workloads({ podResources: { socket } });
    expect(state(made, 'pod resources')).toMatchObject({ state: 'found', detail: '3000 devices in use' });
  });

  it('say what is missing where there is no kubelet, or none that speaks', async () => {
    const missing = await workloads({ podResources: { socket: join(directory, 'none.sock') } });
    expect(state(missing, 'pod resources')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('is its directory mounted?'),
    });
    const socket = join(directory, 'other.sock');
    const other = createServer((connection) => connection.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => {
      other.listen(socket, resolve);
    });
    closers.push(() => other.close());
    const wrong = await workloads({ podResources: { socket } });
    expect(state(wrong, 'pod resources')?.state).toBe('failed');
  });
});
