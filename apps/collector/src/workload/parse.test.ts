import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidesContainer, parseCgroup, containerOfMounts } from './cgroup.ts';
import { deviceName, parsePodResources } from './pod-resources.ts';
import { parsePod, parsePodList } from './pods.ts';
import { parseResourceSlices } from './resource-slices.ts';

const ID = 'a1b2c3d4'.repeat(8);
const OTHER = '0f'.repeat(32);
const UID = '3f6e9a50-1c2d-4e5f-8a9b-0c1d2e3f4a5b';
const UNDERSCORED = UID.replaceAll('-', '_');
const STATIC = '7cd2ee0b59c1b5a7e1c5b1a3f0e9d8c7';

describe('cgroups', () => {
  it.each([
    [
      'containerd with systemd, version 2',
      `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${UNDERSCORED}.slice/cri-containerd-${ID}.scope\n`,
      { containerId: ID, podUid: UID },
    ],
    ['containerd with cgroupfs', `0::/kubepods/besteffort/pod${UID}/${ID}`, { containerId: ID, podUid: UID }],
    [
      'CRI-O, below its scope',
      `0::/kubepods.slice/kubepods-pod${UNDERSCORED}.slice/crio-${ID}.scope/container`,
      { containerId: ID, podUid: UID },
    ],
    [
      'version 1, the first line that tells',
      `12:pids:/kubepods/burstable/pod${UID}/${ID}\n11:cpu,cpuacct:/x\n1:name=systemd:/y\n`,
      { containerId: ID, podUid: UID },
    ],
    [
      'containerd with systemd paths it does not know as such',
      `0::/system.slice/containerd.service/kubepods-besteffort-pod${UNDERSCORED}.slice:cri-containerd:${ID}`,
      { containerId: ID, podUid: UID },
    ],
    ['Docker', `0::/system.slice/docker-${ID}.scope`, { containerId: ID }],
    ['Docker with cgroupfs and systemd inside', `0::/docker/${ID}/init.scope`, { containerId: ID }],
    ['Podman', `0::/user.slice/user-1000.slice/libpod-${ID}.scope/container`, { containerId: ID }],
    [
      'a static pod',
      `0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${STATIC}.slice/cri-containerd-${ID}.scope`,
      { containerId: ID, podUid: STATIC },
    ],
    [
      'a container in a node that is one',
      `0::/docker/${OTHER}/kubelet.slice/kubelet-kubepods-pod${UNDERSCORED}.slice/cri-containerd-${ID}.scope`,
      { containerId: ID, podUid: UID },
    ],
    [
      'Fargate, and ECS with version 2',
      `0::/ecs/${STATIC}/${STATIC}-1234567890\n`,
      { containerId: `${STATIC}-1234567890` },
    ],
    ['seen from another container', `0::/../cri-containerd-${ID}.scope`, { containerId: ID }],
  ])('%s', (_, text, expected) => {
    expect(parseCgroup(text)).toEqual(expected);
  });

  it.each([
    ['nothing', ''],
    ['a service', '0::/system.slice/kubelet.service\n'],
    ['a session', '0::/user.slice/user-0.slice/session-1.scope'],
    ['the monitor of a container', `0::/system.slice/crio-conmon-${ID}.scope`],
    ['the monitor of Podman', `0::/machine.slice/libpod-conmon-${ID}.scope`],
    ['an id that is too long', `0::/docker/${ID}0`],
    ['no cgroup line', `whatever ${ID}`],
  ])('finds no container in %s', (_, text) => {
    expect(parseCgroup(text)).toBeUndefined();
  });

  it('knows when a namespace hides the container', () => {
    expect(hidesContainer('0::/\n')).toBe(true);
    expect(hidesContainer('0::/../..\n')).toBe(true);
    expect(hidesContainer('1:name=systemd:/\n0::/system.slice/x')).toBe(true);
    expect(hidesContainer('0::/system.slice/x.service\n')).toBe(false);
  });
});

