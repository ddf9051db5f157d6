import { setTimeout as delay } from 'node:timers/promises';
import type { HostPaths } from '../host-paths.ts';
import type { ClusterAccess } from '../kubernetes/api-server.ts';
import { errorText, type Log } from '../log.ts';
import { type Attributes, explicitAttributes, plausibleText } from './attributes.ts';
import { probeAws } from './aws.ts';
import { probeAzure } from './azure.ts';
import { type CloudInstance, MACHINE_PLATFORM, type ManagedCluster, type Probe } from './cloud.ts';
import { readDmiProvider } from './dmi.ts';
import { probeGcp } from './gcp.ts';
import { lookUpNode } from './kubernetes.ts';
import { hostArch, osHostname, osType } from './machine.ts';
import { METADATA_ENDPOINT, type MetadataEndpoint } from './metadata-http.ts';

export type { Attributes } from './attributes.ts';

/** All probes of metadata services together; the node lookup has a limit of its own. */
const METADATA_MS = 600;
/** The first export waits this long at most for what is found out. */
const ROUND_MS = 1_000;
/** Rounds after the first, in a cluster or on a machine whose firmware names a cloud: about two hours of them. */
const MAX_RETRIES = 24;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

const MAX_NAME = 253;

const PROBES: readonly { readonly provider: string; readonly probe: Probe }[] = [
  { provider: 'aws', probe: probeAws },
  { provider: 'gcp', probe: probeGcp },
  { provider: 'azure', probe: probeAzure },
];

/** Where an attribute's value is from. */
export type Origin = 'agent' | 'configuration' | 'node' | 'metadata' | 'dmi' | 'os';

export interface Finding {
  readonly value: string;
  readonly from: Origin;
}

/** How a way of finding things out went. */
export interface Tier {
  readonly name: 'node' | 'metadata' | 'dmi';
  readonly state: 'pending' | 'off' | 'found' | 'nothing' | 'failed';
  readonly detail: string;
}

export interface IdentityOptions {
  /** What the operator said of the machine. */
  readonly explicit: Attributes;
  readonly serviceName: string | undefined;
  readonly cloudDetect: boolean;
  readonly kubernetes: {
    readonly inCluster: boolean;
    readonly nodeName: string | undefined;
    readonly clusterName: string | undefined;
    readonly nodeLookup: boolean;
    readonly access: ClusterAccess | undefined;
  };
  readonly paths: HostPaths;
  readonly log: Log;
  /** `telemetry.sdk.*` and `telemetry.distro.*`. */
  readonly telemetry: Attributes;
  /** Where all three clouds are asked; only tests have another place. */
  readonly metadata?: MetadataEndpoint;
  readonly firstRetryMs?: number;
}

/**
 * Who this machine is. What is known without asking anybody is there at once; the rest is found out in the background:
 * `settled` resolves after the first round, within a second or so, and that is what the first export waits for. What a
 * later round finds completes the resource: it adds what was missing and changes nothing that was sent, with one
 * exception. In a cluster the system's name is that of the pod, so it gives way to the cloud's name of the machine.
 */
export class Identity {
  /** Never rejects. */
  readonly settled: Promise<void>;
  readonly #options: IdentityOptions;
  readonly #found = new Map<string, Finding>();
  readonly #tiers = new Map<Tier['name'], Tier>();
  readonly #stop = new AbortController();
  readonly #settle: () => void;
  #attributes: Attributes | undefined;

  constructor(options: IdentityOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
    this.#begin();
  }

  /** The resource's attributes as far as they are known. The same Map until something is added. */
  attributes(): Attributes {
    this.#attributes ??= new Map([...this.#found].map(([key, { value }]) => [key, value]));
    return this.#attributes;
  }

