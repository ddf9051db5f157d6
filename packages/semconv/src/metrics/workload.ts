/**
 * Keys that tell whose container a process or a device is. They stand on points, not on the resource: the agent's
 * resource is the machine, and the pods on it are many.
 */
export const WORKLOAD_ATTRIBUTES: readonly string[] = [
  'container.id',
  'k8s.container.name',
  'k8s.namespace.name',
  'k8s.pod.name',
  'k8s.pod.uid',
  'k8s.deployment.name',
  'k8s.replicaset.name',
  'k8s.statefulset.name',
  'k8s.daemonset.name',
  'k8s.job.name',
  'platform.workload.kind',
  'platform.workload.name',
];
