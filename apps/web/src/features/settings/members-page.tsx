import type { Member } from '@candela/contract';
import { hasRole, ROLES, type Role } from '@candela/kernel';
import { useInfiniteQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { changeRole, membersQuery, removeMember } from '../../api/organisation.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { Invitations } from './invitations.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Loaded, Section, SettingsPage } from './page.tsx';

/** The people of the organisation, what they may do, and who was invited. */
export function MembersPage() {
  const { can } = useWhoAsks();
  const [inviting, setInviting] = useState(false);
  const query = useInfiniteQuery(membersQuery());
  return (
    <SettingsPage
      title="Members"
      about="Viewers read. Members also make and change things in their projects. Admins also manage people, keys, connectors and settings, and reach every project. Owners own."
      action={
        can('admin') && (
          <Button look="primary" onClick={() => setInviting(true)}>
            <UserPlus size={14} aria-hidden />
            Invite
          </Button>
        )
      }
    >
      <Section title="People">
        <Loaded query={query} label="the members">
          {(data) => <People rows={data.pages.flatMap((page) => page.data)} />}
        </Loaded>
        <MoreRows query={query} />
      </Section>
      {can('admin') && <Invitations />}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </SettingsPage>
  );
}

function People({ rows }: { rows: readonly Member[] }) {
  const { person, can } = useWhoAsks();
  const [leaving, setLeaving] = useState<Member>();
  const change = useApiMutation(changeRole, { touches: [['members'], ['auth-status']] });
  const remove = useApiMutation(removeMember, {
    touches: [['members'], ['projects'], ['api-keys']],
    onDone: () => setLeaving(undefined),
  });
  const own = person?.organisation?.role ?? 'viewer';
  // Nobody gives more than they have, and admins are changed by owners alone: as the server holds it.
  const mayChange = (member: Member) =>
    can('admin') && member.id !== person?.id && (own === 'owner' || !hasRole(member.role, 'admin'));
  const given = ROLES.filter((role) => hasRole(own, role));
  return (
    <>
      <ErrorLine error={change.error} />
      <Table
        label="People"
        rows={rows}
        keyOf={(member) => member.id}
        empty="Nobody is here."
        columns={[
          {
            label: 'Name',
            cell: (member) => (
              <>
                {member.name} {member.id === person?.id && <Badge tone="accent">you</Badge>}
              </>
            ),
          },
          { label: 'E-mail', cell: (member) => member.email },
          {
            label: 'Role',
            cell: (member) =>
              mayChange(member) ? (
                <select
                  aria-label={`Role of ${member.email}`}
                  value={member.role}
                  disabled={change.isPending}
                  onChange={(event) => change.mutate({ id: member.id, role: event.target.value as Role })}
                  className="h-6 rounded border border-line bg-bg px-1"
                >
                  {given.map((role) => (
                    <option key={role} value={role}>
                      {role}
                    </option>
                  ))}
                </select>
              ) : (
                <Badge>{member.role}</Badge>
              ),
          },
          {
            label: 'Second factor',
            cell: (member) => (member.totp ? <Badge tone="ok">on</Badge> : <Badge>off</Badge>),
          },
          { label: 'Joined', cell: (member) => <When time={member.joinedAt} /> },
          { label: 'Last seen', cell: (member) => <When time={member.lastSeenAt} none="never" /> },
          {
            label: 'Actions',
            align: 'end',
            cell: (member) =>
              mayChange(member) && (
                <Button
                  className="h-6"
                  aria-label={`Remove ${member.email}`}
                  onClick={() => setLeaving(member)}
                >
                  Remove
                </Button>
              ),
          },
        ]}
      />
      {leaving && (
        <ConfirmDialog
          title={`Remove ${leaving.name}?`}
          action="Remove"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          <p>
            The account {leaving.email} is deleted and signed out everywhere. API keys that they made stop
            working at once. What they saved stays.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
