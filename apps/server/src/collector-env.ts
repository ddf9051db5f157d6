/** Variables of the agent (docs/collector/configuration.md) and what any program needs to run; none of the platform's secrets. */
const OF_COLLECTOR =
  /^(OTEL_(GPU|HOST|TPU)_\w+|OTEL_(RESOURCE_ATTRIBUTES|RESOURCE_ATTRIBUTES_NODE_NAME|METRIC_EXPORT_INTERVAL|LOG_LEVEL)|HOST_(PROC|SYS|ETC|ROOT)|K8S_\w+|KUBERNETES_\w+|NODE_NAME|POD_RESOURCES_SOCKET|PLATFORM_(HOST_METRICS|CLOUD_DETECT|K8S_\w+)|PATH|HOME|TMPDIR|TEMP|TMP|SystemRoot|ProgramW6432)$/;

export const isOfCollector = (name: string): boolean => OF_COLLECTOR.test(name);

/** What of the environment the local collector is given. */
export function collectorEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isOfCollector(entry[0]),
    ),
  );
}
