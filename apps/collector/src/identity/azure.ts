import { plausibleInstanceType, plausibleToken } from './attributes.ts';
import { type CloudInstance, known, type ProbeContext } from './cloud.ts';
import { askMetadata, jsonObject } from './metadata-http.ts';

const PATH = '/metadata/instance/compute?api-version=2021-05-01&format=json';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The cluster in the name of the resource group that AKS makes for its nodes, `MC_<group>_<cluster>_<region>`. Groups
 * and clusters may have `_` in their names: only where exactly one is left between them is the answer certain.
 */
export function clusterOfResourceGroup(group: string, region: string): string | undefined {
  const head = 'MC_';
  const tail = `_${region}`;
  if (!group.toUpperCase().startsWith(head) || !group.toLowerCase().endsWith(tail.toLowerCase()))
    return undefined;
  const parts = group.slice(head.length, group.length - tail.length).split('_');
  return parts.length === 2 && parts[0] !== '' ? plausibleToken(parts[1]) : undefined;
}

/** Availability zones of Azure are numbers within a region; alone they would say nothing. */
const zoneOf = (region: string | undefined, zone: string | undefined): string | undefined =>
  zone === undefined || region === undefined
    ? undefined
    : /^\d{1,2}$/.test(zone)
      ? `${region}-${zone}`
      : zone;

/** The `compute` part of the instance document. Undefined unless it has the id of a machine. */
export function parseCompute(text: string, inCluster: boolean): CloudInstance | undefined {
  const said = jsonObject(text);
  const id = said?.get('vmId');
  if (said === undefined || typeof id !== 'string' || !UUID.test(id)) return undefined;
  const region = plausibleToken(said.get('location'));
  const account = plausibleToken(said.get('subscriptionId'));
  const group = plausibleToken(said.get('resourceGroupName'));
  const profile: unknown = said.get('osProfile');
  const computerName =
    typeof profile === 'object' && profile !== null && 'computerName' in profile
      ? profile.computerName
      : undefined;
  const hostname = plausibleToken(computerName) ?? plausibleToken(said.get('name'));
  const cluster =
    inCluster && group !== undefined && region !== undefined
      ? clusterOfResourceGroup(group, region)
      : undefined;
  return {
    provider: 'azure',
    attributes: known([
      ['cloud.provider', 'azure'],
      ['host.id', id.toLowerCase()],
      ['host.type', plausibleInstanceType(said.get('vmSize'))],
      ['cloud.region', region],
      ['cloud.availability_zone', zoneOf(region, plausibleToken(said.get('zone')))],
      ['cloud.account.id', account !== undefined && UUID.test(account) ? account : undefined],
    ]),
    ...(hostname === undefined ? {} : { hostname }),
    ...(cluster === undefined ? {} : { cluster: { name: cluster, platform: 'azure.aks' } }),
  };
}

export async function probeAzure({
  endpoint,
  inCluster,
  signal,
}: ProbeContext): Promise<CloudInstance | undefined> {
  const reply = await askMetadata(endpoint, { path: PATH, headers: { metadata: 'true' } }, signal);
  return reply === undefined ? undefined : parseCompute(reply.body, inCluster);
}
