import { anyTraceQuery } from '../../api/telemetry.ts';
import { FirstRecord } from '../explore/first-record.tsx';
import { snippets } from './snippets.ts';

/** A project without traces. */
export function FirstTrace({ environment }: { environment: string | undefined }) {
  return (
    <FirstRecord
      page="Traces"
      title="Send the first trace"
      noun="trace"
      snippets={snippets(location.origin)}
      arrived={anyTraceQuery(environment)}
    >
      Any OpenTelemetry SDK will do. Paste one of these; this page shows the trace as soon as it arrives.
    </FirstRecord>
  );
}
