import type { Attributes } from './attributes.ts';
import type { MetadataEndpoint } from './metadata-http.ts';

export type CloudName = 'aws' | 'gcp' | 'azure';

/** What a cloud's metadata service tells of the machine. */
export interface CloudInstance {
  readonly provider: CloudName;
  /** `cloud.*` and `host.*` without `host.name`; only what was said and is plausible. */
  readonly attributes: Attributes;
  readonly hostname?: string;
  /** Of a managed cluster; asked for in a cluster only. */
  readonly cluster?: ManagedCluster;
}

export interface ManagedCluster {
  readonly name: string;
  /** Value of `cloud.platform` when the finding place proves that the cloud runs the cluster. */
  readonly platform?: string;
}

export interface ProbeContext {
  readonly endpoint: MetadataEndpoint;
  readonly inCluster: boolean;
  readonly signal: AbortSignal;
}

/** Resolves to undefined when something answers that is not this cloud. @throws when nothing answers */
export type Probe = (context: ProbeContext) => Promise<CloudInstance | undefined>;

/** `cloud.platform` of a machine that no more is known of than who rents it out. */
export const MACHINE_PLATFORM: ReadonlyMap<string, string> = new Map([
  ['aws', 'aws_ec2'],
  ['gcp', 'gcp_compute_engine'],
  ['azure', 'azure.vm'],
  ['oracle_cloud', 'oracle_cloud_compute'],
  ['scaleway_cloud', 'scaleway_cloud_compute'],
  ['hetzner', 'hetzner.cloud_server'],
  ['vultr', 'vultr.cloud_compute'],
]);

/** The pairs whose value is known. */
export function known(pairs: readonly (readonly [string, string | undefined])[]): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [key, value] of pairs) if (value !== undefined) attributes.set(key, value);
  return attributes;
}
