import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setGlobalProxyFromEnv } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AWS_DOCUMENT,
  type ApiAnswer,
  fakeAws,
  fakeAzure,
  fakeGcp,
  GCP_VALUES,
  HANG,
  type MetadataHandler,
  startFakeApiServer,
  startFakeMetadata,
} from '@candela/testkit/fake-cluster';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../log.ts';
import { Identity, type IdentityOptions } from './index.ts';

const TELEMETRY = new Map([
  ['telemetry.sdk.name', 'opentelemetry'],
  ['telemetry.distro.name', 'opentelemetry-gpu-collector'],
]);

let directory: string;
let lines: string[];
const closers: (() => unknown)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'identity-'));
  lines = [];
  await mkdir(join(directory, 'sys/class/dmi/id'), { recursive: true });
  await mkdir(join(directory, 'etc'));
  await writeFile(join(directory, 'etc/hostname'), 'bare-metal-7\n');
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await rm(directory, { recursive: true, force: true });
});

const dmi = (name: string, value: string) =>
  writeFile(join(directory, 'sys/class/dmi/id', name), `${value}\n`);

interface Given extends Partial<Omit<IdentityOptions, 'kubernetes'>> {
  readonly kubernetes?: Partial<IdentityOptions['kubernetes']>;
}

/** An identity on a machine of its own, found out as far as the first round goes. */
async function identity(given: Given = {}): Promise<Identity> {
  const made = new Identity({
    explicit: new Map(),
    serviceName: undefined,
    cloudDetect: true,
    paths: { proc: '/proc', sys: join(directory, 'sys'), etc: join(directory, 'etc'), root: '/' },
    log: createLog('info', (text) => lines.push(text)),
    telemetry: TELEMETRY,
    metadata: { host: '127.0.0.1', port: 1 },
    firstRetryMs: 20,
    ...given,
    kubernetes: {
      inCluster: false,
      nodeName: undefined,
      clusterName: undefined,
      nodeLookup: true,
      access: undefined,
      ...given.kubernetes,
    },
  });
  closers.push(() => made.stop());
  made.start();
  await made.settled;
  return made;
}

const said = (of: Identity) => Object.fromEntries(of.attributes());
const tier = (of: Identity, name: string) => of.report().tiers.find((one) => one.name === name);

async function metadata(...handlers: MetadataHandler[]) {
  const server = await startFakeMetadata(handlers);
  closers.push(server.close);
  return server;
}

async function cluster(answer: ApiAnswer) {
  const server = await startFakeApiServer(answer);
  closers.push(server.close);
  return server;
}

