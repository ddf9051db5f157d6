import { plausibleInstanceType, plausibleToken } from './attributes.ts';
import { type CloudInstance, known, type ManagedCluster, type ProbeContext } from './cloud.ts';
import { askMetadata, jsonObject } from './metadata-http.ts';

const TOKEN_SECONDS = '60';
const INSTANCE_ID = /^i-[0-9a-f]{8,32}$/;
const ACCOUNT = /^\d{12}$/;
const SESSION_TOKEN = /^[\x21-\x7e]{1,1024}$/;
/** Written by EKS itself, so the cluster is a managed one. */
const EKS_TAGS = ['aws:eks:cluster-name', 'eks:cluster-name'] as const;
/** Written by EKS and by every other installer that uses Amazon's load balancers. */
const CLUSTER_TAG = 'kubernetes.io/cluster/';

/** The instance identity document. Undefined unless it names an instance: other clouds answer on the same address. */
export function parseIdentityDocument(text: string): CloudInstance | undefined {
  const said = jsonObject(text);
  const id = said?.get('instanceId');
  if (said === undefined || typeof id !== 'string' || !INSTANCE_ID.test(id)) return undefined;
  const account = plausibleToken(said.get('accountId'));
  return {
    provider: 'aws',
    attributes: known([
      ['cloud.provider', 'aws'],
      ['host.id', id],
      ['host.type', plausibleInstanceType(said.get('instanceType'))],
      ['cloud.region', plausibleToken(said.get('region'))],
      ['cloud.availability_zone', plausibleToken(said.get('availabilityZone'))],
      ['cloud.account.id', account !== undefined && ACCOUNT.test(account) ? account : undefined],
    ]),
  };
}

/** The cluster that tag keys name: `kubernetes.io/cluster/<name>`. More than one is no answer. */
export function clusterOfTagKeys(keys: readonly string[]): string | undefined {
  const names = new Set(
    keys.filter((key) => key.startsWith(CLUSTER_TAG)).map((key) => key.slice(CLUSTER_TAG.length)),
  );
  const [name, ...others] = names;
  return others.length === 0 ? plausibleToken(name) : undefined;
}

/** AWS, version 2 of its metadata service: a session token first, which a forwarded request cannot get. */
export async function probeAws({
  endpoint,
  inCluster,
  signal,
}: ProbeContext): Promise<CloudInstance | undefined> {
  const session = await askMetadata(
    endpoint,
    {
      method: 'PUT',
      path: '/latest/api/token',
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS, 'content-length': '0' },
    },
    signal,
  );
  const token = session?.body.trim();
  if (token === undefined || !SESSION_TOKEN.test(token)) return undefined;

  const ask = async (path: string): Promise<string | undefined> =>
    (await askMetadata(endpoint, { path, headers: { 'x-aws-ec2-metadata-token': token } }, signal))?.body;
  const document = await ask('/latest/dynamic/instance-identity/document');
  const instance = document === undefined ? undefined : parseIdentityDocument(document);
  if (instance === undefined || !inCluster) return instance;

  // Both are extras: what they fail with must not cost the instance.
  const [hostname, cluster] = await Promise.all([
    ask('/latest/meta-data/local-hostname').then(plausibleToken, () => undefined),
    clusterOf(ask).catch(() => undefined),
  ]);
  return {
    ...instance,
    ...(hostname === undefined ? {} : { hostname }),
    ...(cluster === undefined ? {} : { cluster }),
  };
}

/** From the tags of the instance, which are readable here only where its owner allows it. */
async function clusterOf(
  ask: (path: string) => Promise<string | undefined>,
): Promise<ManagedCluster | undefined> {
  const keys = ((await ask('/latest/meta-data/tags/instance')) ?? '').split('\n').map((key) => key.trim());
  for (const tag of EKS_TAGS) {
    if (!keys.includes(tag)) continue;
    const name = plausibleToken(await ask(`/latest/meta-data/tags/instance/${tag}`));
    if (name !== undefined) return { name, platform: 'aws_eks' };
  }
  const name = clusterOfTagKeys(keys);
  return name === undefined ? undefined : { name };
}