  /** For `--check`: each attribute with its origin, and how each way of finding out went. */
  report(): { readonly attributes: ReadonlyMap<string, Finding>; readonly tiers: readonly Tier[] } {
    return { attributes: this.#found, tiers: [...this.#tiers.values()] };
  }

  /** Begins to find out. Returns at once and never throws. */
  start(): void {
    void this.#discover().finally(this.#settle);
  }

  stop(): void {
    this.#stop.abort();
    this.#settle();
  }

  /** All that needs no asking. */
  #begin(): void {
    const { explicit, serviceName, cloudDetect, kubernetes, paths, telemetry, log } = this.#options;
    this.#fill(telemetry, 'agent');
    const said = explicitAttributes(explicit);
    if (said.refused.length > 0) {
      log.warn(
        'OTEL_RESOURCE_ATTRIBUTES: some attributes say nothing, are unsafe or are set by the agent itself',
        {
          left_out: said.refused.slice(0, 8).join(', '),
        },
      );
    }
    this.#fillOne('service.name', plausibleText(serviceName), 'configuration');
    this.#fill(said.attributes, 'configuration');
    this.#fillEnvironment();

    const node = plausibleText(kubernetes.nodeName, MAX_NAME);
    this.#fillOne('k8s.node.name', node, 'configuration');
    this.#fillOne('host.name', node, 'configuration');
    if (kubernetes.inCluster) {
      this.#fillOne('k8s.cluster.name', plausibleText(kubernetes.clusterName, MAX_NAME), 'configuration');
    }
    this.#fillOne('host.name', osHostname(paths), 'os');
    this.#fillOne('host.arch', hostArch(process.arch), 'os');
    this.#fillOne('os.type', osType(process.platform), 'os');

    const plan = this.#nodePlan();
    this.#tier('node', plan.state, plan.detail);
    if (cloudDetect) this.#tier('metadata', 'pending', '');
    else this.#tier('metadata', 'off', 'PLATFORM_CLOUD_DETECT is false');
    this.#tier('dmi', 'pending', '');
  }