describe('mounts', () => {
  const line = (root: string, at: string) => `812 805 259:1 ${root} ${at} rw,relatime - ext4 /dev/root rw`;

  it('finds pod and container of the kubelet, not the sandbox of the runtime', () => {
    const text = [
      line('/', '/'),
      line(`/var/lib/kubelet/pods/${UID}/etc-hosts`, '/etc/hosts'),
      line(`/lib/kubelet/pods/${UID}/containers/trainer/1a2b3c4d`, '/dev/termination-log'),
      line(`/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/${ID}/hostname`, '/etc/hostname'),
    ].join('\n');
    expect(containerOfMounts(text)).toEqual({ podUid: UID, containerName: 'trainer' });
  });

  it("finds containers of Docker and Podman, and not the sandbox's where there is a pod", () => {
    expect(containerOfMounts(line(`/var/lib/docker/containers/${ID}/hostname`, '/etc/hostname'))).toEqual({
      containerId: ID,
    });
    expect(
      containerOfMounts(
        line(
          `/home/me/.local/share/containers/storage/overlay-containers/${ID}/userdata/hosts`,
          '/etc/hosts',
        ),
      ),
    ).toEqual({ containerId: ID });
    expect(
      containerOfMounts(
        `${line(`/var/lib/docker/containers/${ID}/hostname`, '/etc/hostname')}\n${line(`/pods/${UID}/etc-hosts`, '/etc/hosts')}`,
      ),
    ).toEqual({ podUid: UID });
  });

  it('finds nothing in mounts of pods that the host sees', () => {
    expect(containerOfMounts(line('/', `/var/lib/kubelet/pods/${UID}/volumes/x`))).toBeUndefined();
    expect(containerOfMounts(line(`/var/lib/kubelet/pods/${UID}/etc-hosts`, '/mnt/x'))).toBeUndefined();
    expect(containerOfMounts('\0\nrubbish\n')).toBeUndefined();
  });
});

describe('devices', () => {
  it.each([
    ['nvidia.com/gpu', 'GPU-8f2A::3', 'gpu-8f2a'],
    ['nvidia.com/mig-1g.10gb', 'MIG-8f2a', 'mig-8f2a'],
    ['nvidia.com/gpu', 'nvidia0/vgpu1', 'nvidia0'],
    ['nvidia.com/gpu', 'nvidia0/gi5', 'nvidia0/gi5'],
    ['nvidia.com/gpu', 'nvidia0/gi5/vgpu0', 'nvidia0/gi5'],
    ['gpu.intel.com/i915', 'card0-0', 'card0'],
    ['amd.com/gpu', '0000:C3:00.0', '0000:c3:00.0'],
  ])('%s %s is %s', (resource, id, name) => {
    expect(deviceName(resource, id)).toBe(name);
  });

  it('survives any bytes as an answer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parsePodResources(bytes);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Error);
          expect(String(thrown)).toMatch(/^Error: the message (is cut off|has a field of an unknown kind)$/);
        }
      }),
    );
    expect(() => parsePodResources(Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f))).toThrow('cut off');
    expect(() => parsePodResources(Uint8Array.of(0x0a, ...Array<number>(12).fill(0xff)))).toThrow('cut off');
    expect(parsePodResources(new Uint8Array())).toEqual({ devices: new Map(), claimed: false });
  });
});

describe('what drivers say of devices', () => {
  const UUID = 'GPU-8f2a11c4-0000-1111-2222-333344445555';
  const slices = (...devices: unknown[]) => ({
    items: [{ spec: { driver: 'gpu.nvidia.com', pool: { name: 'node-1' }, devices } }],
  });
  const said = (value: unknown) => Object.fromEntries(parseResourceSlices(value));

  it('is an id and an address, in the first version one level deeper', () => {
    const attributes = {
      uuid: { string: UUID },
      'resource.kubernetes.io/pciBusID': { string: '0000:C3:00.0' },
      index: { int: 0 },
      productName: { string: 'H100' },
    };
    const expected = {
      [UUID.toLowerCase()]: 'gpu.nvidia.com/node-1/gpu-0',
      '0000:c3:00.0': 'gpu.nvidia.com/node-1/gpu-0',
    };
    expect(said(slices({ name: 'gpu-0', attributes }))).toEqual(expected);
    expect(said(slices({ name: 'gpu-0', basic: { attributes } }))).toEqual(expected);
  });

  it('is never the whole for a part of it', () => {
    const part = UUID.replace('GPU', 'MIG');
    const attributes = {
      uuid: { string: part },
      parentUUID: { string: UUID },
      pcieBusID: { string: '0000:c3:00.0' },
    };
    expect(said(slices({ name: 'gpu-0-mig-1', attributes }))).toEqual({
      [part.toLowerCase()]: 'gpu.nvidia.com/node-1/gpu-0-mig-1',
    });
  });

  it('may be any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        parseResourceSlices({ items: [value, { spec: value }] });
        parseResourceSlices(slices(value, { name: 'a', attributes: value }));
      }),
    );
  });
});

