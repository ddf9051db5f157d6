import { plausibleInstanceType, plausibleToken } from './attributes.ts';
import { type CloudInstance, known, type ProbeContext } from './cloud.ts';
import { askMetadata } from './metadata-http.ts';

const FLAVOR = 'Google';
const INSTANCE_ID = /^\d{1,20}$/;
const ZONE = /^[a-z]+(?:-[a-z0-9]+)+$/;

/** The last part of `projects/<number>/zones/<zone>`. */
const lastPart = (path: string | undefined): string | undefined => path?.slice(path.lastIndexOf('/') + 1);

/** `europe-west4-a` is in `europe-west4`. */
export function regionOfZone(zone: string): string | undefined {
  return /^(.+)-[a-z]$/.exec(zone)?.[1];
}

export interface GcpAnswers {
  readonly id: string;
  readonly machineType: string | undefined;
  readonly zone: string | undefined;
  readonly project: string | undefined;
  readonly name: string | undefined;
  readonly cluster: string | undefined;
}

/** The values of the metadata server, each a plain text. Undefined unless there is an instance id. */
export function gcpInstance(said: GcpAnswers): CloudInstance | undefined {
  const id = said.id.trim();
  if (!INSTANCE_ID.test(id)) return undefined;
  const zone = plausibleToken(lastPart(said.zone?.trim()));
  const place = zone !== undefined && ZONE.test(zone) ? zone : undefined;
  const hostname = plausibleToken(said.name);
  const cluster = plausibleToken(said.cluster);
  return {
    provider: 'gcp',
    attributes: known([
      ['cloud.provider', 'gcp'],
      ['host.id', id],
      ['host.type', plausibleInstanceType(lastPart(said.machineType?.trim()))],
      ['cloud.region', place === undefined ? undefined : regionOfZone(place)],
      ['cloud.availability_zone', place],
      ['cloud.account.id', plausibleToken(said.project)],
    ]),
    ...(hostname === undefined ? {} : { hostname }),
    ...(cluster === undefined ? {} : { cluster: { name: cluster, platform: 'gcp_kubernetes_engine' } }),
  };
}

/**
 * Google Cloud. Values are asked for one by one: the tree in one answer would bring along the instance's other
 * attributes, which hold keys and start scripts. An answer without `Metadata-Flavor: Google` is somebody else's.
 */
export async function probeGcp({
  endpoint,
  inCluster,
  signal,
}: ProbeContext): Promise<CloudInstance | undefined> {
  const ask = async (path: string): Promise<string | undefined> => {
    const reply = await askMetadata(
      endpoint,
      { path: `/computeMetadata/v1/${path}`, headers: { 'metadata-flavor': FLAVOR } },
      signal,
    );
    return reply?.headers['metadata-flavor'] === FLAVOR ? reply.body : undefined;
  };
  const id = await ask('instance/id');
  if (id === undefined || !INSTANCE_ID.test(id.trim())) return undefined;

  const extra = (path: string): Promise<string | undefined> => ask(path).catch(() => undefined);
  const [machineType, zone, project, name, cluster] = await Promise.all([
    extra('instance/machine-type'),
    extra('instance/zone'),
    extra('project/project-id'),
    // The instance's name, not its host name with domain: it is what a node of GKE is called.
    inCluster ? extra('instance/name') : undefined,
    inCluster ? extra('instance/attributes/cluster-name') : undefined,
  ]);
  return gcpInstance({ id, machineType, zone, project, name, cluster });
}