  /** The deprecated key and its successor, whichever was given. */
  #fillEnvironment(): void {
    const [old, now] = ['deployment.environment', 'deployment.environment.name'] as const;
    const value = this.#found.get(now)?.value ?? this.#found.get(old)?.value ?? 'default';
    this.#fill(
      new Map([
        [old, value],
        [now, value],
      ]),
      'configuration',
    );
  }

  #nodePlan(): Pick<Tier, 'state' | 'detail'> {
    const { inCluster, nodeName, nodeLookup, access } = this.#options.kubernetes;
    if (!inCluster || access === undefined) return { state: 'off', detail: 'not in a Kubernetes cluster' };
    if (!nodeLookup) return { state: 'off', detail: 'PLATFORM_K8S_NODE_LOOKUP is false' };
    if (nodeName === undefined) {
      return { state: 'off', detail: 'no node name: set K8S_NODE_NAME from spec.nodeName' };
    }
    return { state: 'pending', detail: '' };
  }

  #tier(name: Tier['name'], state: Tier['state'], detail: string): void {
    this.#tiers.set(name, { name, state, detail });
  }

  /** Adds what is missing. */
  #fill(attributes: Attributes, from: Origin): boolean {
    let added = false;
    for (const [key, value] of attributes) if (this.#fillOne(key, value, from)) added = true;
    return added;
  }

  #fillOne(key: string, value: string | undefined, from: Origin): boolean {
    if (value === undefined || this.#found.has(key)) return false;
    this.#found.set(key, { value, from });
    this.#attributes = undefined;
    return true;
  }

  async #discover(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#round();
      this.#settle();
      if (this.#stop.signal.aborted) return;
      log.info('Identity of this machine', this.#logFields());
      let wait = this.#options.firstRetryMs ?? FIRST_RETRY_MS;
      for (let retry = 0; retry < MAX_RETRIES && this.#worthAsking(); retry += 1) {
        await delay(wait, undefined, { signal: this.#stop.signal, ref: false });
        wait = Math.min(wait * 2, MAX_RETRY_MS);
        if (await this.#round()) log.info('Identity completed', this.#logFields());
      }
    } catch (thrown) {
      if (!this.#stop.signal.aborted)
        log.error('Finding out the identity failed', { reason: errorText(thrown) });
    }
  }

  /** Only where an answer must exist: a pod has a node, and a machine of a cloud its metadata service. */
  #worthAsking(): boolean {
    const failed = (name: Tier['name']): boolean => this.#tiers.get(name)?.state === 'failed';
    const rented = this.#options.kubernetes.inCluster || this.#tiers.get('dmi')?.state === 'found';
    return failed('node') || (rented && failed('metadata'));
  }

  /** Asks all who have not answered yet, side by side, and takes the answers in the order of the tiers. */
  async #round(): Promise<boolean> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ROUND_MS)]);
    const [node, clouds] = await Promise.all([this.#askNode(signal), this.#askClouds(signal)]);
    if (this.#stop.signal.aborted) return false;

    const before = this.attributes();
    if (node !== undefined) {
      this.#take(node.attributes, 'node', 'k8s_label');
      this.#takeCluster(node.cluster, 'node');
    }
    const hint = this.#readDmi();
    const cloud = clouds === undefined ? undefined : this.#choose(clouds, hint);
    if (cloud !== undefined) {
      this.#take(cloud.attributes, 'metadata', 'imds');
      this.#takeCluster(cloud.cluster, 'metadata');
      this.#renameHost(cloud.hostname);
    }
    // What follows from a provider that is certain; a hint of the firmware is for the provider only.
    for (const [said, from] of [[node, 'node'] as const, [cloud, 'metadata'] as const]) {
      const provider = said?.attributes.get('cloud.provider');
      if (provider !== undefined && provider === this.#found.get('cloud.provider')?.value) {
        this.#fillOne('cloud.platform', MACHINE_PLATFORM.get(provider), from);
      }
    }
    this.#fillOne('cloud.provider', hint, 'dmi');
    return this.attributes() !== before;
  }

  #take(attributes: Attributes, from: Origin, typeSource: string): void {
    const typeWasKnown = this.#found.has('host.type');
    this.#fill(attributes, from);
    if (!typeWasKnown && this.#found.has('host.type')) {
      this.#fillOne('platform.host.type.source', typeSource, from);
    }
  }

  #takeCluster(cluster: ManagedCluster | undefined, from: Origin): void {
    if (!this.#options.kubernetes.inCluster || cluster === undefined) return;
    this.#fillOne('k8s.cluster.name', cluster.name, from);
    this.#fillOne('cloud.platform', cluster.platform, from);
  }

  /** In a cluster, the cloud's name of the machine instead of the pod's. */
  #renameHost(name: string | undefined): void {
    const { inCluster } = this.#options.kubernetes;
    if (!inCluster || name === undefined || this.#found.get('host.name')?.from !== 'os') return;
    this.#found.set('host.name', { value: name, from: 'metadata' });
    this.#attributes = undefined;
  }

  async #askNode(signal: AbortSignal): Promise<Awaited<ReturnType<typeof lookUpNode>> | undefined> {
    const { access, nodeName } = this.#options.kubernetes;
    const state = this.#tiers.get('node')?.state;
    if (access === undefined || nodeName === undefined || (state !== 'pending' && state !== 'failed'))
      return undefined;
    try {
      const node = await lookUpNode(access, nodeName, signal);
      this.#tier('node', 'found', nodeName);
      return node;
    } catch (thrown) {
      this.#tier('node', 'failed', errorText(thrown));
      return undefined;
    }
  }

  /** Undefined when there is nothing to ask (any more). */
  async #askClouds(round: AbortSignal): Promise<readonly CloudInstance[] | undefined> {
    const state = this.#tiers.get('metadata')?.state;
    if (state !== 'pending' && state !== 'failed') return undefined;
    const endpoint = this.#options.metadata ?? METADATA_ENDPOINT;
    const { inCluster } = this.#options.kubernetes;
    const signal = AbortSignal.any([round, AbortSignal.timeout(METADATA_MS)]);
    const asked = await Promise.allSettled(PROBES.map(({ probe }) => probe({ endpoint, inCluster, signal })));
    const found = asked.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== undefined ? [one.value] : [],
    );
    if (found.length === 0) {
      const silent = asked.filter(({ status }) => status === 'rejected').length;
      this.#tier(
        'metadata',
        'failed',
        silent === asked.length
          ? 'no metadata service answers'
          : 'what answers is none of AWS, Google Cloud and Azure',
      );
    }
    return found;
  }

  /**
   * The instance that fits what is known: of the provider that the operator, the node or the firmware names. Whoever else
   * answers on the address is not this machine's cloud.
   */
  #choose(found: readonly CloudInstance[], hint: string | undefined): CloudInstance | undefined {
    if (found.length === 0) return undefined;
    const expected = this.#found.get('cloud.provider')?.value ?? hint;
    const fitting = expected === undefined ? found : found.filter(({ provider }) => provider === expected);
    const [instance, ...others] = fitting;
    if (instance !== undefined && others.length === 0) {
      this.#tier('metadata', 'found', instance.provider);
      return instance;
    }
    const answered = found.map(({ provider }) => provider).join(' and ');
    this.#tier(
      'metadata',
      'nothing',
      expected === undefined
        ? `${answered} answer at once: none is believed`
        : `${answered} answers, but this machine is of ${expected}`,
    );
    return undefined;
  }

  #readDmi(): string | undefined {
    try {
      const provider = readDmiProvider(this.#options.paths);
      this.#tier(
        'dmi',
        provider === undefined ? 'nothing' : 'found',
        provider ?? 'the firmware names no cloud',
      );
      return provider;
    } catch (thrown) {
      this.#tier('dmi', 'failed', errorText(thrown));
      return undefined;
    }
  }

  #logFields(): Record<string, string> {
    const fields: Record<string, string> = {};
    for (const [key, value] of this.attributes()) if (!key.startsWith('telemetry.')) fields[key] = value;
    for (const { name, state, detail } of this.#tiers.values())
      fields[name] = detail === '' ? state : `${state}: ${detail}`;
    return fields;
  }
}
