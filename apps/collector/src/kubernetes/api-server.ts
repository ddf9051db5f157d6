import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';

/** Where the API server is, and what this pod shows it. */
export interface ClusterAccess {
  readonly host: string;
  readonly port: number;
  /** Holds `token` and `ca.crt`. */
  readonly accountDirectory: string;
}

/** Kubernetes mounts the account of a pod here; not to be set from outside, as its token would go where that points. */
const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What a pod of a cluster has; undefined outside of one. */
export function clusterAccess(at: {
  readonly apiHost: string | undefined;
  readonly apiPort: number;
}): ClusterAccess | undefined {
  return at.apiHost === undefined
    ? undefined
    : { host: at.apiHost, port: at.apiPort, accountDirectory: SERVICE_ACCOUNT_DIRECTORY };
}

const MAX_TOKEN = 65_536;

/** The API server did not give what was asked for: why, and whether asking again can help. */
export class ApiServerError extends Error {
  override readonly name = 'ApiServerError';
  /** HTTP status; undefined when there was no whole answer. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface ApiRequest {
  /** With its query. */
  readonly path: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** What the account needs, for the text of a refusal: "get on nodes". */
  readonly permission: string;
}

/**
 * Asks the API server. Token and authority are read again for every request: the kubelet replaces the token each hour,
 * and requests are rare. Redirects are not followed and no proxy is used, since the token goes along.
 * @throws ApiServerError
 */
export async function askApiServer(access: ClusterAccess, asked: ApiRequest): Promise<unknown> {
  const [token, authority] = await Promise.all([
    readAccount(access, 'token').then((text) => text.trim()),
    readAccount(access, 'ca.crt'),
  ]);
  if (!/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN) {
    throw new ApiServerError(`The token in ${access.accountDirectory} is no token.`);
  }
  const body = await get(access, asked, token, authority);
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw new ApiServerError('The API server answered with something that is not JSON.');
  }
}

async function readAccount(access: ClusterAccess, name: string): Promise<string> {
  try {
    return await readFile(`${access.accountDirectory}/${name}`, 'utf8');
  } catch {
    throw new ApiServerError(
      `This pod has no ${name} in ${access.accountDirectory}: its service account is not mounted.`,
    );
  }
}

function get(access: ClusterAccess, asked: ApiRequest, token: string, authority: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timeout = AbortSignal.timeout(asked.timeoutMs);
    const fail = (thrown: Error): void => {
      reject(
        new ApiServerError(
          timeout.aborted
            ? `The API server did not answer within ${asked.timeoutMs} ms.`
            : `The API server cannot be reached: ${thrown.message}`,
        ),
      );
    };
    const sent = request({
      host: access.host.replace(/^\[(.*)\]$/, '$1'),
      port: access.port,
      path: asked.path,
      // One of its own, against proxies: the global agent follows NODE_USE_ENV_PROXY.
      agent: new Agent({ keepAlive: false }),
      ca: authority,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'user-agent': 'opentelemetry-gpu-collector',
        connection: 'close',
      },
      signal: AbortSignal.any([asked.signal, timeout]),
    });
    sent.on('error', fail);
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0;
      if (status !== 200) {
        response.destroy();
        reject(new ApiServerError(refusal(status, asked.permission), status));
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= asked.maxBytes) chunks.push(chunk);
        else {
          response.destroy();
          reject(new ApiServerError(`The API server answered with more than ${asked.maxBytes} bytes.`));
        }
      });
      response.on('error', fail);
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    sent.end();
  });
}

function refusal(status: number, permission: string): string {
  if (status === 401) return 'The API server does not accept the token of this pod (401).';
  if (status === 403) return `The service account may not do this (403): it needs ${permission}.`;
  return `The API server answered with status ${status}.`;
}
