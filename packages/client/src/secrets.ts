import { needEnvironment, setInEnvironment } from './environment.ts';
import { isRecord } from './transport.ts';
import type { Flights } from './flights.ts';
import { freeze, unexpected } from './read.ts';
import { callWithRetries } from './retry.ts';
import type { Settings } from './settings.ts';

export interface SecretsRequest {
  /** Only the secret of this name. */
  readonly key?: string | undefined;
  /** Only secrets that have one of these tags. With `key` both must fit; with neither all that the key may read come. */
  readonly tags?: readonly string[] | undefined;
  /**
   * Put what was received into `process.env` too, over what is there. Default false. Node only. Neither the request nor
   * the result changes by it.
   */
  readonly shouldSetEnv?: boolean | undefined;
  readonly metaProperties?: Readonly<Record<string, unknown>> | undefined;
  /** Ends the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Name of a secret to its value; empty when none fits. */
export type Secrets = Readonly<Record<string, string>>;

function readSecrets(res: unknown): Secrets {
  if (!isRecord(res)) throw unexpected('res');
  for (const value of Object.values(res)) if (typeof value !== 'string') throw unexpected('res.*');
  return freeze(res as Record<string, string>);
}

export interface SecretParts {
  readonly settings: Settings;
  readonly flights: Flights<Secrets>;
}

/** Secrets are never kept here: a changed or withdrawn one counts with the next call. */
export async function getSecrets(
  { settings, flights }: SecretParts,
  request: SecretsRequest,
): Promise<Secrets> {
  const environment = request.shouldSetEnv === true ? needEnvironment() : undefined;
  const { key, tags, metaProperties } = request;
  const body = JSON.stringify({
    key,
    tags,
    metaProperties: { ...settings.metaProperties, ...metaProperties },
    source: 'candela-typescript',
  });
  const secrets = await flights.join(body, request.signal, async (signal) => {
    const call = { path: '/api/vault/get-secrets', contentType: 'text/plain;charset=UTF-8', body } as const;
    return readSecrets((await callWithRetries(settings, call, signal)).body['res']);
  });
  if (environment !== undefined) setInEnvironment(environment, secrets);
  return secrets;
}
