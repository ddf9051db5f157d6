import { anyLogQuery } from '../../api/logs.ts';
import type { Snippet } from '../../ui/snippet-box.tsx';
import { FirstRecord } from '../explore/first-record.tsx';

/** A project without log records: what to paste. */
export default function FirstLog({ environment }: { environment: string | undefined }) {
  return (
    <FirstRecord
      page="Logs"
      title="Send the first log record"
      noun="log record"
      snippets={logSnippets(location.origin)}
      arrived={anyLogQuery(environment)}
    >
      Any OpenTelemetry SDK or the Collector will do. Records that carry a trace id stand beside their spans.
    </FirstRecord>
  );
}

/** Ways to send a first log record to the server at `origin`; each works as pasted. */
function logSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Sends one record, right now, without any SDK.',
      text: `curl -sS ${origin}/v1/logs -H 'Content-Type: application/json' -d @- <<EOF
{"resourceLogs":[{
  "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello-candela"}}]},
  "scopeLogs":[{"logRecords":[{
    "timeUnixNano":"$(date +%s)000000000","severityNumber":9,"severityText":"INFO",
    "body":{"stringValue":"Hello from the shell"},
    "attributes":[{"key":"greeting","value":{"boolValue":true}}]}]}]}]}
EOF`,
    },
    {
      label: 'Python',
      note: 'Everything that goes through the logging module arrives, with the trace it was written in.',
      text: `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
import logging
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

provider = LoggerProvider()
provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter("${origin}/v1/logs")))
logging.basicConfig(level=logging.INFO, handlers=[LoggingHandler(logger_provider=provider)])

logging.info("Hello from Python")
provider.shutdown()`,
    },
    {
      label: 'Collector',
      note: 'Reads files and the journal of a machine; add the exporter to your logs pipeline.',
      text: `receivers:
  filelog:
    include: [/var/log/*.log]
exporters:
  otlphttp:
    endpoint: ${origin}
    # headers: {Authorization: "Bearer <api key>"}
service:
  pipelines:
    logs:
      receivers: [filelog]
      exporters: [otlphttp]`,
    },
  ];
}
