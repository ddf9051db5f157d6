import { AwsClient } from 'aws4fetch';
import { BackupError, type Target } from './target.ts';

export interface S3Options {
  readonly bucket: string;
  /** '' or ending in `/`. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Of a service that is not Amazon's, with the bucket in the path. */
  readonly endpoint?: string | undefined;
}

/** Of one request, milliseconds: a chunk has 4 MiB. */
const TIMEOUT_MS = 120_000;
const KEY = /<Key>([^<]*)<\/Key>/g;
const MORE = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/;

/** `fetch` says that it failed, and its cause why: of several addresses by a code alone. */
const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : message;

/** A bucket of S3 or of what speaks its protocol. Requests are repeated by the client on 5xx and 429. */
export function s3Target(options: S3Options): Target {
  const { bucket, prefix, region, accessKeyId, secretAccessKey } = options;
  const base =
    options.endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com`
      : `${options.endpoint.replace(/\/+$/, '')}/${bucket}`;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 5 });
  const name = `s3://${bucket}/${prefix}`;
  const ask = async (method: string, path: string, body?: Buffer): Promise<Response> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await client.fetch(`${base}${path}`, {
        method,
        signal,
        redirect: 'error',
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      });
    } catch (thrown) {
      throw new BackupError(`${name} cannot be reached: ${reasonOf(thrown as Error)}.`, { cause: thrown });
    }
  };
  /** @throws BackupError where the answer breaks off */
  const whole = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch (thrown) {
      throw new BackupError(`${name} broke off its answer: ${(thrown as Error).message}.`, { cause: thrown });
    }
  };
  const refused = async (response: Response, what: string): Promise<BackupError> => {
    const text = (await whole(response.text())).slice(0, 2_000);
    const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? '';
    return new BackupError(`${name} refused to ${what}: ${response.status} ${code}`.trimEnd());
  };
  return {
    name,
    async put(path, bytes) {
      const response = await ask('PUT', `/${prefix}${path}`, bytes);
      if (!response.ok) throw await refused(response, 'store');
      await response.body?.cancel();
    },
    async get(path) {
      const response = await ask('GET', `/${prefix}${path}`);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok) throw await refused(response, 'read');
      return Buffer.from(await whole(response.arrayBuffer()));
    },
    async *list(under) {
      for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: `${prefix}${under}` });
        if (token !== undefined) query.set('continuation-token', token);
        const response = await ask('GET', `/?${query}`);
        if (!response.ok) throw await refused(response, 'list');
        const text = await whole(response.text());
        // An empty list would mean that no backup needs what is there.
        if (!text.includes('<ListBucketResult')) {
          throw new BackupError(`${name} answered with something else than a list.`);
        }
        for (const [, key = ''] of text.matchAll(KEY)) yield key.slice(prefix.length);
        token = MORE.exec(text)?.[1]?.replaceAll('&amp;', '&');
      }
    },
    async remove(path) {
      const response = await ask('DELETE', `/${prefix}${path}`);
      if (!response.ok && response.status !== 404) throw await refused(response, 'delete');
      await response.body?.cancel();
    },
    // An object is there as a whole or not at all.
    sweep: () => Promise.resolve(),
  };
}
