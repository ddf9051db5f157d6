import { anyHostQuery } from '../../api/hosts.ts';
import type { Snippet } from '../../ui/snippet-box.tsx';
import { FirstRecord } from '../explore/first-record.tsx';

/** A project without infrastructure metrics: what to paste. */
export function FirstHost({ environment }: { environment: string | undefined }) {
  return (
    <FirstRecord
      page="Hosts & GPUs"
      title="Measure the first host"
      noun="host"
      snippets={hostSnippets(location.origin)}
      arrived={anyHostQuery(environment)}
    >
      Anything that sends <code>system.*</code>, <code>hw.*</code> or <code>process.*</code> metrics of the
      OpenTelemetry conventions with a <code>host.name</code> stands here.
    </FirstRecord>
  );
}

function hostSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'opentelemetry-gpu-collector',
      note: 'One program without a configuration file, and part of this repository. This machine measures itself unless PLATFORM_LOCAL_COLLECTOR=false.',
      text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_METRIC_EXPORT_INTERVAL=10000
# export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<api key>"
./opentelemetry-gpu-collector   # or, in a clone: npm run collector`,
    },
    {
      label: 'Collector',
      note: 'The OpenTelemetry Collector (contrib) measures the machine it runs on; run one on each host.',
      text: `receivers:
  hostmetrics:
    collection_interval: 30s
    scrapers:
      cpu:
        metrics: {system.cpu.utilization: {enabled: true}, system.cpu.logical.count: {enabled: true}}
      memory: {}
      disk: {}
      filesystem: {metrics: {system.filesystem.utilization: {enabled: true}}}
      network: {}
processors:
  resourcedetection: {detectors: [env, system]}
exporters:
  otlphttp:
    endpoint: ${origin}
    # headers: {Authorization: "Bearer <api key>"}
service:
  pipelines:
    metrics:
      receivers: [hostmetrics]
      processors: [resourcedetection]
      exporters: [otlphttp]`,
    },
    {
      label: 'OTLP agent',
      note: 'For any agent that speaks OTLP: set these where it runs. gRPC goes to port 4317.',
      text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
# export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20<api key>"
export OTEL_RESOURCE_ATTRIBUTES="host.name=$(hostname)"`,
    },
    {
      label: 'curl',
      note: 'Sends two figures of this machine once, without any agent.',
      text: `curl -sS ${origin}/v1/metrics -H 'Content-Type: application/json' -d @- <<EOF
{"resourceMetrics":[{
  "resource":{"attributes":[{"key":"host.name","value":{"stringValue":"$(hostname)"}}]},
  "scopeMetrics":[{"metrics":[{
    "name":"system.memory.usage","unit":"By","sum":{"aggregationTemporality":2,"isMonotonic":false,"dataPoints":[
      {"timeUnixNano":"$(date +%s)000000000","asInt":"6000000000","attributes":[{"key":"system.memory.state","value":{"stringValue":"used"}}]},
      {"timeUnixNano":"$(date +%s)000000000","asInt":"10000000000","attributes":[{"key":"system.memory.state","value":{"stringValue":"free"}}]}]}}]}]}]}
EOF`,
    },
  ];
}
