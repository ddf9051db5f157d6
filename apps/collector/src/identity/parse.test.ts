import { describe, expect, it } from 'vitest';
import { explicitAttributes, plausibleInstanceType, plausibleText, plausibleToken } from './attributes.ts';
import { clusterOfTagKeys, parseIdentityDocument } from './aws.ts';
import { clusterOfResourceGroup, parseCompute } from './azure.ts';
import { dmiProvider } from './dmi.ts';
import { gcpInstance, regionOfZone } from './gcp.ts';
import { parseNode, parseProviderId } from './kubernetes.ts';

const said = (attributes: ReadonlyMap<string, string> | undefined) => Object.fromEntries(attributes ?? []);

describe('plausible values', () => {
  it('takes nothing that says nothing', () => {
    for (const value of ['', '  ', 'unknown', 'UNKNOWN', 'None', 'n/a', 'null', undefined, 7, {}]) {
      expect(plausibleText(value)).toBeUndefined();
    }
    expect(plausibleText(' gpu-01 ')).toBe('gpu-01');
  });

  it('takes nothing that could write to a terminal or fill it', () => {
    expect(plausibleText('a\u001b[31mb')).toBeUndefined();
    expect(plausibleText('a\nb')).toBeUndefined();
    expect(plausibleText('a\u202eb')).toBeUndefined();
    expect(plausibleText('a'.repeat(4_097))).toBeUndefined();
    expect(plausibleToken('a'.repeat(256))).toBeUndefined();
    expect(plausibleToken('<html>')).toBeUndefined();
    expect(plausibleToken('two words')).toBeUndefined();
  });

  it('knows an instance type from a placeholder', () => {
    for (const type of [
      'p5.48xlarge',
      'a2-highgpu-8g',
      'Standard_ND96isr_H100_v5',
      'BM.GPU.H100.8',
      's-4vcpu-8gb',
    ]) {
      expect(plausibleInstanceType(type)).toBe(type);
    }
    for (const type of ['k3s', 'K3S', 'rke2', 'unknown', 'none', 'large', '']) {
      expect(plausibleInstanceType(type)).toBeUndefined();
    }
  });

  it('lets the operator say everything but what the agent is', () => {
    const { attributes, refused } = explicitAttributes(
      new Map([
        ['team', 'vision'],
        ['host.type', 'unknown'],
        ['telemetry.sdk.name', 'other'],
        ['note', 'a\u0007b'],
      ]),
    );
    expect(said(attributes)).toEqual({ team: 'vision' });
    expect(refused).toEqual(['host.type', 'telemetry.sdk.name', 'note']);
    const many = new Map(Array.from({ length: 200 }, (_, at) => [`key${at}`, 'v']));
    expect(explicitAttributes(many).attributes.size).toBe(128);
  });
});

describe('AWS', () => {
  it('reads the identity document', () => {
    const instance = parseIdentityDocument(
      '{"instanceType":"p5.48xlarge","region":"us-east-1","availabilityZone":"us-east-1b","accountId":"123456789012","instanceId":"i-0123456789abcdef0","kernelId":null}',
    );
    expect(said(instance?.attributes)).toEqual({
      'cloud.provider': 'aws',
      'host.id': 'i-0123456789abcdef0',
      'host.type': 'p5.48xlarge',
      'cloud.region': 'us-east-1',
      'cloud.availability_zone': 'us-east-1b',
      'cloud.account.id': '123456789012',
    });
  });

  it('takes a document without an instance for none, and leaves out what is not plausible', () => {
    for (const text of [
      '',
      '[]',
      'null',
      '"i-0123456789abcdef0"',
      '{"instanceId":"unknown"}',
      '{"instanceId":7}',
      '{',
    ]) {
      expect(parseIdentityDocument(text)).toBeUndefined();
    }
    const instance = parseIdentityDocument(
      '{"instanceId":"i-01234567","instanceType":"unknown","region":"\\u001b[2J","accountId":"12"}',
    );
    expect(said(instance?.attributes)).toEqual({ 'cloud.provider': 'aws', 'host.id': 'i-01234567' });
  });

  it('believes one cluster tag, not two', () => {
    expect(clusterOfTagKeys(['Name', 'kubernetes.io/cluster/train'])).toBe('train');
    expect(clusterOfTagKeys(['kubernetes.io/cluster/a', 'kubernetes.io/cluster/b'])).toBeUndefined();
    expect(clusterOfTagKeys(['Name'])).toBeUndefined();
  });
});

