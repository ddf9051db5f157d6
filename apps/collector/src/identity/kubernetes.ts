import { askApiServer, type ClusterAccess } from '../kubernetes/api-server.ts';
import { type JsonMap, mapOf, textOf } from '../kubernetes/json.ts';
import { clusterOfResourceGroup } from './azure.ts';
import { plausibleInstanceType, plausibleToken } from './attributes.ts';
import { known, type ManagedCluster } from './cloud.ts';
import { regionOfZone } from './gcp.ts';

const NODE_TIMEOUT_MS = 800;
/** Nodes list their images and volumes: some hundred kilobytes on a busy one. */
const MAX_NODE_BYTES = 4_194_304;

const TYPE_LABELS = [
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'oci.oraclecloud.com/instance-shape',
] as const;
const REGION_LABELS = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'] as const;
const ZONE_LABELS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'] as const;

/** Labels that only the managed service of a cloud puts on its nodes. */
const MANAGED: readonly { provider: string; prefix: string; platform: string }[] = [
  { provider: 'aws', prefix: 'eks.amazonaws.com/', platform: 'aws_eks' },
  { provider: 'gcp', prefix: 'cloud.google.com/gke-', platform: 'gcp_kubernetes_engine' },
  { provider: 'azure', prefix: 'kubernetes.azure.com/', platform: 'azure.aks' },
];

/** What a node says of the machine it is. */
export interface NodeIdentity {
  /** `cloud.*`, `host.id` and `host.type`; only what was said and is plausible. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly cluster?: ManagedCluster;
}

const attempt = (pattern: RegExp, text: string): readonly (string | undefined)[] =>
  pattern.exec(text)?.slice(1) ?? [];

/**
 * The provider id that a cloud's controller gives a node. `host.id` is taken only where it holds what the cloud itself
 * calls the instance's id: those of Google Cloud and Azure hold a name, which their metadata services do not.
 */
export function parseProviderId(id: string): ReadonlyMap<string, string> {
  const [scheme = '', rest = ''] = attempt(/^([a-z0-9-]+):\/\/(.*)$/i, id);
  switch (scheme.toLowerCase()) {
    case 'aws': {
      const [zone, instance] = attempt(/^\/([a-z0-9-]+)\/(i-[0-9a-f]{8,32})$/, rest);
      return known([
        ['cloud.provider', 'aws'],
        ['host.id', instance],
        ['cloud.availability_zone', plausibleToken(zone)],
      ]);
    }
    case 'gce': {
      const [project, zone] = attempt(/^([a-z0-9:._-]+)\/([a-z0-9-]+)\/[a-z0-9-]+$/, rest);
      return known([
        ['cloud.provider', 'gcp'],
        ['cloud.account.id', plausibleToken(project)],
        ['cloud.region', zone === undefined ? undefined : regionOfZone(zone)],
        ['cloud.availability_zone', plausibleToken(zone)],
      ]);
    }
    case 'azure': {
      const [subscription] = attempt(/^\/subscriptions\/([0-9a-f-]{36})\/resourceGroups\//i, rest);
      return known([
        ['cloud.provider', 'azure'],
        ['cloud.account.id', plausibleToken(subscription)?.toLowerCase()],
      ]);
    }
    case 'digitalocean':
      return known([
        ['cloud.provider', 'digitalocean'],
        ['host.id', attempt(/^(\d{1,20})$/, rest)[0]],
      ]);
    case 'scaleway': {
      const [zone, instance] = attempt(/^(?:instance|baremetal)\/([a-z0-9-]+)\/([0-9a-f-]{36})$/, rest);
      return known([
        ['cloud.provider', 'scaleway_cloud'],
        ['host.id', instance],
        ['cloud.availability_zone', plausibleToken(zone)],
      ]);
    }
    case 'hcloud':
      return known([
        ['cloud.provider', 'hetzner'],
        ['host.id', attempt(/^(\d{1,20})$/, rest)[0]],
      ]);
    case 'oci':
      return oracle(rest);
    default:
      return id.startsWith('ocid1.') ? oracle(id) : new Map();
  }
}

const oracle = (id: string): ReadonlyMap<string, string> =>
  known([
    ['cloud.provider', 'oracle_cloud'],
    ['host.id', /^ocid1\.instance\.[a-z0-9._-]+$/.test(id) ? plausibleToken(id) : undefined],
  ]);

const firstLabel = (
  labels: JsonMap,
  names: readonly string[],
  accept: (value: unknown) => string | undefined,
): string | undefined => {
  for (const name of names) {
    const value = accept(labels.get(name));
    if (value !== undefined) return value;
  }
  return undefined;
};

function clusterName(
  provider: string | undefined,
  labels: JsonMap,
  region: string | undefined,
): string | undefined {
  // eksctl's label is on every node of the groups it made.
  if (provider === 'aws') return plausibleToken(labels.get('alpha.eksctl.io/cluster-name'));
  // The label holds the resource group of the nodes.
  const group = textOf(labels.get('kubernetes.azure.com/cluster'));
  return provider === 'azure' && group !== undefined && region !== undefined
    ? clusterOfResourceGroup(group, region)
    : undefined;
}

/** The `Node` object of the API. */
export function parseNode(node: unknown): NodeIdentity {
  const metadata = mapOf(mapOf(node).get('metadata'));
  const labels = mapOf(metadata.get('labels'));
  const said = parseProviderId(textOf(mapOf(mapOf(node).get('spec')).get('providerID')) ?? '');
  const provider = said.get('cloud.provider');
  const managed = MANAGED.find(
    (row) => row.provider === provider && [...labels.keys()].some((label) => label.startsWith(row.prefix)),
  );
  // What people set as topology is better than what is derived from an id, and the id tells more than they may have set.
  const attributes = new Map([
    ...said,
    ...known([
      ['cloud.platform', managed?.platform],
      ['host.type', firstLabel(labels, TYPE_LABELS, plausibleInstanceType)],
      ['cloud.region', firstLabel(labels, REGION_LABELS, plausibleToken)],
      ['cloud.availability_zone', firstLabel(labels, ZONE_LABELS, plausibleToken)],
    ]),
  ]);
  if (provider === 'gcp') {
    const id = textOf(mapOf(metadata.get('annotations')).get('container.googleapis.com/instance_id'));
    if (id !== undefined && /^\d{1,20}$/.test(id)) attributes.set('host.id', id);
  }
  const name = clusterName(provider, labels, attributes.get('cloud.region'));
  return { attributes, ...(name === undefined ? {} : { cluster: { name } }) };
}

/** Reads the node this pod runs on. @throws ApiServerError */
export async function lookUpNode(
  access: ClusterAccess,
  node: string,
  signal: AbortSignal,
): Promise<NodeIdentity> {
  return parseNode(
    await askApiServer(access, {
      path: `/api/v1/nodes/${encodeURIComponent(node)}`,
      timeoutMs: NODE_TIMEOUT_MS,
      maxBytes: MAX_NODE_BYTES,
      signal,
      permission: 'get on nodes',
    }),
  );
}
