import { type ApiAnswer, AWS_DOCUMENT, fakeAws, fakeGcp, HANG } from '@candela/testkit/fake-cluster';
import { describe, expect, it } from 'vitest';
import {
  cluster,
  directory,
  eventually,
  identity,
  metadata,
  NODE,
  said,
  tier,
} from '../fixtures/identity-world.ts';
import type { IdentityOptions } from './index.ts';

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
