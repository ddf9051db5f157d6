import { Link } from '@tanstack/react-router';
import { ApiError } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Failure, Notice } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';

/** Ways from the page of a user or an agent to its traces and its failures. */
export function EntityLinks({ q }: { q: string }) {
  return (
    <>
      <Link to="/traces" search={{ q }} className="text-accent hover:underline">
        Traces
      </Link>
      <Link
        to="/traces"
        search={{ q: `${q} status:error`, view: 'spans' }}
        className="text-accent hover:underline"
      >
        Failed spans
      </Link>
    </>
  );
}

/** Instead of a user or an agent that could not be read: it did nothing in the time range, or reading failed. */
export function EntityTrouble(props: { noun: string; error: unknown; onRetry: () => void }) {
  const { range, setRange } = useShell();
  if (!(props.error instanceof ApiError && props.error.status === 404))
    return <Failure error={props.error} onRetry={props.onRetry} />;
  return (
    <Notice title={`Nothing of this ${props.noun} in the time range`}>
      {range.from !== '-30d' && (
        <Button onClick={() => setRange({ from: '-30d', to: 'now' })}>Look at the last 30 days</Button>
      )}
    </Notice>
  );
}