/** Waits for something that happens in the background. */
async function eventually(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const NODE = {
  metadata: {
    labels: {
      'node.kubernetes.io/instance-type': 'p4d.24xlarge',
      'topology.kubernetes.io/region': 'us-west-2',
    },
  },
  spec: { providerID: 'aws:///us-west-2a/i-0fedcba9876543210' },
};

describe('what needs no asking', () => {
  it('is there before anything was asked, and no service is made up', () => {
    const made = new Identity({
      explicit: new Map([['team', 'vision']]),
      serviceName: undefined,
      cloudDetect: true,
      kubernetes: {
        inCluster: false,
        nodeName: undefined,
        clusterName: 'ignored',
        nodeLookup: true,
        access: undefined,
      },
      paths: { proc: '/proc', sys: '/sys', etc: join(directory, 'etc'), root: '/' },
      log: createLog('none', () => {}),
      telemetry: TELEMETRY,
    });
    expect(Object.fromEntries(made.attributes())).toEqual({
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.distro.name': 'opentelemetry-gpu-collector',
      team: 'vision',
      'deployment.environment': 'default',
      'deployment.environment.name': 'default',
      'host.name': 'bare-metal-7',
      'host.arch': expect.stringMatching(/^(amd64|arm64|arm32)$/),
      'os.type': 'linux',
    });
  });

  it('has a service only when one is named, and one environment under both keys', async () => {
    const made = await identity({
      serviceName: 'gpu-agent',
      cloudDetect: false,
      explicit: new Map([
        ['deployment.environment.name', 'prod'],
        ['host.name', 'mine'],
        ['os.type', 'beos'],
      ]),
      kubernetes: { nodeName: 'node-1' },
    });
    expect(said(made)).toMatchObject({
      'service.name': 'gpu-agent',
      'deployment.environment': 'prod',
      'deployment.environment.name': 'prod',
      'host.name': 'mine',
      'k8s.node.name': 'node-1',
      'os.type': 'beos',
    });
    expect(tier(made, 'metadata')?.state).toBe('off');
  });
});

describe('clouds', () => {
  it('learns an AWS instance, with its origin told', async () => {
    const server = await metadata(fakeAws());
    const made = await identity({ metadata: server.endpoint });
    expect(said(made)).toMatchObject({
      'cloud.provider': 'aws',
      'cloud.platform': 'aws_ec2',
      'host.type': 'p5.48xlarge',
      'platform.host.type.source': 'imds',
      'host.id': 'i-0123456789abcdef0',
      'host.name': 'bare-metal-7',
    });
    expect(made.report().attributes.get('host.type')?.from).toBe('metadata');
    // What only a cluster is asked about.
    expect(server.asked.filter((asked) => asked.includes('tags') || asked.includes('hostname'))).toEqual([]);
    const [line = ''] = lines;
    expect(lines).toHaveLength(1);
    expect(line).toContain('host.type=p5.48xlarge');
    expect(line).not.toContain('unknown');
  });

  it('learns a Google Cloud instance, and an Azure one', async () => {
    const google = await identity({ metadata: (await metadata(fakeGcp())).endpoint });
    expect(said(google)).toMatchObject({
      'cloud.platform': 'gcp_compute_engine',
      'cloud.account.id': 'acme-train',
    });
    const azure = await identity({ metadata: (await metadata(fakeAzure())).endpoint });
    expect(said(azure)).toMatchObject({
      'cloud.platform': 'azure.vm',
      'cloud.availability_zone': 'westeurope-1',
    });
    expect(said(azure)).not.toHaveProperty('k8s.cluster.name');
  });

  it('takes the name of the machine and of the managed cluster in a cluster', async () => {
    const inCluster = { inCluster: true };
    const eks = fakeAws(AWS_DOCUMENT, { Name: 'x', 'aws:eks:cluster-name': 'train' });
    expect(
      said(await identity({ metadata: (await metadata(eks)).endpoint, kubernetes: inCluster })),
    ).toMatchObject({
      'host.name': 'ip-10-0-3-7.ec2.internal',
      'k8s.cluster.name': 'train',
      'cloud.platform': 'aws_eks',
    });
    const kops = fakeAws(AWS_DOCUMENT, { 'kubernetes.io/cluster/home-made': 'owned' });
    expect(
      said(await identity({ metadata: (await metadata(kops)).endpoint, kubernetes: inCluster })),
    ).toMatchObject({
      'k8s.cluster.name': 'home-made',
      'cloud.platform': 'aws_ec2',
    });
    expect(
      said(await identity({ metadata: (await metadata(fakeGcp())).endpoint, kubernetes: inCluster })),
    ).toMatchObject({
      'host.name': 'gke-train-pool-1-abcd',
      'k8s.cluster.name': 'train',
      'cloud.platform': 'gcp_kubernetes_engine',
    });
    expect(
      said(
        await identity({
          metadata: (await metadata(fakeAzure())).endpoint,
          kubernetes: { inCluster: true, clusterName: 'mine', nodeName: 'node-1' },
        }),
      ),
    ).toMatchObject({ 'host.name': 'node-1', 'k8s.cluster.name': 'mine', 'cloud.platform': 'azure.aks' });
  });

  it('does not take an answer without the flavor for Google', async () => {
    for (const flavor of ['', 'google', 'Other']) {
      const server = await metadata(fakeGcp(GCP_VALUES, flavor));
      const made = await identity({ metadata: server.endpoint });
      expect(said(made)).not.toHaveProperty('cloud.provider');
    }
  });

  it('believes nobody when two clouds answer, and the one that the firmware names', async () => {
    const both = await metadata(fakeAws(), fakeGcp());
    const unsure = await identity({ metadata: both.endpoint });
    expect(said(unsure)).not.toHaveProperty('cloud.provider');
    expect(tier(unsure, 'metadata')).toMatchObject({
      state: 'nothing',
      detail: expect.stringContaining('aws and gcp'),
    });
    await dmi('sys_vendor', 'Google');
    await dmi('product_name', 'Google Compute Engine');
    expect(said(await identity({ metadata: both.endpoint }))).toMatchObject({ 'cloud.provider': 'gcp' });
    // Another cloud's answer on the machine of one is not this machine's.
    const wrong = await identity({ metadata: (await metadata(fakeAws())).endpoint });
    expect(said(wrong)).toMatchObject({ 'cloud.provider': 'gcp' });
    expect(said(wrong)).not.toHaveProperty('host.type');
    expect(said(wrong)).not.toHaveProperty('cloud.platform');
  });

  it('is not moved by answers that are none', async () => {
    const answers: MetadataHandler[] = [
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(AWS_DOCUMENT));
        return true;
      },
      (_, response) => {
        response.writeHead(200, { 'metadata-flavor': 'Google' }).end('unknown');
        return true;
      },
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'metadata-flavor': 'Google' });
        response.end('{"vmId":"\u001b[2J","instanceId":"unknown"}');
        return true;
      },
      (_, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/latest' }).end();
        return true;
      },
      (_, response) => {
        response.writeHead(200, { 'metadata-flavor': 'Google' });
        response.write(Buffer.alloc(70_000, 0x31));
        // No end: only the bound ends it.
        return true;
      },
      () => true,
      (request) => {
        request.socket.destroy();
        return true;
      },
    ];
    for (const answer of answers) {
      const made = await identity({ metadata: (await metadata(answer)).endpoint });
      expect(Object.keys(said(made)).filter((key) => key.startsWith('cloud.') || key === 'host.id')).toEqual(
        [],
      );
      made.stop();
    }
  });

  it('asks without a proxy, whatever the process does', async () => {
    const trapped: string[] = [];
    const trap = createServer((socket) => {
      socket.on('data', (data) => trapped.push(data.toString()));
    });
    await new Promise<void>((resolve) => {
      trap.listen(0, '127.0.0.1', resolve);
    });
    const address = trap.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const restore = setGlobalProxyFromEnv({ HTTP_PROXY: `http://127.0.0.1:${address.port}` });
    closers.push(restore, () => trap.close());
    const made = await identity({ metadata: (await metadata(fakeAws())).endpoint });
    expect(said(made)).toHaveProperty('host.id');
    expect(trapped).toEqual([]);
  });

  it('takes a hint of the firmware for the provider alone', async () => {
    await dmi('sys_vendor', 'Amazon EC2');
    const made = await identity({ cloudDetect: false });
    expect(said(made)).toMatchObject({ 'cloud.provider': 'aws' });
    expect(said(made)).not.toHaveProperty('cloud.platform');
    expect(said(made)).not.toHaveProperty('host.type');
  });

  it('asks again where an answer must exist, and completes what was missing', async () => {
    await dmi('sys_vendor', 'Amazon EC2');
    let up = false;
    const aws = fakeAws();
    const server = await metadata((request, response) => {
      if (up) return aws(request, response);
      request.socket.destroy();
      return true;
    });
    const made = await identity({ metadata: server.endpoint });
    const before = made.attributes();
    expect(said(made)).not.toHaveProperty('host.type');
    up = true;
    await eventually(() => made.attributes().has('host.type'));
    // What was handed out stays as it was.
    expect(before.has('host.type')).toBe(false);
    expect(said(made)).toMatchObject({ 'cloud.provider': 'aws', 'cloud.platform': 'aws_ec2' });
    await eventually(() => lines.length === 2);
    expect(lines[1]).toContain('Identity completed');
  });
});

