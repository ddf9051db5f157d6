import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { Notice } from '../../ui/states.tsx';
import { persistedTraces } from '../traces/traces-search.ts';

/** Instead of a trace that is not stored. */
export default function TraceAbsent({ traceId }: { traceId: string }) {
  return (
    <Notice icon={<SearchX className="text-muted" aria-hidden />} title="This trace is not here">
      <title>Trace not found · Candela</title>
      <p>
        No span with the trace id <code className="font-mono break-all">{traceId}</code> is stored. It may
        have been kept out by sampling, or its time to live is over. An id has 32 hex digits.
      </p>
      <Link to="/traces" search={persistedTraces.last()} className="text-accent underline">
        Back to Traces
      </Link>
    </Notice>
  );
}