describe('Google Cloud', () => {
  it('takes the last part of paths and the region of the zone', () => {
    const instance = gcpInstance({
      id: '4520031799277581759\n',
      machineType: 'projects/1/machineTypes/a3-highgpu-8g',
      zone: 'projects/1/zones/europe-west4-a',
      project: 'acme-train',
      name: 'node-1',
      cluster: undefined,
    });
    expect(said(instance?.attributes)).toEqual({
      'cloud.provider': 'gcp',
      'host.id': '4520031799277581759',
      'host.type': 'a3-highgpu-8g',
      'cloud.region': 'europe-west4',
      'cloud.availability_zone': 'europe-west4-a',
      'cloud.account.id': 'acme-train',
    });
    expect(instance?.hostname).toBe('node-1');
    expect(instance?.cluster).toBeUndefined();
  });

  it('takes no instance without a number', () => {
    const none = {
      machineType: undefined,
      zone: undefined,
      project: undefined,
      name: undefined,
      cluster: undefined,
    };
    expect(gcpInstance({ id: '<html>', ...none })).toBeUndefined();
    expect(regionOfZone('unknown')).toBeUndefined();
  });
});

describe('Azure', () => {
  const compute = {
    vmSize: 'Standard_ND96isr_H100_v5',
    location: 'westeurope',
    zone: '2',
    subscriptionId: '8d10da13-8125-4ba9-a717-bf7490507b3d',
    vmId: '02AAB8A4-74ef-476e-8182-f6d2ba4166a6',
    name: 'vmss_0',
    resourceGroupName: 'MC_ml_train_westeurope',
  };

  it('reads the compute document', () => {
    const instance = parseCompute(JSON.stringify(compute), true);
    expect(said(instance?.attributes)).toEqual({
      'cloud.provider': 'azure',
      'host.id': '02aab8a4-74ef-476e-8182-f6d2ba4166a6',
      'host.type': 'Standard_ND96isr_H100_v5',
      'cloud.region': 'westeurope',
      'cloud.availability_zone': 'westeurope-2',
      'cloud.account.id': '8d10da13-8125-4ba9-a717-bf7490507b3d',
    });
    expect(instance?.hostname).toBe('vmss_0');
    expect(instance?.cluster).toEqual({ name: 'train', platform: 'azure.aks' });
    expect(parseCompute(JSON.stringify(compute), false)?.cluster).toBeUndefined();
    expect(parseCompute(JSON.stringify({ ...compute, vmId: 'unknown' }), true)).toBeUndefined();
    expect(
      parseCompute(JSON.stringify({ ...compute, zone: '' }), true)?.attributes.has('cloud.availability_zone'),
    ).toBe(false);
  });

  it('reads a cluster from a resource group only where it is certain', () => {
    expect(clusterOfResourceGroup('MC_my-group_train-1_westeurope', 'westeurope')).toBe('train-1');
    expect(clusterOfResourceGroup('mc_rg_train_WestEurope', 'westeurope')).toBe('train');
    expect(clusterOfResourceGroup('MC_my_group_train_westeurope', 'westeurope')).toBeUndefined();
    expect(clusterOfResourceGroup('MC_train_westeurope', 'westeurope')).toBeUndefined();
    expect(clusterOfResourceGroup('ml-train', 'westeurope')).toBeUndefined();
  });
});

describe('firmware', () => {
  const none = { vendor: undefined, product: undefined, bios: undefined, chassisTag: undefined };

  it('tells the clouds from others of the same makers', () => {
    expect(dmiProvider({ ...none, vendor: 'Amazon EC2', product: 'p5.48xlarge' })).toBe('aws');
    expect(dmiProvider({ ...none, vendor: 'Xen', bios: '4.11.amazon' })).toBe('aws');
    expect(dmiProvider({ ...none, vendor: 'Xen', bios: '4.17.3' })).toBeUndefined();
    expect(dmiProvider({ ...none, vendor: 'Google', product: 'Google Compute Engine' })).toBe('gcp');
    expect(dmiProvider({ ...none, vendor: 'Google', product: 'Eve' })).toBeUndefined();
    const microsoft = { ...none, vendor: 'Microsoft Corporation', product: 'Virtual Machine' };
    expect(dmiProvider({ ...microsoft, chassisTag: '7783-7084-3265-9085-8269-3286-77' })).toBe('azure');
    expect(dmiProvider({ ...microsoft, chassisTag: '1234' })).toBeUndefined();
    expect(dmiProvider({ ...none, vendor: 'Dell Inc.' })).toBeUndefined();
    expect(dmiProvider(none)).toBeUndefined();
  });
});

