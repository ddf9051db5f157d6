/** What the kernel tells of the container that a process runs in. */
export interface ContainerRef {
  /** 64 hexadecimal digits; on Fargate `<32 hexadecimal digits>-<digits>`. */
  readonly containerId?: string;
  /** As the API has it; for a static pod the hash of its configuration. */
  readonly podUid?: string;
  readonly containerName?: string;
}

/** The scope of a container as its runtime names it; those of the monitors beside them (`crio-conmon-…`) are others. */
const CONTAINER = /^(?:(?:cri-containerd|docker|crio|libpod|nerdctl)-)?([0-9a-f]{64})(?:\.scope)?$/;
/** ECS on Fargate, and its agent on version 2 of cgroups: the task's id, then the container's number (`/ecs/<task>/<id>`). */
const FARGATE = /^([0-9a-f]{32}-[0-9]{1,20})$/;
const POD = /(?:^|[-_])pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?$/;

const ref = (
  containerId: string | undefined,
  podUid: string | undefined,
  containerName?: string,
): ContainerRef | undefined =>
  containerId === undefined && podUid === undefined
    ? undefined
    : {
        ...(containerId === undefined ? {} : { containerId }),
        ...(podUid === undefined ? {} : { podUid }),
        ...(containerName === undefined ? {} : { containerName }),
      };

/**
 * `/proc/<pid>/cgroup` of version 1 or 2. The deepest container counts: a node may itself be one. Undefined when the
 * process is in no container that can be told.
 */
export function parseCgroup(text: string): ContainerRef | undefined {
  for (const line of text.split('\n')) {
    const path = /^\d+:[^:]*:(\/.*)$/.exec(line)?.[1];
    if (path === undefined) continue;
    let containerId: string | undefined;
    let podUid: string | undefined;
    // A misconfigured containerd writes `<slice>:cri-containerd:<id>` as one part.
    for (const part of path.split(/[/:]/).reverse()) {
      containerId ??= CONTAINER.exec(part)?.[1] ?? FARGATE.exec(part)?.[1];
      podUid ??= POD.exec(part)?.[1]?.replaceAll('_', '-');
    }
    const found = ref(containerId, podUid);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether the paths of this text begin outside what the reader can see: a cgroup namespace of its own hides the names
 * above it, and then the mounts of the process may tell instead.
 */
export function hidesContainer(text: string): boolean {
  return text.split('\n').some((line) => /^\d+:[^:]*:\/(?:\.\.(?:\/.*)?)?$/.test(line));
}

/** Files that runtimes mount into every container, from a directory with its id. */
const OWN_FILES: ReadonlySet<string> = new Set([
  '/etc/hosts',
  '/etc/hostname',
  '/etc/resolv.conf',
  '/dev/termination-log',
]);

/**
 * `/proc/<pid>/mountinfo`: where the files come from that runtimes and the kubelet mount into each container. The
 * sandbox of containerd is left out: it is another container of the same pod.
 */
export function containerOfMounts(text: string): ContainerRef | undefined {
  let containerId: string | undefined;
  let podUid: string | undefined;
  let containerName: string | undefined;
  for (const line of text.split('\n')) {
    const [, , , root = '', mountPoint = ''] = line.split(' ', 5);
    if (!OWN_FILES.has(mountPoint)) continue;
    const pod = /\/pods\/([0-9a-f-]{32,36})\/(?:etc-hosts$|containers\/([a-z0-9.-]{1,253})\/)/.exec(root);
    podUid ??= pod?.[1];
    containerName ??= pod?.[2];
    containerId ??= /\/(?:containers|overlay-containers)\/([0-9a-f]{64})\//.exec(root)?.[1];
  }
  // In a pod these files belong to the sandbox, whose id says nothing of the container.
  return ref(podUid === undefined ? containerId : undefined, podUid, containerName);
}
