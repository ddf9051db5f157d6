import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApiAnswer,
  type KubeletAnswer,
  startFakeApiServer,
  startFakeKubelet,
} from '@candela/testkit/fake-cluster';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { type WorkloadOptions, Workloads } from './index.ts';

const ID = 'a1b2c3d4'.repeat(8);
const UID = '3f6e9a50-1c2d-4e5f-8a9b-0c1d2e3f4a5b';
const GPU = 'GPU-8f2a11c4-0000-1111-2222-333344445555';

let directory: string;
let lines: string[];
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'workload-'));
  lines = [];
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await rm(directory, { recursive: true, force: true });
});

async function fakeProcess(pid: string, cgroup: string, start = 100, mountinfo = ''): Promise<void> {
  await mkdir(join(directory, 'proc', pid), { recursive: true });
  const file = (name: string, text: string) => writeFile(join(directory, 'proc', pid, name), text);
  await file('stat', `${pid} (py) (thon)) S ${'0 '.repeat(18)}${start} 0 0\n`);
  await file('cgroup', cgroup);
  await file('mountinfo', mountinfo);
}

const inPod = (id: string, uid = UID) =>
  `0::/kubepods.slice/kubepods-pod${uid.replaceAll('-', '_')}.slice/cri-containerd-${id}.scope\n`;

const POD = {
  metadata: {
    name: 'train-0',
    namespace: 'ml',
    uid: UID,
    ownerReferences: [{ kind: 'StatefulSet', name: 'train', controller: true }],
  },
  status: { containerStatuses: [{ name: 'trainer', containerID: `containerd://${ID}` }] },
};
const TRAINER = {
  'k8s.namespace.name': 'ml',
  'k8s.pod.name': 'train-0',
  'k8s.pod.uid': UID,
  'k8s.statefulset.name': 'train',
  'platform.workload.kind': 'StatefulSet',
  'platform.workload.name': 'train',
  'k8s.container.name': 'trainer',
  'container.id': ID,
};

interface Given {
  readonly podResources?: Partial<WorkloadOptions['podResources']>;
  readonly pods?: Partial<WorkloadOptions['pods']>;
}

async function workloads(given: Given = {}): Promise<Workloads> {
  const made = new Workloads({
    paths: { proc: join(directory, 'proc'), sys: '/sys', etc: '/etc', root: '/' },
    log: createLog('info', (text) => lines.push(text)),
    podResources: {
      off: given.podResources === undefined ? 'not asked' : undefined,
      socket: undefined,
      ...given.podResources,
    },
    pods: {
      off: given.pods === undefined ? 'not asked' : undefined,
      access: undefined,
      node: 'node-1',
      ...given.pods,
    },
    refreshMs: 20,
  });
  closers.push(() => made.stop());
  made.start();
  await made.settled;
  return made;
}

async function cluster(answer: ApiAnswer) {
  const server = await startFakeApiServer(answer);
  closers.push(server.close);
  return server;
}

async function kubelet(answer: () => KubeletAnswer) {
  const socket = join(directory, 'kubelet.sock');
  const server = await startFakeKubelet(socket, answer);
  closers.push(server.close);
  return { ...server, socket };
}

