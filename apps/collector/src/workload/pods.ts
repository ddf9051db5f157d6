import { plausibleToken } from '../identity/attributes.ts';
import { askApiServer, type ClusterAccess } from '../kubernetes/api-server.ts';
import { type JsonMap, listOf, mapOf, textOf } from '../kubernetes/json.ts';
import type { PointAttributes } from '../point-attributes.ts';

const PAGE = 500;
const PAGE_TIMEOUT_MS = 10_000;
/** A pod is ten kilobytes or so, and a node has a few hundred at most. */
const MAX_PAGE_BYTES = 16_777_216;
const MAX_PAGES = 8;
const MAX_PODS = 2_000;
const MAX_CONTAINERS = 64;

/** A pod on this node, with what its points are told by. */
export interface Pod {
  readonly uids: readonly string[];
  readonly namespace: string;
  readonly name: string;
  readonly attributes: PointAttributes;
  /** Names of its containers to the ids that run or ran last. */
  readonly containers: ReadonlyMap<string, string | undefined>;
}

/** Kinds of owners that the semantic conventions have an attribute for. */
const OWNER_KEYS: ReadonlyMap<string, string> = new Map([
  ['ReplicaSet', 'k8s.replicaset.name'],
  ['Deployment', 'k8s.deployment.name'],
  ['StatefulSet', 'k8s.statefulset.name'],
  ['DaemonSet', 'k8s.daemonset.name'],
  ['Job', 'k8s.job.name'],
]);

/** Labels that frameworks put on the pods of what people started, above the owner of the pod. */
const FRAMEWORKS: readonly { readonly label: string; readonly kind: string }[] = [
  { label: 'jobset.sigs.k8s.io/jobset-name', kind: 'JobSet' },
  { label: 'leaderworkerset.sigs.k8s.io/name', kind: 'LeaderWorkerSet' },
  { label: 'serving.kserve.io/inferenceservice', kind: 'InferenceService' },
  { label: 'sparkoperator.k8s.io/app-name', kind: 'SparkApplication' },
  { label: 'workflows.argoproj.io/workflow', kind: 'Workflow' },
];

interface Owner {
  readonly kind: string;
  readonly name: string;
}

function controllerOf(metadata: JsonMap, labels: JsonMap): Owner | undefined {
  const references = listOf(metadata.get('ownerReferences')).map(mapOf);
  const controller = references.find((reference) => reference.get('controller') === true);
  const kind = plausibleToken(controller?.get('kind'));
  const name = plausibleToken(controller?.get('name'));
  if (kind === undefined || name === undefined) return undefined;
  // A Deployment names its replica sets after the template's hash, which the pods carry too.
  const hash = textOf(labels.get('pod-template-hash'));
  return kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`)
    ? { kind: 'Deployment', name: name.slice(0, -hash.length - 1) }
    : { kind, name };
}

/** What people would say is running: the framework's object where labels tell, else the owner. */
function workloadOf(labels: JsonMap, owner: Owner | undefined): Owner | undefined {
  const crd = plausibleToken(labels.get('ray.io/originated-from-crd'));
  const ray = plausibleToken(labels.get('ray.io/originated-from-cr-name'));
  if (crd !== undefined && ray !== undefined) return { kind: crd, name: ray };
  for (const { label, kind } of FRAMEWORKS) {
    const name = plausibleToken(labels.get(label));
    if (name !== undefined) return { kind, name };
  }
  return owner;
}

/** One `Pod` of the API; undefined when it lacks what a pod is known by. */
export function parsePod(value: unknown): Pod | undefined {
  const metadata = mapOf(mapOf(value).get('metadata'));
  const uid = plausibleToken(metadata.get('uid'));
  const name = plausibleToken(metadata.get('name'));
  const namespace = plausibleToken(metadata.get('namespace'));
  if (uid === undefined || name === undefined || namespace === undefined) return undefined;

  const labels = mapOf(metadata.get('labels'));
  const owner = controllerOf(metadata, labels);
  const workload = workloadOf(labels, owner);
  const ownerKey = OWNER_KEYS.get(owner?.kind ?? '');
  const attributes: PointAttributes = {
    'k8s.namespace.name': namespace,
    'k8s.pod.name': name,
    'k8s.pod.uid': uid,
    ...(owner === undefined || ownerKey === undefined ? {} : { [ownerKey]: owner.name }),
    ...(workload === undefined
      ? {}
      : { 'platform.workload.kind': workload.kind, 'platform.workload.name': workload.name }),
  };

  const status = mapOf(mapOf(value).get('status'));
  const statuses = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].flatMap(
    (key) => listOf(status.get(key)),
  );
  const containers = new Map<string, string | undefined>();
  for (const one of statuses.slice(0, MAX_CONTAINERS).map(mapOf)) {
    const container = plausibleToken(one.get('name'));
    const id = /^[a-z0-9-]+:\/\/([0-9a-f]{64})$/.exec(textOf(one.get('containerID')) ?? '')?.[1];
    if (container !== undefined) containers.set(container, id);
  }
  // The kubelet knows a static pod by the hash of its file, the API by the uid of its mirror.
  const hash = plausibleToken(mapOf(metadata.get('annotations')).get('kubernetes.io/config.hash'));
  return { uids: hash === undefined ? [uid] : [uid, hash], namespace, name, attributes, containers };
}

/** One page of a `PodList`, and where the next begins. */
export function parsePodList(value: unknown): {
  readonly pods: readonly Pod[];
  readonly next: string | undefined;
} {
  const list = mapOf(value);
  const pods = listOf(list.get('items'))
    .slice(0, MAX_PODS)
    .flatMap((item) => parsePod(item) ?? []);
  const next = textOf(mapOf(list.get('metadata')).get('continue'));
  return { pods, next: next === '' ? undefined : next };
}

/** The pods of a node, from the API server's cache. @throws ApiServerError */
export async function listPods(
  access: ClusterAccess,
  node: string,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const pods: Pod[] = [];
  let next: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({ fieldSelector: `spec.nodeName=${node}`, limit: String(PAGE) });
    // A continued list has its version in the token.
    if (next === undefined) query.set('resourceVersion', '0');
    else query.set('continue', next);
    const answer = await askApiServer(access, {
      path: `/api/v1/pods?${query}`,
      timeoutMs: PAGE_TIMEOUT_MS,
      maxBytes: MAX_PAGE_BYTES,
      signal,
      permission: 'list on pods',
    });
    const read = parsePodList(answer);
    pods.push(...read.pods.slice(0, MAX_PODS - pods.length));
    next = read.next;
    if (next === undefined || pods.length >= MAX_PODS) break;
  }
  return pods;
}
