import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';

/** The whole agent in a pod of a fake cluster. Needs namespaces, which need root or a kernel that gives them to all. */
const UNSHARE = ['--mount', '--net', '--cgroup', '--propagation', 'private'];
const allowed =
  process.platform === 'linux' &&
  spawnSync('unshare', [...UNSHARE, 'sh', '-c', 'ip link set lo up && mount -t tmpfs tmpfs /run']).status ===
    0;
if (!allowed) process.stderr.write('skipped: the agent in a pod (namespaces need root, unshare and ip)\n');

interface World {
  readonly check: string;
  readonly once: {
    resourceMetrics: {
      resource: { attributes: { key: string; value: { stringValue?: string } }[] };
      scopeMetrics: {
        metrics: { name: string; sum?: { dataPoints: { attributes: { key: string; value: object }[] }[] } }[];
      }[];
    }[];
  };
  readonly hung: string;
  readonly late: {
    readonly node: readonly boolean[];
    readonly type: readonly boolean[];
    readonly service: readonly boolean[];
    readonly unknown: readonly boolean[];
    readonly code: number;
    readonly log: string;
  };
}

describe.runIf(allowed)('the agent in a pod', () => {
  let world: World;
  beforeAll(() => {
    const main = `${import.meta.dirname}/../fixtures/pod-world-main.ts`;
    const { stdout, stderr, status } = spawnSync('unshare', [...UNSHARE, process.execPath, main], {
      encoding: 'utf8',
      maxBuffer: 67_108_864,
      timeout: 90_000,
    });
    if (status !== 0) throw new Error(`the fake cluster ended with ${status}: ${stderr}`);
    world = JSON.parse(stdout) as World;
  });

  /** Lines of `--check` as `name value note`, blanks made one. */
  const lines = (text: string) => text.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));

  it('finds out its machine, each attribute from where it should', () => {
    expect(lines(world.check)).toEqual(
      expect.arrayContaining([
        'host.name node-7 configuration',
        'k8s.node.name node-7 configuration',
        'host.type p4d.24xlarge node',
        'platform.host.type.source k8s_label node',
        'host.id i-0123456789abcdef0 node',
        'cloud.availability_zone us-west-2a node',
        'cloud.region us-east-1 metadata',
        'cloud.account.id 123456789012 metadata',
        'cloud.platform aws_eks metadata',
        'k8s.cluster.name train metadata',
        '(node) found node-7',
        '(metadata) found aws',
      ]),
    );
  });

  it('finds its own pod through its mounts, and the devices of others', () => {
    expect(lines(world.check)).toEqual(
      expect.arrayContaining([
        'pod resources found 2 devices in use',
        'pods found 1 pods on node-7',
        'k8s.pod.name agent-x7f2k of this process',
        'k8s.daemonset.name agent of this process',
      ]),
    );
    const metrics = world.once.resourceMetrics[0]?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const memory = metrics.find(({ name }) => name === 'process.memory.usage')?.sum?.dataPoints[0];
    expect(memory?.attributes).toContainEqual({ key: 'k8s.pod.name', value: { stringValue: 'agent-x7f2k' } });
  });

  it('sends no service that nobody named', () => {
    const keys = world.once.resourceMetrics[0]?.resource.attributes.map(({ key }) => key);
    expect(keys).toContain('host.type');
    expect(keys).not.toContain('service.name');
    expect(world.late.service).not.toContain(true);
  });

  it('is held up by no API server that hangs', () => {
    expect(lines(world.hung)).toEqual(
      expect.arrayContaining([
        '(node) failed The API server did not answer within 800 ms.',
        'host.type p5.48xlarge metadata',
        'platform.host.type.source imds metadata',
      ]),
    );
  });

  it('sends at once what is known, and completes it when the API server comes up', () => {
    const { node, type, unknown, code, log } = world.late;
    expect(node).not.toContain(false);
    expect(type[0]).toBe(false);
    expect(type.at(-1)).toBe(true);
    expect(unknown).not.toContain(true);
    expect(log).toMatch(/Identity of this machine .*503/);
    expect(log).toMatch(/Identity completed .*host\.type=p4d\.24xlarge/);
    expect(code).toBe(0);
  });
});
