import { constants } from 'node:fs';
import { access as accessFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { readHead } from '../files.ts';
import { type HostPaths, inRoot } from '../host-paths.ts';
import type { Config, KubernetesConfig } from '../config.ts';
import { ApiServerError, type ClusterAccess, clusterAccess } from '../kubernetes/api-server.ts';
import { errorText, type Log } from '../log.ts';
import type { PointAttributes } from '../point-attributes.ts';
import type { Workload } from './workload.ts';
import { parsePidStat } from '../host/proc/pid.ts';
import { type ContainerRef, hidesContainer, parseCgroup, containerOfMounts } from './cgroup.ts';
import {
  type DeviceHolder,
  type DeviceHolders,
  listPodResources,
  POD_RESOURCES_SOCKET,
} from './pod-resources.ts';
import { listPods, type Pod } from './pods.ts';
import { type DeviceAliases, listDeviceAliases } from './resource-slices.ts';

/** The kubelet answers a hundred such questions a second to all who ask; once in this time is enough for new pods. */
const REFRESH_MS = 15_000;
const PODS_EVERY_MS = 60_000;
/** After a refusal: rights are granted by people. */
const REFUSED_EVERY_MS = 300_000;
/** What is known stays this long when nobody answers any more: names must not come and go with a busy API server. */
const KEEP_MS = 600_000;
const MAX_PROCESSES = 8_192;
const MAX_UNKNOWN = 4_096;
const MAX_PROC_BYTES = 1_048_576;

/** How one of the ways of finding out goes. */
export interface WorkloadState {
  readonly name: 'pod resources' | 'pods' | 'device claims';
  readonly state: 'pending' | 'off' | 'found' | 'failed';
  readonly detail: string;
}

export interface WorkloadOptions {
  readonly paths: HostPaths;
  readonly log: Log;
  readonly podResources: {
    /** Why it is off; undefined when it is wanted. */
    readonly off: string | undefined;
    readonly socket: string | undefined;
  };
  readonly pods: {
    readonly off: string | undefined;
    readonly access: ClusterAccess | undefined;
    readonly node: string | undefined;
  };
  /** Only tests are in a hurry. */
  readonly refreshMs?: number;
}

interface Process {
  readonly startTicks: number;
  readonly ref: ContainerRef | undefined;
}

/** Keeps what the kubelet and the API server say of this node, asked in the background. */
export class Workloads implements Workload {
  /** Resolves when all that is on was asked once; never rejects. */
  readonly settled: Promise<void>;
  readonly #options: WorkloadOptions;
  readonly #stop = new AbortController();
  readonly #settle: () => void;
  readonly #states = new Map<WorkloadState['name'], WorkloadState>();
  readonly #processes = new Map<string, Process>();
  #holders: (DeviceHolders & { readonly at: number }) | undefined;
  #aliases: DeviceAliases | undefined;
  #aliasesDue = 0;
  #pods: { readonly at: number; readonly index: PodIndex } | undefined;
  #podsDue = 0;
  /** Containers that no list had: each is worth one list before its time. */
  readonly #unknown = new Set<string>();
  #unknownAsked = true;

  constructor(options: WorkloadOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
    const { podResources, pods } = options;
    this.#say('pod resources', podResources.off === undefined ? 'pending' : 'off', podResources.off ?? '');
    this.#say('pods', pods.off === undefined ? 'pending' : 'off', pods.off ?? '');
  }

  start(): void {
    void this.#keep().finally(this.#settle);
  }

  stop(): void {
    this.#stop.abort();
    this.#settle();
  }

  report(): readonly WorkloadState[] {
    return [...this.#states.values()];
  }

  ofPid(pid: number): PointAttributes | undefined {
    return this.#ofProcess(String(pid));
  }

  ofSelf(): PointAttributes | undefined {
    return this.#ofProcess('self');
  }

  ofDevice(id: string): readonly PointAttributes[] {
    const name = id.toLowerCase();
    const claim = this.#aliases?.get(name);
    const devices = this.#holders?.devices;
    const holders = devices?.get(name) ?? (claim === undefined ? undefined : devices?.get(claim)) ?? [];
    return holders.map((holder) => this.#podIndex()?.ofHolder(holder) ?? holderAttributes(holder));
  }

  #ofProcess(name: string): PointAttributes | undefined {
    const ref = this.#refOf(name);
    if (ref === undefined) return undefined;
    const found = this.#podIndex()?.ofContainer(ref);
    // A container that is not in the list began after it: its pod, or the container in it, is new.
    if (found?.['k8s.container.name'] === undefined) this.#wantPodOf(ref);
    return found ?? refAttributes(ref);
  }

  /** The container of a process. A number is given again to another: what is kept belongs to its start. */
  #refOf(name: string): ContainerRef | undefined {
    const directory = `${this.#options.paths.proc}/${name}`;
    const stat = readHead(`${directory}/stat`, MAX_PROC_BYTES);
    const startTicks = stat === undefined ? undefined : parsePidStat(stat)?.startTicks;
    if (startTicks === undefined) {
      this.#processes.delete(name);
      return undefined;
    }
    const known = this.#processes.get(name);
    if (known?.startTicks === startTicks) return known.ref;
    const cgroup = readHead(`${directory}/cgroup`, MAX_PROC_BYTES);
    if (cgroup === undefined) return undefined;
    let ref = parseCgroup(cgroup);
    if (ref?.containerId === undefined && hidesContainer(cgroup)) {
      ref = containerOfMounts(readHead(`${directory}/mountinfo`, MAX_PROC_BYTES) ?? '') ?? ref;
    }
    if (this.#processes.size >= MAX_PROCESSES) this.#processes.clear();
    this.#processes.set(name, { startTicks, ref });
    return ref;
  }

  #wantPodOf({ containerId, podUid }: ContainerRef): void {
    const key = containerId ?? podUid ?? '';
    if (this.#unknown.has(key)) return;
    if (this.#unknown.size >= MAX_UNKNOWN) this.#unknown.clear();
    this.#unknown.add(key);
    this.#unknownAsked = false;
  }

  #podIndex(): PodIndex | undefined {
    return this.#pods?.index;
  }

  #say(name: WorkloadState['name'], state: WorkloadState['state'], detail: string): void {
    const before = this.#states.get(name);
    this.#states.set(name, { name, state, detail });
    // Once a change, not once a round.
    if (before?.state === state) return;
    if (state === 'failed')
      this.#options.log.info('Kubernetes: some names stay unknown', { of: name, reason: detail });
    else if (before?.state === 'failed')
      this.#options.log.info('Kubernetes answers again', { of: name, found: detail });
  }

  async #keep(): Promise<void> {
    const { podResources, pods, refreshMs = REFRESH_MS } = this.#options;
    if (podResources.off !== undefined && pods.off !== undefined) return;
    try {
      for (;;) {
        await Promise.all([this.#refreshHolders().then(() => this.#refreshAliases()), this.#refreshPods()]);
        this.#settle();
        await delay(refreshMs, undefined, { signal: this.#stop.signal, ref: false });
      }
    } catch (thrown) {
      if (!this.#stop.signal.aborted)
        this.#options.log.error('Kubernetes lookups ended', { reason: errorText(thrown) });
    }
  }

  async #refreshHolders(): Promise<void> {
    const { podResources } = this.#options;
    if (podResources.off !== undefined) return;
    try {
      const found = await listPodResources(await this.#socket(), this.#stop.signal);
      this.#holders = { at: performance.now(), ...found };
      this.#say('pod resources', 'found', `${found.devices.size} devices in use`);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      if (this.#holders !== undefined && performance.now() - this.#holders.at > KEEP_MS)
        this.#holders = undefined;
      this.#say('pod resources', 'failed', errorText(thrown));
    }
  }

  /** What the devices of claims are; asked only where there are any. What was learnt stays: devices keep their ids. */
  async #refreshAliases(): Promise<void> {
    const { access, node } = this.#options.pods;
    const now = performance.now();
    if (this.#holders?.claimed !== true || access === undefined || node === undefined) return;
    if (now < this.#aliasesDue) return;
    this.#aliasesDue = now + PODS_EVERY_MS;
    try {
      this.#aliases = await listDeviceAliases(access, node, this.#stop.signal);
      this.#say('device claims', 'found', `${this.#aliases.size} ids of devices`);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      if (thrown instanceof ApiServerError && thrown.status === 403)
        this.#aliasesDue = now + REFUSED_EVERY_MS;
      this.#say('device claims', 'failed', errorText(thrown));
    }
  }

  /** The socket that was named; else where the kubelet has it, seen from here or through the host's root. */
  async #socket(): Promise<string> {
    const { podResources, paths } = this.#options;
    const places =
      podResources.socket === undefined
        ? [...new Set([POD_RESOURCES_SOCKET, inRoot(paths, POD_RESOURCES_SOCKET)])]
        : [podResources.socket];
    for (const place of places) {
      try {
        await accessFile(place, constants.R_OK | constants.W_OK);
        return place;
      } catch (thrown) {
        const { code } = thrown as NodeJS.ErrnoException;
        if (code !== 'ENOENT' && code !== 'ENOTDIR')
          throw new Error(`${place} may not be used: ${errorText(thrown)}`, { cause: thrown });
      }
    }
    throw new Error(`there is no socket at ${places.join(' or ')}: is its directory mounted?`);
  }

  async #refreshPods(): Promise<void> {
    const { off, access, node } = this.#options.pods;
    const now = performance.now();
    if (off !== undefined || access === undefined || node === undefined) return;
    if (now < this.#podsDue && this.#unknownAsked) return;
    this.#unknownAsked = true;
    try {
      const pods = await listPods(access, node, this.#stop.signal);
      this.#pods = { at: now, index: new PodIndex(pods) };
      this.#podsDue = now + PODS_EVERY_MS;
      this.#say('pods', 'found', `${pods.length} pods on ${node}`);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      if (this.#pods !== undefined && now - this.#pods.at > KEEP_MS) this.#pods = undefined;
      const refused = thrown instanceof ApiServerError && thrown.status === 403;
      this.#podsDue = now + (refused ? REFUSED_EVERY_MS : 0);
      this.#say('pods', 'failed', errorText(thrown));
    }
  }
}

/** The pods of the node by what processes and devices are known by. */
class PodIndex {
  readonly #containers = new Map<string, PointAttributes>();
  readonly #byUid = new Map<string, Pod>();
  readonly #byName = new Map<string, Pod>();

  constructor(pods: readonly Pod[]) {
    for (const pod of pods) {
      for (const uid of pod.uids) this.#byUid.set(uid, pod);
      this.#byName.set(`${pod.namespace}/${pod.name}`, pod);
      for (const [name, id] of pod.containers) {
        if (id !== undefined) this.#containers.set(id, containerAttributes(pod, name, id));
      }
    }
  }

  ofContainer({ containerId, podUid, containerName }: ContainerRef): PointAttributes | undefined {
    const exact = containerId === undefined ? undefined : this.#containers.get(containerId);
    if (exact !== undefined) return exact;
    const pod = podUid === undefined ? undefined : this.#byUid.get(podUid);
    if (pod === undefined) return undefined;
    // A container that the list does not have yet, or the pod's sandbox.
    if (containerName === undefined) {
      return containerId === undefined ? pod.attributes : { ...pod.attributes, 'container.id': containerId };
    }
    return containerAttributes(pod, containerName, pod.containers.get(containerName));
  }

  ofHolder({ namespace, pod: name, container }: DeviceHolder): PointAttributes | undefined {
    const pod = this.#byName.get(`${namespace}/${name}`);
    return pod === undefined ? undefined : containerAttributes(pod, container, pod.containers.get(container));
  }
}

const containerAttributes = (pod: Pod, name: string, id: string | undefined): PointAttributes => ({
  ...pod.attributes,
  'k8s.container.name': name,
  ...(id === undefined ? {} : { 'container.id': id }),
});

const holderAttributes = ({ namespace, pod, container }: DeviceHolder): PointAttributes => ({
  'k8s.namespace.name': namespace,
  'k8s.pod.name': pod,
  'k8s.container.name': container,
});

const refAttributes = ({ containerId, podUid, containerName }: ContainerRef): PointAttributes => ({
  ...(containerId === undefined ? {} : { 'container.id': containerId }),
  ...(podUid === undefined ? {} : { 'k8s.pod.uid': podUid }),
  ...(containerName === undefined ? {} : { 'k8s.container.name': containerName }),
});

/** Why pods stay unnamed by a way that the configuration leaves off; undefined when it is on. */
function offBecause(
  { inCluster, nodeName }: KubernetesConfig,
  on: boolean,
  variable: string,
): string | undefined {
  if (on) return undefined;
  if (!inCluster) return 'not in a Kubernetes cluster';
  return nodeName === undefined && variable === 'PLATFORM_K8S_POD_LOOKUP'
    ? 'no node name: set K8S_NODE_NAME from spec.nodeName'
    : `${variable} is false`;
}

/** What the configuration asks for. */
export function workloadsOf(config: Pick<Config, 'kubernetes'>, paths: HostPaths, log: Log): Workloads {
  const { kubernetes } = config;
  const access = clusterAccess(kubernetes);
  const lookup = kubernetes.podLookup && access !== undefined && kubernetes.nodeName !== undefined;
  return new Workloads({
    paths,
    log,
    podResources: {
      off: offBecause(kubernetes, kubernetes.podResources, 'PLATFORM_K8S_POD_RESOURCES'),
      socket: kubernetes.podResourcesSocket,
    },
    pods: {
      off: offBecause(kubernetes, lookup, 'PLATFORM_K8S_POD_LOOKUP'),
      access,
      node: kubernetes.nodeName,
    },
  });
}
