import { anyExceptionQuery } from '../../api/exceptions.ts';
import type { Snippet } from '../../ui/snippet-box.tsx';
import { FirstRecord } from '../explore/first-record.tsx';

/** A project in which nothing was thrown so far. */
export function FirstException({ environment }: { environment: string | undefined }) {
  return (
    <FirstRecord
      page="Exceptions"
      title="No exception so far"
      noun="exception"
      snippets={exceptionSnippets(location.origin)}
      arrived={anyExceptionQuery(environment)}
    >
      Exceptions are read from span events, from log records and from failed spans that name their error type.
      OpenTelemetry SDKs record them by themselves when one leaves a span; this is how to record those you
      catch.
    </FirstRecord>
  );
}

function exceptionSnippets(origin: string): Snippet[] {
  return [
    {
      label: 'curl',
      note: 'Sends one exception as a log record, right now, without any SDK.',
      text: `curl -sS ${origin}/v1/logs -H 'Content-Type: application/json' -d @- <<EOF
{"resourceLogs":[{
  "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"hello-candela"}}]},
  "scopeLogs":[{"logRecords":[{
    "timeUnixNano":"$(date +%s)000000000","severityNumber":17,"severityText":"ERROR",
    "body":{"stringValue":"The greeting failed"},
    "attributes":[
      {"key":"exception.type","value":{"stringValue":"GreetingError"}},
      {"key":"exception.message","value":{"stringValue":"Nobody answered within 30 s"}}]}]}]}]}
EOF`,
    },
    {
      label: 'Python',
      note: 'An exception that leaves the span is recorded without this.',
      text: `from opentelemetry import trace
from opentelemetry.trace import StatusCode

span = trace.get_current_span()
try:
    work()
except Exception as error:
    span.record_exception(error)
    span.set_status(StatusCode.ERROR, str(error))`,
    },
    {
      label: 'Node.js',
      note: 'An exception that leaves the span is recorded without this.',
      text: `import { SpanStatusCode, trace } from '@opentelemetry/api';

const span = trace.getActiveSpan();
try {
  await work();
} catch (error) {
  span?.recordException(error);
  span?.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}`,
    },
  ];
}
