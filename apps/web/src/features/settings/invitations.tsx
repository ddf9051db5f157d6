import type { Invitation } from '@candela/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationsQuery, revokeInvitation } from '../../api/organisation.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Loaded, Section } from './page.tsx';

/** Who was invited and has not come yet. */
export function Invitations() {
  const query = useInfiniteQuery(invitationsQuery());
  const [taken, setTaken] = useState<Invitation>();
  const revoke = useApiMutation(revokeInvitation, {
    touches: [['invitations']],
    onDone: () => setTaken(undefined),
  });
  return (
    <Section
      title="Invitations"
      about="Open ones. A link is shown once, when it is made: to send it again, invite again."
    >
      <Loaded query={query} label="the invitations">
        {(data) => (
          <Table
            label="Invitations"
            rows={data.pages.flatMap((page) => page.data)}
            keyOf={(invitation) => invitation.id}
            empty="Nobody is invited at the moment."
            isPast={(invitation) => Date.parse(invitation.expiresAt) < Date.now()}
            columns={[
              { label: 'E-mail', cell: (invitation) => invitation.email },
              { label: 'Role', cell: (invitation) => <Badge>{invitation.role}</Badge> },
              { label: 'Invited by', cell: (invitation) => invitation.invitedBy ?? 'somebody who left' },
              {
                label: 'Expires',
                cell: (invitation) =>
                  Date.parse(invitation.expiresAt) < Date.now() ? (
                    <Badge tone="warn">expired</Badge>
                  ) : (
                    <When time={invitation.expiresAt} />
                  ),
              },
              {
                label: 'Actions',
                align: 'end',
                cell: (invitation) => (
                  <Button
                    className="h-6"
                    aria-label={`Take back the invitation of ${invitation.email}`}
                    onClick={() => setTaken(invitation)}
                  >
                    Take back
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <MoreRows query={query} />
      {taken && (
        <ConfirmDialog
          title="Take the invitation back?"
          action="Take back"
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(taken.id)}
          onClose={() => setTaken(undefined)}
        >
          <p>The link that {taken.email} got no longer works.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
