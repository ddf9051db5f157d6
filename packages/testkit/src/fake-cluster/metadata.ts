import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Answers a request or passes it on to the next by returning false. */
export type MetadataHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface FakeMetadata {
  readonly endpoint: { readonly host: string; readonly port: number };
  /** `GET /path` of everything that was asked, in order. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** A metadata service: what no handler answers is a 404. */
export async function startFakeMetadata(
  handlers: readonly MetadataHandler[],
  at: { host: string; port: number } = { host: '127.0.0.1', port: 0 },
): Promise<FakeMetadata> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    for (const handle of handlers) if (handle(request, response)) return;
    response.writeHead(404, { 'content-type': 'text/html' }).end('<html>not here</html>');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The metadata service has no port.');
  return {
    endpoint: { host: at.host, port: address.port },
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const say = (
  response: ServerResponse,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): true => {
  response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  return true;
};

export const AWS_DOCUMENT = {
  instanceType: 'p5.48xlarge',
  region: 'us-east-1',
  availabilityZone: 'us-east-1b',
  accountId: '123456789012',
  instanceId: 'i-0123456789abcdef0',
};

/** Version 2: nothing without a session token. `tags` are those of the instance that its owner shows to it. */
export function fakeAws(
  document: unknown = AWS_DOCUMENT,
  tags: Readonly<Record<string, string>> = {},
): MetadataHandler {
  const token = 'AQAEAF-session-token==';
  const texts = new Map<string, string>([
    ['/latest/dynamic/instance-identity/document', JSON.stringify(document)],
    ['/latest/meta-data/local-hostname', 'ip-10-0-3-7.ec2.internal'],
    ['/latest/meta-data/tags/instance', Object.keys(tags).join('\n')],
    ...Object.entries(tags).map(([key, value]) => [`/latest/meta-data/tags/instance/${key}`, value] as const),
  ]);
  return (request, response) => {
    if (request.method === 'PUT' && request.url === '/latest/api/token') {
      if (request.headers['x-aws-ec2-metadata-token-ttl-seconds'] === undefined) {
        response.writeHead(400).end();
        return true;
      }
      return say(response, 'text/plain', token);
    }
    const text = texts.get(request.url ?? '');
    if (text === undefined) return false;
    if (request.headers['x-aws-ec2-metadata-token'] !== token) {
      response.writeHead(401).end();
      return true;
    }
    return say(response, 'text/plain', text);
  };
}

export const GCP_VALUES: Readonly<Record<string, string>> = {
  'instance/id': '4520031799277581759',
  'instance/machine-type': 'projects/123456/machineTypes/a3-highgpu-8g',
  'instance/zone': 'projects/123456/zones/europe-west4-a',
  'instance/name': 'gke-train-pool-1-abcd',
  'instance/attributes/cluster-name': 'train',
  'project/project-id': 'acme-train',
};

/** Refuses whoever does not say `Metadata-Flavor: Google`; `flavor` is what it says itself, '' nothing. */
export function fakeGcp(
  values: Readonly<Record<string, string>> = GCP_VALUES,
  flavor = 'Google',
): MetadataHandler {
  return (request, response) => {
    const value = new Map(Object.entries(values)).get(
      (request.url ?? '').replace('/computeMetadata/v1/', ''),
    );
    if (value === undefined) return false;
    if (request.headers['metadata-flavor'] !== 'Google') {
      response.writeHead(403).end();
      return true;
    }
    return say(response, 'application/text', value, flavor === '' ? {} : { 'metadata-flavor': flavor });
  };
}

export const AZURE_COMPUTE = {
  vmSize: 'Standard_ND96isr_H100_v5',
  location: 'westeurope',
  zone: '1',
  subscriptionId: '8d10da13-8125-4ba9-a717-bf7490507b3d',
  vmId: '02aab8a4-74ef-476e-8182-f6d2ba4166a6',
  name: 'aks-gpu-12345-vmss_0',
  osProfile: { computerName: 'aks-gpu-12345-vmss000000' },
  resourceGroupName: 'MC_ml_train_westeurope',
};

/** Refuses whoever does not say `Metadata: true`. */
export function fakeAzure(compute: unknown = AZURE_COMPUTE): MetadataHandler {
  return (request, response) => {
    if (request.url?.startsWith('/metadata/instance/compute?') !== true) return false;
    if (request.headers.metadata !== 'true') {
      response.writeHead(400).end();
      return true;
    }
    return say(response, 'application/json; charset=utf-8', JSON.stringify(compute));
  };
}