describe('nodes', () => {
  it.each([
    [
      'aws:///us-east-1b/i-0123456789abcdef0',
      { 'cloud.provider': 'aws', 'host.id': 'i-0123456789abcdef0', 'cloud.availability_zone': 'us-east-1b' },
    ],
    [
      'gce://acme-train/europe-west4-a/gke-1',
      {
        'cloud.provider': 'gcp',
        'cloud.account.id': 'acme-train',
        'cloud.region': 'europe-west4',
        'cloud.availability_zone': 'europe-west4-a',
      },
    ],
    [
      'azure:///subscriptions/8d10da13-8125-4ba9-a717-bf7490507b3d/resourceGroups/mc_ml_train_westeurope/providers/Microsoft.Compute/virtualMachineScaleSets/aks-gpu-vmss/virtualMachines/3',
      { 'cloud.provider': 'azure', 'cloud.account.id': '8d10da13-8125-4ba9-a717-bf7490507b3d' },
    ],
    ['digitalocean://3164444', { 'cloud.provider': 'digitalocean', 'host.id': '3164444' }],
    [
      'scaleway://instance/fr-par-2/2e1ec7bd-4a07-4bd6-9bd5-d27cd4f7a2b6',
      {
        'cloud.provider': 'scaleway_cloud',
        'host.id': '2e1ec7bd-4a07-4bd6-9bd5-d27cd4f7a2b6',
        'cloud.availability_zone': 'fr-par-2',
      },
    ],
    ['hcloud://12345', { 'cloud.provider': 'hetzner', 'host.id': '12345' }],
    [
      'ocid1.instance.oc1.iad.anuwcljt',
      { 'cloud.provider': 'oracle_cloud', 'host.id': 'ocid1.instance.oc1.iad.anuwcljt' },
    ],
    ['k3s://node-1', {}],
    ['kind://docker/kind/kind-worker', {}],
    ['', {}],
    ['aws:///us-east-1b/../../x', { 'cloud.provider': 'aws' }],
  ])('reads the provider id %s', (id, expected) => {
    expect(said(parseProviderId(id))).toEqual(expected);
  });

  it('reads the labels of a node, new names first', () => {
    const node = parseNode({
      metadata: {
        labels: {
          'node.kubernetes.io/instance-type': 'p5.48xlarge',
          'beta.kubernetes.io/instance-type': 'old',
          'topology.kubernetes.io/region': 'us-east-1',
          'failure-domain.beta.kubernetes.io/zone': 'us-east-1c',
          'eks.amazonaws.com/nodegroup': 'gpu',
          'alpha.eksctl.io/cluster-name': 'train',
        },
      },
      spec: { providerID: 'aws:///us-east-1b/i-0123456789abcdef0' },
    });
    expect(said(node.attributes)).toEqual({
      'cloud.provider': 'aws',
      'cloud.platform': 'aws_eks',
      'host.id': 'i-0123456789abcdef0',
      'host.type': 'p5.48xlarge',
      'cloud.region': 'us-east-1',
      'cloud.availability_zone': 'us-east-1c',
    });
    expect(node.cluster).toEqual({ name: 'train' });
  });

  it('takes the number of a GKE node from its annotation, as its metadata service would tell it', () => {
    const node = parseNode({
      metadata: {
        labels: { 'cloud.google.com/gke-nodepool': 'gpu' },
        annotations: { 'container.googleapis.com/instance_id': '4520031799277581759' },
      },
      spec: { providerID: 'gce://acme-train/europe-west4-a/gke-1' },
    });
    expect(node.attributes.get('host.id')).toBe('4520031799277581759');
    expect(node.attributes.get('cloud.platform')).toBe('gcp_kubernetes_engine');
  });

  it('makes nothing of a cluster at home, and survives any JSON', () => {
    expect(
      said(
        parseNode({
          metadata: { labels: { 'node.kubernetes.io/instance-type': 'k3s', 'eks.amazonaws.com/x': '' } },
          spec: { providerID: 'k3s://node-1' },
        }).attributes,
      ),
    ).toEqual({});
    for (const node of [
      null,
      [],
      'node',
      { metadata: 7, spec: [] },
      { metadata: { labels: [1], annotations: 'x' } },
    ]) {
      expect(said(parseNode(node).attributes)).toEqual({});
    }
  });
});
