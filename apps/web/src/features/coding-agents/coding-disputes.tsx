import type { CodingDispute } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { codingDisputesQuery, resolveDispute, withdrawDispute } from '../../api/coding-agents.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';

const TONES = { open: 'warn', accepted: 'ok', rejected: 'danger', withdrawn: 'plain' } as const;
/** A session is called otherwise by an accepted dispute. */
const TOUCHED = [['coding-disputes'], ['coding-session'], ['coding-sessions']];

/** Disputes over what sessions are called: an admin decides them, who began one may take it back. */
export default function CodingDisputes() {
  const { can, person } = useWhoAsks();
  const query = useQuery({ ...codingDisputesQuery(), enabled: person !== undefined });
  const [deciding, setDeciding] = useState<CodingDispute>();
  const withdraw = useApiMutation(withdrawDispute, { touches: TOUCHED });
  const isAdmin = can('admin');
  if (person === undefined)
    return (
      <Notice title="Sign in to see disputes">
        Who is signed in and sees a session may dispute whether it is work or personal.
      </Notice>
    );
  if (query.isPending) return <SkeletonRows label="Loading disputes" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data ?? [];
  return (
    <div className="flex flex-col gap-2 p-3">
      <p className="text-sm text-muted">
        A session is work where its repository is on the list of the platform, personal where it is not. Each
        step of a dispute is in the{' '}
        {isAdmin ? (
          <Link
            to="/settings/audit"
            search={{ objectKind: 'coding-dispute' }}
            className="text-accent underline"
          >
            audit log
          </Link>
        ) : (
          'audit log'
        )}
        .
      </p>
      <ErrorLine error={withdraw.error} />
      {rows.length === 0 ? (
        <Notice title="No disputes">The page of a session has the button for one.</Notice>
      ) : (
        <Table
          label="Disputes"
          rows={rows}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            { label: 'Begun', cell: ({ createdAt }) => <When time={createdAt} /> },
            { label: 'By', cell: ({ createdBy }) => createdBy },
            {
              label: 'Session',
              cell: ({ sessionId, agent }) => (
                <Link
                  to="/coding-agents/$session"
                  params={{ session: sessionId }}
                  search={{ agent }}
                  className="block max-w-48 truncate font-mono text-xs hover:underline"
                  title={sessionId}
                >
                  {sessionId}
                </Link>
              ),
            },
            { label: 'Agent', cell: ({ agent }) => agent },
            { label: 'Called', cell: ({ current }) => current },
            { label: 'Should be', cell: ({ requested }) => requested },
            {
              label: 'Reason',
              cell: ({ rationale, resolution }) => (
                <span className="block max-w-md min-w-48 whitespace-normal wrap-anywhere">
                  {rationale}
                  {resolution !== null && <span className="block text-muted">{resolution}</span>}
                </span>
              ),
            },
            { label: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
            { label: 'Decided by', cell: ({ resolvedBy }) => resolvedBy ?? '' },
            {
              label: 'Actions',
              align: 'end',
              cell: (dispute) =>
                dispute.status === 'open' && (
                  <span className="flex justify-end gap-1">
                    {isAdmin && (
                      <Button className="h-6" onClick={() => setDeciding(dispute)}>
                        Decide …
                      </Button>
                    )}
                    {dispute.own && (
                      <Button
                        className="h-6"
                        busy={withdraw.isPending && withdraw.variables === dispute.id}
                        onClick={() => withdraw.mutate(dispute.id)}
                      >
                        Withdraw
                      </Button>
                    )}
                  </span>
                ),
            },
          ]}
        />
      )}
      {deciding && <Decision dispute={deciding} onClose={() => setDeciding(undefined)} />}
    </div>
  );
}

function Decision({ dispute, onClose }: { dispute: CodingDispute; onClose: () => void }) {
  const [resolution, setResolution] = useState('');
  const decide = useApiMutation(
    (verdict: 'accepted' | 'rejected') =>
      resolveDispute(dispute.id, { verdict, resolution: resolution.trim() || null }),
    { touches: TOUCHED, onDone: onClose },
  );
  return (
    <FormDialog
      title="Decide the dispute"
      action="Accept"
      busy={decide.isPending}
      error={decide.error}
      onSubmit={() => decide.mutate('accepted')}
      onClose={onClose}
    >
      <p>
        {dispute.createdBy} says that the session is {dispute.requested}, not {dispute.current}:
      </p>
      <blockquote className="border-l-2 border-line pl-3 wrap-anywhere text-muted">
        {dispute.rationale}
      </blockquote>
      <TextArea
        label="Answer"
        value={resolution}
        onValue={setResolution}
        maxLength={1_000}
        hint="Stands beside the dispute. Empty: none."
      />
      <div>
        <Button look="danger" disabled={decide.isPending} onClick={() => decide.mutate('rejected')}>
          Reject
        </Button>
      </div>
    </FormDialog>
  );
}
