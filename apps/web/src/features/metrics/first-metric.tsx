import { anyMetricQuery } from '../../api/metrics.ts';
import type { Snippet } from '../../ui/snippet-box.tsx';
import { FirstRecord } from '../explore/first-record.tsx';

/** A project without metrics: what to paste. */
export function FirstMetric({ environment }: { environment: string | undefined }) {
  return (
    <FirstRecord
      page="Metrics"
      title="Send the first metric"
      noun="metric"
      snippets={metricSnippets(location.origin)}
      arrived={anyMetricQuery(environment)}
    >
      Any OpenTelemetry SDK or the Collector will do: gauges, counters, histograms of both kinds, summaries.
    </FirstRecord>
  );
}

/** Ways to send a first metric to the server at `origin`; each works as pasted. */
function metricSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Sends one point of a gauge, right now, without any SDK.',
      text: `curl -sS ${origin}/v1/metrics -H 'Content-Type: application/json' -d @- <<EOF
{"resourceMetrics":[{
  "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello-candela"}}]},
  "scopeMetrics":[{"metrics":[{
    "name":"hello.temperature","unit":"Cel","description":"Temperature of the room",
    "gauge":{"dataPoints":[{"timeUnixNano":"$(date +%s)000000000","asDouble":21.5}]}}]}]}]}
EOF`,
    },
    {
      label: 'Python',
      note: 'A counter and a histogram, sent when the program ends and every minute until then.',
      text: `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

provider = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter("${origin}/v1/metrics"))])
meter = provider.get_meter("hello")
meter.create_counter("hello.orders", unit="{order}").add(3, {"plan": "pro"})
meter.create_histogram("hello.duration", unit="s").record(0.42, {"http.route": "/pay"})
provider.shutdown()`,
    },
    {
      label: 'Collector',
      note: 'Processor, memory, disks and network of a machine; add both to a metrics pipeline.',
      text: `receivers:
  hostmetrics:
    collection_interval: 30s
    scrapers: {cpu: {}, memory: {}, load: {}, disk: {}, filesystem: {}, network: {}}
exporters:
  otlphttp:
    endpoint: ${origin}
    # headers: {Authorization: "Bearer <api key>"}
service:
  pipelines:
    metrics:
      receivers: [hostmetrics]
      exporters: [otlphttp]`,
    },
  ];
}
