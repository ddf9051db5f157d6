import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { endAllSessions, endSession, sessionsOfAccountQuery } from '../../api/account.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { Loaded, Section } from '../settings/page.tsx';

const TOUCHES = [['account', 'sessions']];

/** Where this account is signed in, and ending it there. */
export function Sessions() {
  const query = useQuery(sessionsOfAccountQuery());
  const [asked, setAsked] = useState(false);
  const end = useApiMutation(endSession, { touches: TOUCHES });
  const endAll = useApiMutation(endAllSessions, {
    touches: [],
    onDone: () => location.assign('/sign-in'),
  });
  return (
    <Section
      title="Sessions"
      about="Where you are signed in."
      action={<Button onClick={() => setAsked(true)}>Sign out everywhere</Button>}
    >
      <ErrorLine error={end.error} />
      <Loaded query={query} label="the sessions">
        {(rows) => (
          <Table
            label="Sessions"
            rows={rows}
            keyOf={(session) => session.id}
            empty="None."
            columns={[
              {
                label: 'Browser',
                cell: (session) => (
                  <span className="flex items-center gap-2">
                    <span className="block max-w-80 truncate" title={session.userAgent}>
                      {session.userAgent === '' ? 'unnamed' : session.userAgent}
                    </span>
                    {session.current && <Badge tone="accent">this one</Badge>}
                  </span>
                ),
              },
              { label: 'Address', cell: (session) => session.address },
              { label: 'Signed in', cell: (session) => <When time={session.createdAt} /> },
              { label: 'Last seen', cell: (session) => <When time={session.lastSeenAt} /> },
              { label: 'Ends', cell: (session) => <When time={session.expiresAt} /> },
              {
                label: 'Actions',
                align: 'end',
                cell: (session) =>
                  !session.current && (
                    <Button
                      className="h-6"
                      disabled={end.isPending}
                      aria-label={`Sign out the session of ${session.address}`}
                      onClick={() => end.mutate(session.id)}
                    >
                      Sign out
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {asked && (
        <ConfirmDialog
          title="Sign out everywhere?"
          action="Sign out everywhere"
          busy={endAll.isPending}
          error={endAll.error}
          onConfirm={() => endAll.mutate(false)}
          onClose={() => setAsked(false)}
        >
          <p>Every session of this account ends, this one too. You sign in again afterwards.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
