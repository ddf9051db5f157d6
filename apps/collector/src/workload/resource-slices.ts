import { plausibleToken } from '../identity/attributes.ts';
import { ApiServerError, askApiServer, type ClusterAccess } from '../kubernetes/api-server.ts';
import { type JsonMap, listOf, mapOf } from '../kubernetes/json.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 8_388_608;
const MAX_SLICES = 1_000;
const MAX_DEVICES = 4_096;

/** Versions of the interface, the newest first: a cluster has one or two of them. */
const VERSIONS = ['v1', 'v1beta2', 'v1beta1'] as const;

const UUID = /^(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PCI_ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i;
const PCI_KEYS: ReadonlySet<string> = new Set(['pcibusid', 'pciebusid', 'pciaddr', 'pciaddress']);

/** Ids of devices in lower case (UUID, PCI address) to what claims call them: `driver/pool/device`. */
export type DeviceAliases = ReadonlyMap<string, string>;

/** Ids of one device by its attributes. A part of a GPU has the address of the whole, which is not its own. */
function idsOf(attributes: JsonMap): readonly string[] {
  let uuid: string | undefined;
  let address: string | undefined;
  for (const [key, value] of attributes) {
    // Keys may have the domain of who defined them.
    const name = key.slice(key.lastIndexOf('/') + 1).toLowerCase();
    const text = plausibleToken(mapOf(value).get('string'));
    if (text === undefined) continue;
    if (name === 'uuid' && UUID.test(text)) uuid = text.toLowerCase();
    else if (PCI_KEYS.has(name) && PCI_ADDRESS.test(text)) address = text.toLowerCase();
  }
  if (uuid?.startsWith('mig-')) return [uuid];
  return [uuid, address].filter((id) => id !== undefined);
}

/** A `ResourceSliceList` of any of the versions. */
export function parseResourceSlices(value: unknown): DeviceAliases {
  const aliases = new Map<string, string>();
  for (const slice of listOf(mapOf(value).get('items')).slice(0, MAX_SLICES)) {
    const spec = mapOf(mapOf(slice).get('spec'));
    const driver = plausibleToken(spec.get('driver'));
    const pool = plausibleToken(mapOf(spec.get('pool')).get('name'));
    if (driver === undefined || pool === undefined) continue;
    for (const device of listOf(spec.get('devices')).map(mapOf)) {
      const name = plausibleToken(device.get('name'));
      if (name === undefined || aliases.size >= MAX_DEVICES) continue;
      // The first version had them one level deeper.
      const attributes = mapOf(device.get('attributes') ?? mapOf(device.get('basic')).get('attributes'));
      for (const id of idsOf(attributes)) aliases.set(id, `${driver}/${pool}/${name}`.toLowerCase());
    }
  }
  return aliases;
}

/** What the drivers of this node's devices say of them. @throws ApiServerError */
export async function listDeviceAliases(
  access: ClusterAccess,
  node: string,
  signal: AbortSignal,
): Promise<DeviceAliases> {
  const query = new URLSearchParams({ fieldSelector: `spec.nodeName=${node}`, limit: String(MAX_SLICES) });
  for (const version of VERSIONS) {
    try {
      const answer = await askApiServer(access, {
        path: `/apis/resource.k8s.io/${version}/resourceslices?${query}`,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        signal,
        permission: 'list on resourceslices of resource.k8s.io',
      });
      return parseResourceSlices(answer);
    } catch (thrown) {
      if (!(thrown instanceof ApiServerError) || thrown.status !== 404) throw thrown;
    }
  }
  throw new ApiServerError('The API server knows no resource slices.', 404);
}