describe('a cluster', () => {
  const of = (access: IdentityOptions['kubernetes']['access']) => ({
    inCluster: true,
    nodeName: 'node a/1',
    access,
  });

  it('takes the node before the metadata service, which fills what is missing', async () => {
    const server = await cluster((url) => (url.pathname === '/api/v1/nodes/node%20a%2F1' ? NODE : undefined));
    const cloud = await metadata(fakeAws({ ...AWS_DOCUMENT, instanceType: 'other.type1' }));
    const made = await identity({ metadata: cloud.endpoint, kubernetes: of(server.access) });
    expect(said(made)).toMatchObject({
      'host.name': 'node a/1',
      'k8s.node.name': 'node a/1',
      'cloud.platform': 'aws_ec2',
      'host.type': 'p4d.24xlarge',
      'platform.host.type.source': 'k8s_label',
      'cloud.region': 'us-west-2',
      'cloud.availability_zone': 'us-west-2a',
      'host.id': 'i-0fedcba9876543210',
      'cloud.account.id': '123456789012',
    });
  });

  it('does not mix in the metadata of another cloud than the node is of', async () => {
    const server = await cluster(() => NODE);
    const made = await identity({
      metadata: (await metadata(fakeGcp())).endpoint,
      kubernetes: of(server.access),
    });
    expect(said(made)).not.toHaveProperty('cloud.account.id');
    expect(tier(made, 'metadata')?.detail).toContain('gcp answers');
  });

  it('says what a refusal needs, and asks again with the new token', async () => {
    const server = await cluster(() => NODE);
    await server.rotateToken('second', false);
    const made = await identity({ kubernetes: of(server.access) });
    expect(tier(made, 'node')).toMatchObject({ state: 'failed', detail: expect.stringContaining('401') });
    await server.rotateToken('third', true);
    await eventually(() => made.attributes().has('host.type'));
    expect(new Set(server.asked.map(({ token }) => token))).toEqual(
      new Set(['Bearer first-token', 'Bearer third']),
    );
  });

  it('names the permission that a 403 means', async () => {
    const server = await cluster((_, __, response) => response.writeHead(403).end());
    const made = await identity({ kubernetes: of(server.access) });
    expect(tier(made, 'node')?.detail).toContain('get on nodes');
  });

  it('starts without an answer of a server that hangs, floods, redirects or is not the cluster', async () => {
    const answers: ApiAnswer[] = [
      () => HANG,
      (_, __, response) => {
        response.writeHead(200);
        response.write(Buffer.alloc(5_000_000, 0x20));
        return HANG;
      },
      (_, __, response) => response.writeHead(307, { location: 'https://127.0.0.1:1/' }).end(),
      (_, __, response) => response.writeHead(200).end('<html>'),
    ];
    for (const answer of answers) {
      const made = await identity({ cloudDetect: false, kubernetes: of((await cluster(answer)).access) });
      expect(tier(made, 'node')?.state).toBe('failed');
      made.stop();
    }
    // The token goes to nobody whose certificate the cluster's authority did not sign.
    const [real, other] = [await cluster(() => NODE), await cluster(() => NODE)];
    const mixed = { ...real.access, port: other.access.port };
    const made = await identity({ cloudDetect: false, kubernetes: of(mixed) });
    expect(tier(made, 'node')?.state).toBe('failed');
    expect(other.asked).toEqual([]);
  });

  it('says why it does not ask', async () => {
    const access = { host: '127.0.0.1', port: 1, accountDirectory: directory };
    const unnamed = await identity({ cloudDetect: false, kubernetes: { inCluster: true, access } });
    expect(tier(unnamed, 'node')?.detail).toContain('K8S_NODE_NAME');
    const off = await identity({ cloudDetect: false, kubernetes: { ...of(access), nodeLookup: false } });
    expect(tier(off, 'node')?.detail).toContain('PLATFORM_K8S_NODE_LOOKUP');
    const bare = await identity({ cloudDetect: false, kubernetes: of(access) });
    expect(tier(bare, 'node')?.detail).toContain('service account is not mounted');
  });
});
