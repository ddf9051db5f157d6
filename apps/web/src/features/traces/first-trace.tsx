import { anyTraceQuery } from '../../api/telemetry.ts';
import { FirstRecord } from '../explore/first-record.tsx';
import { snippets } from './snippets.ts';

/** A project without traces; `page` names the page that shows it. */
export default function FirstTrace(props: { environment: string | undefined; page?: string }) {
  const { environment, page = 'Traces' } = props;
  return (
    <FirstRecord
      page={page}
      title="Send the first trace"
      noun="trace"
      snippets={snippets(location.origin)}
      arrived={anyTraceQuery(environment)}
    >
      Any OpenTelemetry SDK will do. Paste one of these;{' '}
      {page === 'Home' ? 'this page comes alive' : 'this page shows the trace'} as soon as it arrives.
    </FirstRecord>
  );
}