describe('pods', () => {
  const pod = (metadata: object, status: object = {}) => ({
    metadata: { name: 'train-0', namespace: 'ml', uid: UID, ...metadata },
    status,
  });
  const owned = (kind: string, name: string) => ({
    ownerReferences: [
      { kind: 'Other', name: 'x' },
      { kind, name, controller: true },
    ],
  });

  it('reads names, containers of all kinds and their ids', () => {
    const read = parsePod(
      pod(
        {},
        {
          containerStatuses: [
            { name: 'trainer', containerID: `containerd://${ID}` },
            { name: 'waiting', containerID: '' },
          ],
          initContainerStatuses: [{ name: 'fetch', containerID: `cri-o://${OTHER}` }],
          ephemeralContainerStatuses: [{ name: 'debug', containerID: 'docker://short' }],
        },
      ),
    );
    expect(read?.attributes).toEqual({
      'k8s.namespace.name': 'ml',
      'k8s.pod.name': 'train-0',
      'k8s.pod.uid': UID,
    });
    expect(Object.fromEntries(read?.containers ?? [])).toEqual({
      trainer: ID,
      waiting: undefined,
      fetch: OTHER,
      debug: undefined,
    });
  });

  it.each([
    [owned('StatefulSet', 'db'), { 'k8s.statefulset.name': 'db', kind: 'StatefulSet', name: 'db' }],
    [owned('PyTorchJob', 'llama'), { kind: 'PyTorchJob', name: 'llama' }],
    [
      { ...owned('ReplicaSet', 'api-7d9f'), labels: { 'pod-template-hash': '7d9f' } },
      { 'k8s.deployment.name': 'api', kind: 'Deployment', name: 'api' },
    ],
    [owned('ReplicaSet', 'bare'), { 'k8s.replicaset.name': 'bare', kind: 'ReplicaSet', name: 'bare' }],
    [
      { ...owned('Job', 'set-workers-0'), labels: { 'jobset.sigs.k8s.io/jobset-name': 'set' } },
      { 'k8s.job.name': 'set-workers-0', kind: 'JobSet', name: 'set' },
    ],
    [
      {
        ...owned('RayCluster', 'job-raycluster-x'),
        labels: { 'ray.io/originated-from-crd': 'RayJob', 'ray.io/originated-from-cr-name': 'job' },
      },
      { kind: 'RayJob', name: 'job' },
    ],
  ])('tells what the pod belongs to: %j', (metadata, { kind, name, ...keys }) => {
    expect(parsePod(pod(metadata))?.attributes).toMatchObject({
      ...keys,
      'platform.workload.kind': kind,
      'platform.workload.name': name,
    });
  });

  it('knows a static pod by both of its ids', () => {
    expect(parsePod(pod({ annotations: { 'kubernetes.io/config.hash': STATIC } }))?.uids).toEqual([
      UID,
      STATIC,
    ]);
  });

  it('leaves out what is no pod, and survives any JSON', () => {
    expect(parsePod(pod({ name: 'a\u001b[2J' }))).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        parsePodList({
          items: [
            value,
            { metadata: value, status: value },
            pod({ labels: value, ownerReferences: value }, {}),
          ],
        });
      }),
    );
    expect(parsePodList({ items: [pod({})], metadata: { continue: '' } })).toMatchObject({ next: undefined });
    expect(parsePodList({ items: [], metadata: { continue: 'abc' } }).next).toBe('abc');
  });
});
