import { createServer } from 'node:net';
import { setGlobalProxyFromEnv } from 'node:http';
import { join } from 'node:path';
import {
  AWS_DOCUMENT,
  fakeAws,
  fakeAzure,
  fakeGcp,
  GCP_VALUES,
  type MetadataHandler,
} from '@candela/testkit/fake-cluster';
import { describe, expect, it } from 'vitest';
import {
  closers,
  directory,
  dmi,
  eventually,
  identity,
  lines,
  metadata,
  said,
  TELEMETRY,
  tier,
} from '../fixtures/identity-world.ts';
import { createLog } from '../log.ts';
import { Identity } from './index.ts';

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
