import { Agent, request } from 'node:http';

/** Where a metadata service answers. Fixed addresses in the agent; tests put their own server there. */
export interface MetadataEndpoint {
  readonly host: string;
  readonly port: number;
}

/** The link-local address that AWS, Google Cloud and Azure all use. */
export const METADATA_ENDPOINT: MetadataEndpoint = { host: '169.254.169.254', port: 80 };

const METADATA_REQUEST_MS = 250;
const MAX_BYTES = 65_536;

export interface MetadataReply {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface MetadataRequest {
  readonly method?: 'GET' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Asks a metadata service one thing. The answer is undefined unless it is a 200 of at most 64 KiB that is no web page:
 * redirects are not followed, and a proxy is never used, whatever the environment says, because what it would answer is
 * the identity of the proxy. @throws when nothing answers in time
 */
export function askMetadata(
  endpoint: MetadataEndpoint,
  question: MetadataRequest,
  signal: AbortSignal,
): Promise<MetadataReply | undefined> {
  return new Promise((resolve, reject) => {
    // An agent of its own: the global one follows NODE_USE_ENV_PROXY.
    const agent = new Agent({ keepAlive: false });
    const asked = request({
      host: endpoint.host,
      port: endpoint.port,
      method: question.method ?? 'GET',
      path: question.path,
      headers: { ...question.headers, 'user-agent': 'opentelemetry-gpu-collector', connection: 'close' },
      agent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(METADATA_REQUEST_MS)]),
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      const type = response.headers['content-type'] ?? '';
      if (response.statusCode !== 200 || /\bhtml\b/i.test(type)) {
        response.destroy();
        resolve(undefined);
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BYTES) {
          response.destroy();
          resolve(undefined);
        } else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    asked.end();
  });
}

/** A JSON object as a Map of its own keys; undefined when the text is anything else. */
export function jsonObject(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}