async function eventually(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const state = (of: Workloads, name: string) => of.report().find((one) => one.name === name);

describe('processes', () => {
  it('are told by their container, and by their pod where the API server knows it', async () => {
    await fakeProcess('10', inPod(ID));
    await fakeProcess('11', '0::/system.slice/sshd.service\n');
    await fakeProcess('12', `0::/system.slice/docker-${'0f'.repeat(32)}.scope\n`);
    const server = await cluster(() => ({ items: [POD] }));
    const made = await workloads({ pods: { access: server.access } });
    expect(made.ofPid(10)).toEqual(TRAINER);
    expect(made.ofPid(11)).toBeUndefined();
    expect(made.ofPid(12)).toEqual({ 'container.id': '0f'.repeat(32) });
    expect(made.ofPid(13)).toBeUndefined();
    const query = new URL(server.asked[0]?.path ?? '', 'https://x').searchParams;
    expect(Object.fromEntries(query)).toEqual({
      fieldSelector: 'spec.nodeName=node-1',
      limit: '500',
      resourceVersion: '0',
    });
  });

  it('are told by their mounts where a namespace hides their container', async () => {
    const mounts = [
      `1 2 8:1 /var/lib/kubelet/pods/${UID}/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw`,
      `1 2 8:1 /var/lib/kubelet/pods/${UID}/containers/trainer/1a2b /dev/termination-log rw - ext4 /dev/sda1 rw`,
    ];
    await fakeProcess('self', '0::/\n', 100, mounts.join('\n'));
    const server = await cluster(() => ({ items: [POD] }));
    expect((await workloads({ pods: { access: server.access } })).ofSelf()).toEqual(TRAINER);
    expect((await workloads()).ofSelf()).toEqual({ 'k8s.pod.uid': UID, 'k8s.container.name': 'trainer' });
  });

  it('are not mistaken for earlier ones with their number', async () => {
    await fakeProcess('10', inPod(ID), 100);
    const server = await cluster(() => ({ items: [POD] }));
    const made = await workloads({ pods: { access: server.access } });
    expect(made.ofPid(10)).toEqual(TRAINER);
    await fakeProcess('10', '0::/system.slice/cron.service\n', 100);
    expect(made.ofPid(10)).toEqual(TRAINER);
    await fakeProcess('10', '0::/system.slice/cron.service\n', 200);
    expect(made.ofPid(10)).toBeUndefined();
    await rm(join(directory, 'proc/10'), { recursive: true });
    expect(made.ofPid(10)).toBeUndefined();
  });

  it('of a new pod bring the list forward, once', async () => {
    let items: unknown[] = [];
    const server = await cluster(() => ({ items }));
    const made = await workloads({ pods: { access: server.access } });
    await fakeProcess('10', inPod(ID));
    items = [POD];
    expect(made.ofPid(10)).toEqual({ 'container.id': ID, 'k8s.pod.uid': UID });
    await eventually(() => made.ofPid(10)?.['k8s.pod.name'] === 'train-0');
    const asked = server.asked.length;
    await fakeProcess('20', inPod('0'.repeat(64), '00000000-0000-0000-0000-000000000000'));
    made.ofPid(20);
    await eventually(() => server.asked.length === asked + 1);
    for (let round = 0; round < 10; round += 1) {
      made.ofPid(20);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(server.asked.length).toBe(asked + 1);
  });
});

describe('the list of pods', () => {
  it('goes on where a page ends, and with the token of the hour', async () => {
    const server = await cluster((url) =>
      url.searchParams.has('continue')
        ? { items: [POD] }
        : { items: [], metadata: { continue: 'next page/1' } },
    );
    await fakeProcess('10', inPod(ID));
    const made = await workloads({ pods: { access: server.access } });
    expect(made.ofPid(10)).toEqual(TRAINER);
    expect(server.asked[1]?.path).toContain('continue=next+page%2F1');
    expect(server.asked[1]?.path).not.toContain('resourceVersion');

    await server.rotateToken('second', true);
    await fakeProcess('20', inPod('0'.repeat(64)));
    made.ofPid(20);
    await eventually(() => server.asked.length === 4);
    expect(server.asked.map(({ token }) => token)).toEqual([
      'Bearer first-token',
      'Bearer first-token',
      'Bearer second',
      'Bearer second',
    ]);
  });

  it('that never ends is left after some pages', async () => {
    const server = await cluster(() => ({ items: [POD], metadata: { continue: 'again' } }));
    const made = await workloads({ pods: { access: server.access } });
    expect(state(made, 'pods')?.state).toBe('found');
    expect(server.asked.length).toBe(8);
  });

  it('may be refused, which costs the names and is told once', async () => {
    const server = await cluster((_, __, response) => response.writeHead(403).end());
    await fakeProcess('10', inPod(ID));
    const made = await workloads({ pods: { access: server.access } });
    expect(state(made, 'pods')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('list on pods'),
    });
    expect(made.ofPid(10)).toEqual({ 'container.id': ID, 'k8s.pod.uid': UID });
    expect(lines.filter((line) => line.includes('list on pods'))).toHaveLength(1);
  });

  it('stays known while the API server is away', async () => {
    let up = true;
    const server = await cluster((_, __, response) =>
      up ? { items: [POD] } : response.writeHead(500).end(),
    );
    await fakeProcess('10', inPod(ID));
    const made = await workloads({ pods: { access: server.access } });
    up = false;
    await fakeProcess('20', inPod('0'.repeat(64)));
    made.ofPid(20);
    await eventually(() => state(made, 'pods')?.state === 'failed');
    expect(made.ofPid(10)).toEqual(TRAINER);
    up = true;
    await eventually(() => state(made, 'pods')?.state === 'found');
  });
});

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

describe('what is off', () => {
  it('is not asked and says why', async () => {
    const made = await workloads();
    expect(made.report()).toEqual([
      { name: 'pod resources', state: 'off', detail: 'not asked' },
      { name: 'pods', state: 'off', detail: 'not asked' },
    ]);
  });
});
