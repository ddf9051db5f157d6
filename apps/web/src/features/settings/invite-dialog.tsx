import { hasRole, ROLES, type Role } from '@candela/kernel';
import { useState } from 'react';
import { invite } from '../../api/organisation.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckList, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { useWhoAsks } from '../session/use-person.ts';

const HOURS = [
  { value: '24', label: 'in a day' },
  { value: '168', label: 'in a week' },
  { value: '720', label: 'in a month' },
];

/** Invites an address; the link is shown once, to be sent by whatever way one likes. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { person } = useWhoAsks();
  const own = person?.organisation?.role ?? 'viewer';
  const projects = person?.projects ?? [];
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [hours, setHours] = useState('168');
  const [reached, setReached] = useState<readonly string[]>(() => projects.slice(0, 1).map(({ id }) => id));
  const reachesAll = hasRole(role, 'admin');
  const send = useApiMutation(invite, { touches: [['invitations']] });
  if (send.data)
    return (
      <SecretOnce
        title={`Invitation for ${send.data.invitation.email}`}
        secrets={[{ label: 'Link', text: send.data.link }]}
        onClose={onClose}
      >
        <p>
          {send.data.mailed
            ? 'It was sent by mail, too. '
            : 'No mail was sent: hand the link over yourself, in private. '}
          Whoever has it joins as {send.data.invitation.role}. It works once and is shown only now.
        </p>
      </SecretOnce>
    );
  return (
    <FormDialog
      title="Invite somebody"
      action="Create invitation"
      busy={send.isPending}
      error={send.error}
      ready={email.trim() !== ''}
      onSubmit={() =>
        send.mutate({
          email: email.trim(),
          role,
          expiresInHours: Number(hours),
          ...(reachesAll || reached.length === 0 ? {} : { projects: [...reached] }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="E-mail"
        type="email"
        autoComplete="off"
        required
        autoFocus
        maxLength={254}
        value={email}
        onValue={setEmail}
      />
      <SelectField
        label="Role"
        value={role}
        onValue={(value) => setRole(ROLES.find((each) => each === value) ?? 'member')}
        options={ROLES.filter((each) => hasRole(own, each)).map((each) => ({ value: each, label: each }))}
        {...(reachesAll ? { hint: 'Reaches every project.' } : {})}
      />
      {!reachesAll && projects.length > 1 && (
        <CheckList
          label="Projects"
          options={projects.map((project) => ({ value: project.id, label: project.name }))}
          chosen={reached}
          onChange={setReached}
        />
      )}
      <SelectField label="The link expires" value={hours} onValue={setHours} options={HOURS} />
    </FormDialog>
  );
}
