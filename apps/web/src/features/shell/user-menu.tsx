import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleUser, LogOut, UserCog } from 'lucide-react';
import { useState } from 'react';
import { sendSignOut } from '../../api/auth.ts';
import { setTabKey, tabKey } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CutName } from '../../ui/cut-name.tsx';
import { ErrorLine } from '../../ui/form.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useWhoAsks } from '../session/use-person.ts';

const ITEM = 'flex h-7 w-full items-center gap-2 rounded px-2 text-left hover:bg-hover';

/** Who is signed in, their account, and the way out. Without anybody: the way in. */
export function UserMenu() {
  const { status, person } = useWhoAsks();
  const [open, setOpen] = useState(false);
  const signOut = useMutation({
    mutationFn: sendSignOut,
    onSuccess: () => {
      setTabKey('');
      location.assign('/sign-in');
    },
  });
  if (status === undefined || (person === undefined && !status.owned)) return null;
  if (person === undefined)
    return (
      <Link to="/sign-in" className="px-2 text-accent underline">
        {tabKey() === '' ? 'Sign in' : 'Sign in instead of the key'}
      </Link>
    );
  return (
    <Popover
      label="You"
      open={open}
      onOpenChange={setOpen}
      className="w-64"
      trigger={
        <Button look="plain" title={person.email} data-testid="user-menu">
          <CircleUser size={15} aria-hidden />
          <span className="sr-only">You: {person.email}</span>
        </Button>
      }
    >
      <div className="border-b border-line px-3 py-2">
        <p className="truncate font-medium">{person.name}</p>
        <p className="truncate text-sm text-muted">{person.email}</p>
        {person.organisation !== null && (
          <p className="mt-1 flex items-center gap-2 text-sm text-muted">
            <CutName name={person.organisation.name} />
            <Badge>{person.organisation.role}</Badge>
          </p>
        )}
      </div>
      <div className="p-1">
        <Link to="/account" className={ITEM} onClick={() => setOpen(false)}>
          <UserCog size={14} aria-hidden />
          Your account
        </Link>
        <button type="button" className={ITEM} onClick={() => signOut.mutate()}>
          <LogOut size={14} aria-hidden />
          Sign out
        </button>
        <ErrorLine error={signOut.error} className="px-2" />
      </div>
    </Popover>
  );
}
