import type { Flights } from './flights.js';
import type { Settings } from './settings.js';
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
export interface SecretParts {
    readonly settings: Settings;
    readonly flights: Flights<Secrets>;
}
/** Secrets are never kept here: a changed or withdrawn one counts with the next call. */
export declare function getSecrets({ settings, flights }: SecretParts, request: SecretsRequest): Promise<Secrets>;
