import { plausibleToken } from '../identity/attributes.ts';
import { fields, utf8 } from './protobuf.ts';

/** Where the kubelet listens. */
export const POD_RESOURCES_SOCKET =
  process.platform === 'win32'
    ? String.raw`\\.\pipe\kubelet-podresources`
    : '/var/lib/kubelet/pod-resources/kubelet.sock';

const METHOD = '/v1.PodResourcesLister/List';
const TIMEOUT_MS = 5_000;
/** Dense nodes exceed the 4 MiB that gRPC libraries allow by default. */
const MAX_BYTES = 16_777_216;
/** Containers with devices, and devices: a node has tens. */
const MAX_ENTRIES = 20_000;

/** A container that holds a device. */
export interface DeviceHolder {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Devices by all the names their owners may know them by, in lower case, to who holds them. */
export interface DeviceHolders {
  readonly devices: ReadonlyMap<string, readonly DeviceHolder[]>;
  /** Some were given to claims, whose names only their driver can tell. */
  readonly claimed: boolean;
}

/** Resources that are accelerators: the ids of others (network cards, `/dev/fuse`) could be mistaken for theirs. */
const ACCELERATOR =
  /^(?:nvidia\.com\/|amd\.com\/gpu|gpu\.intel\.com\/|google\.com\/tpu|habana\.ai\/|aws\.amazon\.com\/neuron)/;

/**
 * The name of a device without what its plugin appended to hand it out more than once: `GPU-<uuid>::3` of time-slicing,
 * `nvidia0/vgpu1` of GKE, `card0-0` of Intel. Parts of a device (`MIG-<uuid>`, `nvidia0/gi5`) are devices.
 */
export function deviceName(resource: string, id: string): string {
  const name = id.replace(/::\d+$/, '').replace(/\/vgpu\d+$/, '');
  return (resource.startsWith('gpu.intel.com/') ? name.replace(/^(card\d+)-\d+$/, '$1') : name).toLowerCase();
}

/** The answer of `List`. @throws Error it is no such message */
export function parsePodResources(message: Uint8Array): DeviceHolders {
  const holders = new Map<string, DeviceHolder[]>();
  let entries = 0;
  let claims = false;
  const hold = (device: string, holder: DeviceHolder): void => {
    entries += 1;
    if (entries > MAX_ENTRIES || plausibleToken(device) === undefined) return;
    const known = holders.get(device);
    if (known === undefined) holders.set(device, [holder]);
    else if (!known.some((other) => sameHolder(other, holder))) known.push(holder);
  };
  for (const pod of fields(message)) {
    if (pod.number !== 1 || pod.bytes === undefined) continue;
    const name = text(pod.bytes, 1);
    const namespace = text(pod.bytes, 2);
    for (const container of fields(pod.bytes)) {
      if (container.number !== 3 || container.bytes === undefined) continue;
      const own = text(container.bytes, 1);
      if (name === undefined || namespace === undefined || own === undefined) continue;
      const holder = { namespace, pod: name, container: own };
      for (const device of devicesOf(container.bytes)) {
        claims ||= isClaimed(device);
        hold(device, holder);
      }
    }
  }
  return { devices: holders, claimed: claims };
}

/** `driver/pool/device`, where plugins have at most one slash. */
const isClaimed = (device: string): boolean => device.split('/').length > 2;

const sameHolder = (one: DeviceHolder, other: DeviceHolder): boolean =>
  one.namespace === other.namespace && one.pod === other.pod && one.container === other.container;

/** Names of all devices of a `ContainerResources`. */
function* devicesOf(container: Uint8Array): Generator<string> {
  for (const { number, bytes } of fields(container)) {
    if (bytes === undefined) continue;
    if (number === 2) yield* pluginDevices(bytes);
    // Dynamic resource allocation: what a claim was given.
    else if (number === 5)
      for (const claim of fields(bytes)) if (claim.number === 4 && claim.bytes) yield* claimed(claim.bytes);
  }
}

/** `ContainerDevices`: those of one resource of a device plugin. */
function* pluginDevices(devices: Uint8Array): Generator<string> {
  const resource = text(devices, 1) ?? '';
  if (!ACCELERATOR.test(resource)) return;
  for (const { number, bytes } of fields(devices)) {
    if (number === 2 && bytes !== undefined) yield deviceName(resource, utf8(bytes));
  }
}

/** `ClaimResource`: the device as its driver names it, and as the runtime was told (`<vendor>/<class>=<name>`). */
function* claimed(claim: Uint8Array): Generator<string> {
  const [driver, pool, device] = [text(claim, 2), text(claim, 3), text(claim, 4)];
  if (driver !== undefined && pool !== undefined && device !== undefined) {
    yield `${driver}/${pool}/${device}`.toLowerCase();
  }
  for (const { number, bytes } of fields(claim)) {
    if (number !== 1 || bytes === undefined) continue;
    for (const name of fields(bytes)) {
      // `nvidia.com/gpu=<name>`, where the name may be anything; only ids are certain to mean the same elsewhere.
      const id =
        name.number === 1 && name.bytes
          ? /=((?:GPU|MIG)-[0-9a-f-]{36})$/i.exec(utf8(name.bytes))?.[1]
          : undefined;
      if (id !== undefined) yield id.toLowerCase();
    }
  }
}

function text(message: Uint8Array, wanted: number): string | undefined {
  for (const { number, bytes } of fields(message)) {
    if (number === wanted && bytes !== undefined) return plausibleToken(utf8(bytes));
  }
  return undefined;
}

/** Asks the kubelet which container holds which device. @throws Error it does not answer, or not so */
export async function listPodResources(socket: string, signal: AbortSignal): Promise<DeviceHolders> {
  const { Client, credentials } = await import('@grpc/grpc-js');
  const client = new Client(`unix:${socket}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': MAX_BYTES,
    // A proxy in the environment is none for a socket of this machine.
    'grpc.enable_http_proxy': 0,
    'grpc.default_authority': 'localhost',
  });
  try {
    return await new Promise<DeviceHolders>((resolve, reject) => {
      const call = client.makeUnaryRequest(
        METHOD,
        () => Buffer.alloc(0),
        parsePodResources,
        null,
        { deadline: Date.now() + TIMEOUT_MS },
        (error, holders) => {
          signal.removeEventListener('abort', cancel);
          if (error !== null) reject(new Error(error.details === '' ? error.message : error.details));
          else resolve(holders ?? parsePodResources(new Uint8Array()));
        },
      );
      const cancel = (): void => call.cancel();
      signal.addEventListener('abort', cancel, { once: true });
    });
  } finally {
    client.close();
  }
}
