import type { CodingSession } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { codingDisputesQuery } from '../../api/coding-agents.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact } from '../../ui/facts.tsx';
import { useWhoAsks } from '../session/use-person.ts';

const DisputeDialog = lazy(() => import('./dispute-dialog.tsx'));

/** What a session is called, with what is disputed of it, for those who may. */
export function Classification({ session }: { session: CodingSession }) {
  const { can } = useWhoAsks();
  const mayDispute = can('member');
  const disputes = useQuery({ ...codingDisputesQuery(session.sessionId), enabled: mayDispute });
  const [open, setOpen] = useState(false);
  const last = disputes.data?.find(({ agent }) => agent === session.agent);
  return (
    <>
      <Fact label="Classification">
        <span className="inline-flex items-center gap-2">
          <span>{session.classification}</span>
          {last !== undefined && (
            <Link to="/coding-agents" search={{ view: 'disputes' }}>
              <Badge tone={last.status === 'open' ? 'warn' : 'plain'}>dispute {last.status}</Badge>
            </Link>
          )}
          {mayDispute && last?.status !== 'open' && (
            <Button className="h-6" onClick={() => setOpen(true)}>
              Dispute …
            </Button>
          )}
        </span>
      </Fact>
      {open && (
        <Suspense>
          <DisputeDialog session={session} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
